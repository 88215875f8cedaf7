"""What programs of many checks share: each check prints one JSON line with its verdict."""

import json
import sys
import traceback

CHECKS = {}


def check(function):
    CHECKS[function.__name__] = function
    return function


def refused(function, *arguments):
    """What an operation says when it refuses; it must refuse."""
    try:
        function(*arguments)
    except Exception as error:
        return str(error)
    raise AssertionError(f"{function} was not refused")


def main():
    for name in sys.argv[1:] or list(CHECKS):
        try:
            result = {"check": name, "ok": True, "detail": CHECKS[name]() or {}}
        except Exception:
            result = {"check": name, "ok": False, "detail": {"error": traceback.format_exc()[-1500:]}}
        print(json.dumps(result), flush=True)
