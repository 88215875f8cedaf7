"""Blank the times and rates that a program prints: on a virtual slice they mean nothing."""

import re

BLANK = "—"
_JSON_KEY_ENDS = ('": ', '":')

# All repetitions are bounded: a line may be long and hostile.
_NUMBER = r"[-+]?\d[\d,]{0,30}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?"
_SECOND = r"(?:s|sec|second)\b"
_THINGS = (
    r"(?:[kMGTP]?FLOPs?|tok(?:en)?s?|samples?|seq(?:uence)?s?|steps?|it(?:er(?:ation)?s?)?|examples?|batch(?:es)?"
    r"|im(?:a)?g(?:e)?s?|req(?:uest)?s?|words?|frames?|[KMGT]i?B)"
)
_RATE = rf"{_THINGS}\s?(?:/|_per_|\sper\s)\s?(?:s|sec|second)(?![a-z])"
_TIMED = r"(?:step|iter|iteration|batch|train|forward|backward)"
_NAMES = "|".join(
    (
        # Keys such as train_samples_per_second and tokens_per_second_per_device carry words on both sides.
        rf"(?<![a-z]){_RATE}(?:\s?(?:/|_per_)\s?\w{{1,30}})?",
        rf"\b{_TIMED}[_\s-]?time(?:_\w{{1,30}})?\b",
        rf"\btime\s?/\s?{_TIMED}\b",
        rf"\b{_SECOND}\s?/\s?{_TIMED}\b",
        r"\bseconds\b",
        r"\bsecs?\b",
        r"(?<![a-z])(?:train|eval|predict|test)_runtime\b",
        r"\belapsed(?:\stime)?(?:\sper\s\w{1,30})?",
        r"\b(?:throughput|latency)(?:\sper\s\w{1,30})?",
        r"\b[mh]fu\b",
        r"\btps\b",
        r"(?<!total )\btflops\b",  # the total of a step is counted from shapes, and true
    )
)
# «TFLOP/s/device: 0.1», «step_time=0.005», «'train_runtime': 5.2», «MFU 43.1%», «elapsed: 3 ms».
_NAMED = re.compile(
    rf"(?i)(?P<head>(?:{_NAMES})[\"']?\s{{0,8}}(?:\([^()]{{0,20}}\))?\s{{0,8}}[:=]?\s{{0,8}}[\"']?){_NUMBER}"
    rf"(?P<unit>\s?(?:%|ms\b|us\b|s\b)?)"
)
# «12.3 it/s», «431.2 TFLOP/s», «5.1 tokens/sec».
_LEADING = re.compile(rf"(?i)(?<![\d,.]){_NUMBER}(?P<unit>\s?{_RATE})")
# «time 512.30ms»: with its unit, since «time 3» may be the third time.
_TIME = re.compile(rf"(?i)(?P<head>\btime\s{{0,8}}[:=]?\s{{0,8}}){_NUMBER}(?P<unit>\s?(?:ms|us|s|sec)\b)")
# «1s 12ms/step», «3.21s/it», and tqdm's «00:05<01:10».
_EACH = re.compile(
    rf"(?i)(?:\b\d{{1,6}}(?:ms|us|s)\s)?(?<![\w.,]){_NUMBER}(?P<unit>\s?(?:ms|us|s|sec)/{_THINGS}(?![a-z/]))"
)
_REMAINING = re.compile(r"(?<![\d:])\d{1,6}(?::\d\d){1,3}<(?:\d{1,6}(?::\d\d){1,3}|\?)")


def blank_figures(text: str) -> tuple[str, int]:
    """Return ``text`` with times and rates replaced by a dash, and how many there were."""
    total = 0
    for pattern in (_NAMED, _TIME, _LEADING, _EACH):
        text, count = pattern.subn(_blanked, text)
        total += count
    text, count = _REMAINING.subn(rf"{BLANK}<{BLANK}", text)
    return text, total + count


def _blanked(found: re.Match[str]) -> str:
    head = found.groupdict().get("head", "")
    # A line of JSON stays JSON: whoever reads it finds no figure.
    return f"{head}{'null' if head.endswith(_JSON_KEY_ENDS) else BLANK}{found['unit']}"
