"""A resolved launch as a document."""

from tpuguru.report.contracts.common import FindingRecord
from tpuguru.report.contracts.resolve import ResolvedSetting, ResolveReport
from tpuguru.report.rendering.document import Document, Line, Section, Table, Tone


def resolve_document(report: ResolveReport) -> Document:
    """Return the document: refusals first, then the settings with their origins."""
    asked = "by MaxText itself" if report.authority == "toolchain" else "from the table of its defaults"
    head = (Line(f"{report.framework} {report.version}, {asked}", Tone.QUIET),)
    sections = []
    if report.findings:
        sections.append(
            Section("Refused", tuple(line for finding in report.findings for line in _finding(finding)))
        )
    if report.settings:
        rows = tuple(_row(setting) for setting in report.settings)
        sections.append(Section("Settings", (Table(("setting", "value", "comes from"), rows),)))
    return Document(f"tpuguru resolve {report.path}", head, tuple(sections))


def _finding(finding: FindingRecord) -> tuple[Line, ...]:
    place = finding.location
    where = f" ({place.path}:{place.line}:{place.column})" if place else ""
    lines = [Line(f"{finding.title}{where}", Tone.BAD)]
    lines += [Line(text, indent=1) for text in (finding.message, finding.fix) if text]
    return tuple(lines)


def _row(setting: ResolvedSetting) -> tuple[str, str, str]:
    value = f"unknown: {setting.unknown}" if setting.unknown else _text(setting.value)
    return (setting.key, value, setting.origin)


def _text(value: object) -> str:
    if value is None:
        return "not set"
    return str(value) if value != "" else "''"
