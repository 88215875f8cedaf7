"""A proof of settings as text."""

from collections.abc import Iterator

from tpuguru.report.contracts.setting_proof import ChangeEntry, SettingEntry, SettingProofReport

_MOST_NAMES = 6
_HEADINGS = {
    "harmful": "harmful: the program fails with it",
    "masked": "masked: another setting hides it",
    "redundant": "redundant: another setting does the same",
    "no-effect": "no effect on the compiled programs (it may act elsewhere: files, data, number of steps)",
    "default": "default: it states what would happen anyway",
    "needed": "needed: the program fails without it",
    "live": "live: without it other programs are compiled",
    "untested": "untested",
}


def proof_text(report: SettingProofReport) -> str:
    """Return the report, the settings that do nothing first."""
    blocks = [_block(report, verdict) for verdict in _HEADINGS]
    found = [block for block in blocks if block]
    if report.interrupted:
        found.insert(0, "interrupted")
    if report.refusal:
        found.insert(0, f"the program itself fails: {report.refusal}")
    if not report.settings and not report.interrupted:
        found.append("no settings: the command line has no options, assignments or variables")
    return "\n\n".join([*found, "\n".join(_footer(report))])


def _block(report: SettingProofReport, verdict: str) -> str:
    settings = [setting for setting in report.settings if setting.verdict == verdict]
    if not settings:
        return ""
    lines = [line for setting in settings for line in _setting(setting, report.main)]
    return "\n".join([f"{_HEADINGS[verdict]} ({len(settings)})", *lines])


def _setting(setting: SettingEntry, main: str) -> Iterator[str]:
    separator = " " if setting.kind == "option" else "="
    value = f"{separator}{setting.value}" if setting.value else ""
    equal = "=" if setting.hash_with == setting.hash_without else "≠"
    hashes = f"  {setting.hash_with[:12]} {equal} {setting.hash_without[:12]}" if setting.hash_without else ""
    yield f"  {setting.key}{value}{hashes}"
    if setting.reason:
        yield f"      {setting.reason}"
    yield from _changes(setting.changes, main)


def _changes(changes: list[ChangeEntry], main: str) -> Iterator[str]:
    telling = sorted((change for change in changes if change.lines), key=lambda each: each.program != main)
    if telling:
        change = telling[0]
        yield f"      {change.program}{' (options)' if change.how == 'options' else ''}:"
        yield from (f"        {line}" for line in change.lines)
    shown = telling[0].program if telling else ""
    others = dict.fromkeys(_named(change) for change in changes if change.program != shown)
    if others:
        yield f"      {'also ' if shown else ''}{_few(list(others))}"


def _named(change: ChangeEntry) -> str:
    words = {"missing": "no longer {}", "new": "now {}"}
    return words.get(change.how, "{}").format(change.program)


def _few(names: list[str]) -> str:
    rest = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def _footer(report: SettingProofReport) -> Iterator[str]:
    if report.compared:
        yield f"compared: {len(report.compared)} programs up to {report.until}: {_few(report.compared[::-1])}"
    if report.not_compared:
        yield f"not compared, since they come later: {_few(report.not_compared)}"
    if report.unstable and report.judged:
        yield (
            f"{_few(report.unstable)} differ from run to run of the same command; "
            "lines that do were left out of the comparison"
        )
    elif not report.judged:
        yield (
            f"{_few(report.unstable) or 'the programs'} differ from run to run of the same command, "
            "so that differences show nothing: fix the seed"
        )
    yield from report.notes
    yield f"{report.runs} runs, {report.forked} of them forked, in {report.seconds:.0f} s: {report.folder}"
