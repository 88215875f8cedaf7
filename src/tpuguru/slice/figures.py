"""Blank the times and rates that a program prints: on a virtual slice they mean nothing."""

import re

BLANK = "—"

_NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
_THINGS = (
    r"(?:[kMGTP]?FLOPs?|tok(?:en)?s?|samples?|seq(?:uence)?s?|steps?|it|examples?|batch(?:es)?|[KMG]i?B)"
)
_RATE = rf"{_THINGS}\s*(?:/|_per_|\sper\s)\s*(?:s|sec|second)\b"
_TIMED = r"(?:step|iter|iteration|batch|train|forward|backward)"
_NAMES = "|".join(
    (
        rf"\b{_RATE}(?:\s*/\s*\w+)?",
        rf"\b{_TIMED}[_\s-]*time\b",
        r"\bseconds\b",
        r"\bsecs?\b",
        r"\belapsed(?:\s+time)?(?:\s+per\s+\w+)?",
        r"\bthroughput\b",
        r"\blatency\b",
        r"\b[mh]fu\b",
        r"\btps\b",
    )
)
# «TFLOP/s/device: 0.1», «step_time=0.005», «seconds: 5.2», «MFU 43.1%», «elapsed: 3 ms».
_NAMED = re.compile(
    rf"(?i)(?P<head>(?:{_NAMES})\s*(?:\([^()]{{0,20}}\))?\s*[:=]?\s*){_NUMBER}(?P<unit>\s?(?:%|ms\b|us\b|s\b)?)"
)
# «12.3 it/s», «431.2 TFLOP/s», «5.1 tokens/sec».
_LEADING = re.compile(rf"(?i){_NUMBER}(?P<unit>\s?{_RATE})")


def blank_figures(text: str) -> tuple[str, int]:
    """Return ``text`` with times and rates replaced by a dash, and how many there were."""
    text, named = _NAMED.subn(lambda found: found["head"] + BLANK + found["unit"], text)
    text, leading = _LEADING.subn(lambda found: BLANK + found["unit"], text)
    return text, named + leading
