"""Write the JSON Schema of every contract to contracts/; with --check, only say which are out of date."""

import sys

from tpuguru.base.locations import data_directory
from tpuguru.report.contracts.generate import schemas


def main() -> int:
    """Return 1 when --check found a file out of date."""
    stale = []
    for stem, text in schemas().items():
        path = data_directory("contracts") / f"{stem}.json"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"{name}: {'out of date' if '--check' in sys.argv else 'written'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
