"""Train with an index that cannot be written."""

import os
import runpy
import sys
from pathlib import Path

index = Path(os.environ["TPUGURU_SLICE_RECORDS"]) / "index.jsonl"
index.symlink_to("/dev/full")
runpy.run_path(str(Path(__file__).with_name("train.py")), run_name="__main__")
