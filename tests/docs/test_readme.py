"""What the documentation tells people to type works, and what it links to exists."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("examples/**/*.md")])
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
# These need minutes, a toolchain or a second input; tests of their own cover them.
_NOT_HERE = {
    "check",
    "rehearse",
    "submit",
    "prove",
    "toolchain",
    "collect",
    "extract",
    "claim",
    "propose",
    "runs",
}


def commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
            lines = block.replace("\\\n", " ").splitlines()
            found += [(page.name, line) for line in lines if line.startswith("tpuguru ")]
    return [(page, line) for page, line in found if line.split()[1] not in _NOT_HERE]


@pytest.mark.parametrize(("page", "line"), commands(), ids=lambda value: str(value)[:60])
def test_a_documented_command_works(page: str, line: str) -> None:
    """Copied from the page, run from the repository's top, it says something and does not fail."""
    words = shlex.split(line, comments=True)
    if any(character in line for character in "|<>") or any(word.isupper() for word in words[2:]):
        pytest.skip("a form to fill in, not a line to copy")
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", *words[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    assert done.returncode in (0, 1), f"{page}: {line}\n{done.stderr}"
    assert done.stdout.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_repository_exist(page: Path) -> None:
    """A dead link in the first screen costs trust."""
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
