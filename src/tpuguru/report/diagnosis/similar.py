"""Claims of the knowledge base that resemble a paste, as findings that say so.

A rule proves; a resemblance only points. So these findings are marked borderline, name the words that
matched, and never outrank a rule.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tpuguru.base.location import Location
from tpuguru.facts.finding import Category, Finding, Severity, Verdict
from tpuguru.knowledge.search import Hit

# What an impact costs, in the words of findings; «ok» explains what only looks wrong.
SEVERITY = {
    "blocker": Severity.CRITICAL,
    "wrong-result": Severity.CRITICAL,
    "perf": Severity.WARN,
    "caution": Severity.WARN,
    "ok": Severity.INFO,
}
CATEGORY = {
    "blocker": Category.LAUNCH,
    "wrong-result": Category.NUMERICS,
    "perf": Category.PERFORMANCE,
    "caution": Category.HYGIENE,
    "ok": Category.HYGIENE,
}
LEAST_SCORE = 0.33
LEAST_COVERAGE = 0.18
LEAST_SHARE_OF_BEST = 0.6
SPEAKS_FOR_ITSELF = 0.75  # so near a claim is named although nobody complains
NEARLY_BEST = 0.9  # an explanation so near the best is taken where nobody complains
LEAST_WORDS = 3  # words besides bare numbers: two shared words are a coincidence
_MOST = 3
# What people write when something broke, when something is amiss, and when all is well, as stems.
_BROKEN = (
    r"exception|traceback|fatal|\boom(?!-)\b|exhaust|crash"
    r"|core dump|\bhang|\bhung|stuck|\bnan\b|abort|halt|\bkill|崩|卡住"
)
_AMISS = (
    r"error|fail|exceed|\bstall|pending|\binf\b|slow|lower|worse|drop|fell|wrong|differ(?!ences? between)|"
    r"mismatch|missing|ignor|"
    r"invalid|reject|refus|denied|unavailable|evict|timeout|timed out|garbage|degrad|leak|grow|jump|spike|"
    r"retry|busy|warn|collaps|diverg|repeat|\bidle|\bhalf\b|halv|regress|nearly|\bnot\b|n't\b|\bnever\b|\bno\b|"
    r"\bonly\b|\bbut\b|instead|although|though|unchanged|too |why|0 rows|\bthan\b|\bvs\b|against|before|"
    r"报错|错误|失败|慢|不一致|不对|异常|丢|变差|下降|没有|超|崩溃|空闲|一半|重复"
)
# What counts nothing is no complaint: «Failed requests: 0», «no errors», «No OOM», «without a jump»; nor
# is what every green test run and every container build prints.
_NOTHING = re.compile(
    r"[^|\n,;:=]{0,40}(?:fail|error|nan|skipped|timeout|evict|retr|drop)[^|\n,;:=]{0,40}[:=]\s*0(?:\.0+)?(?![\d.])"
    r"|(?<![\w.-])(?:0|no|zero|without)[ \t]+(?:\w+[ \t]+)?(?:failed|errors?|failures?|warnings?|nans?"
    r"|issues?|problems?|ooms?|jumps?|spikes?|hangs?|crash(?:es)?|leaks?|regressions?)\b"
    r"|\b\d+ passed(?:, \d+ (?:skipped|deselected|xfailed|xpassed|warnings?))+"
    r"|\bif you (?:run (?:out|into)|get|hit|see)\b[^.\n]*"
    r"|WARNING: Running pip as the 'root' user[^\n]*",
    re.IGNORECASE,
)
# Metrics that a run prints, and a question about how things work: neither says that something is amiss.
_METRIC = re.compile(r"\b[a-zA-Z][\w./-]{1,60}[\"']?\s?[=:]\s?-?\d[\d.e+-]*(?=[\s,|}]|$)")
_METRICS_OF_A_LOG = 6
_ASKS = (
    r"\A\s*(?:what|which|how|can you|could you|where|when|is there|explain|summari[sz]e)\b"
    r"|请问|是什么|是多少|什么是|怎么理解"
)
_WELL = r"finished|completed|committed|\bready\b|succe|agree|continued|as usual|stable|smooth|完成|成功|正常"


@dataclass(frozen=True, slots=True)
class SimilarCause:
    """A claim near the paste, as a finding."""

    finding: Finding
    score: float


def similar_causes(
    hits: Sequence[Hit], path: str, certain: Iterable[Finding], text: str, *, log: bool = False
) -> tuple[SimilarCause, ...]:
    """Return up to three causes that resemble the paste, best first; none that a rule has stated already.

    ``log`` says that the paste is the output of a known program.
    """
    stated = {source.url for finding in certain for source in finding.sources}
    known = [hit for hit in hits if hit.claim.impact]
    if not known or known[0].score < LEAST_SCORE:
        return ()
    least = (
        LEAST_SHARE_OF_BEST * known[0].score
    )  # also where a rule states that one: others must come near it
    near = [hit for hit in known if hit.score >= least and _is_near(hit) and not _stated(hit, stated)]
    return tuple(
        SimilarCause(_finding(hit, path), hit.score) for hit in _credible(near, text, log=log)[:_MOST]
    )


def _credible(near: Sequence[Hit], text: str, *, log: bool) -> Sequence[Hit]:
    """Return what may be said of ``text``: no alarm where nobody complains or what was seen is normal."""
    text = _NOTHING.sub(" ", text)
    if not near or _mentions(_BROKEN, text):
        return near
    normal = [hit for hit in near if hit.claim.impact == "ok"]
    if near[0].claim.impact == "ok":
        return normal
    if _mentions(_AMISS, text):
        return near
    if normal and normal[0].score >= NEARLY_BEST * near[0].score:
        return normal
    log = log or len(_METRIC.findall(text)) >= _METRICS_OF_A_LOG
    quiet = log or _mentions(_WELL, text) or _mentions(_ASKS, text)
    return near if near[0].score >= SPEAKS_FOR_ITSELF and not quiet else ()


def _mentions(stems: str, text: str) -> bool:
    return re.search(stems, text, re.IGNORECASE) is not None


def _is_near(hit: Hit) -> bool:
    words = [label for label in hit.matched if not label.replace(".", "").isdigit()]
    return hit.coverage >= LEAST_COVERAGE and len(words) >= LEAST_WORDS


def _stated(hit: Hit, urls: set[str]) -> bool:
    return any(source.url in urls for source in hit.claim.sources)


def _finding(hit: Hit, path: str) -> Finding:
    claim = hit.claim
    matched = ", ".join(hit.matched[:8])
    return Finding(
        id=claim.id,
        name=claim.id,
        title=claim.title,
        severity=SEVERITY[claim.impact],
        level=claim.level,
        category=CATEGORY[claim.impact],
        verdict=Verdict.BORDERLINE,
        message=f"{claim.text}\n(Resembles what was pasted: {matched}.)",
        fix=claim.remedy,
        location=Location(path, 1),
        sources=claim.sources,
    )
