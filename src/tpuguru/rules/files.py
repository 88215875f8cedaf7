"""A rule file as text: front matter apart from the sections, which are read when a page is shown."""

from functools import lru_cache
from pathlib import Path

from tpuguru.rules.model import Page
from tpuguru.rules.problems import Problem, RuleFileError

MAX_FILE_BYTES = 200_000


@lru_cache(maxsize=1024)
def rule_page(path: Path) -> Page:
    """Return the sections of a rule file that has been checked; read when a page is shown, not before."""
    from tpuguru.rules.page import read_page  # noqa: PLC0415 - a run without findings shows no page

    _, body, body_line = split_file(path)
    return read_page(body, body_line, path)


def split_file(path: Path) -> tuple[str, str, int]:
    """Return front matter, the text after it, and the line on which that text starts. RuleFileError."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RuleFileError([Problem(path, f"the file cannot be read: {error.strerror}")]) from None
    if len(raw) > MAX_FILE_BYTES:
        raise RuleFileError([Problem(path, f"the file is larger than {MAX_FILE_BYTES:,} bytes")])
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise RuleFileError([Problem(path, "the file is not UTF-8 text")]) from None
    lines = text.split("\n")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    if lines[0].rstrip() != "---" or not end:
        raise RuleFileError(
            [Problem(path, "the file does not start with front matter between two `---` lines")]
        )
    return "\n".join(lines[1:end]), "\n".join(lines[end + 1 :]), end + 2
