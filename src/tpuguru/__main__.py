"""``python -m tpuguru`` is ``tpuguru``, for a Python whose scripts folder is not on the PATH."""

import sys

from tpuguru.cli.main import main

sys.exit(main())
