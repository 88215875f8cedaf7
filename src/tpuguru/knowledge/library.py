"""The pages as they lie on disk, read together: ids are unique, and superseded claims know it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.knowledge.claim import Claim, Page
from tpuguru.knowledge.glossary import Glossary, read_glossary
from tpuguru.knowledge.reader import citations, read_page

# The code that shapes the index is part of its hash: another tokenizer never reads an old index.
_SHAPING = ("claim.py", "glossary.py", "index.py", "reader.py", "stemmer.py", "terms.py")
GLOSSARY = "glossary.md"


@dataclass(frozen=True, slots=True)
class Library:
    """Everything the knowledge folder holds. ``citations`` are those of all Markdown data, pages included."""

    pages: tuple[Page, ...]
    glossary: Glossary
    citations: tuple[tuple[str, Location], ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims in the order of the pages."""
        return tuple(claim for page in self.pages for claim in page.claims)


def page_files(folder: Path) -> list[Path]:
    """Return the pages of a knowledge folder in order: the Markdown files that start with a digit."""
    return sorted(path for path in folder.glob("[0-9]*.md") if path.is_file())


def source_files(folder: Path, playbooks: Path) -> list[Path]:
    """Return every file whose change must be seen by the next command."""
    return [*page_files(folder), *_others(folder, playbooks)]


def content_hash(files: Iterable[Path]) -> str:
    """Return a hash of names and bytes, so that an edited page is never answered from an old index."""
    digest = hashlib.sha256()
    code = Path(__file__).parent
    for path in (*(code / name for name in _SHAPING), *files):
        data = _read(path)
        digest.update(f"\0{path.name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:24]


def read_library(folder: Path, playbooks: Path) -> Library:
    """Read all pages, the glossary and the citations of the playbooks. Raises UsageError with the place."""
    files = page_files(folder)
    if not files:
        raise UsageError(
            f"there are no knowledge pages in {folder}", help="pages are named 00-scope.md and so on"
        )
    pages = [read_page(_text(path), _name(path)) for path in files]
    glossary_path = folder / GLOSSARY
    glossary = (
        read_glossary(_text(glossary_path), _name(glossary_path)) if glossary_path.is_file() else Glossary()
    )
    cited = [citation for page in pages for citation in page.citations]
    for path in _others(folder, playbooks):
        if path.suffix == ".md" and path.name != GLOSSARY:
            cited += citations(_text(path), _name(path))
    return Library(tuple(_with_supersession(pages)), glossary, tuple(cited))


def _with_supersession(pages: list[Page]) -> list[Page]:
    known: dict[str, Claim] = {}
    for claim in (claim for page in pages for claim in page.claims):
        if claim.id in known:
            raise UsageError(
                f"the claim {claim.id} is defined twice",
                location=claim.location,
                help=f"also at {known[claim.id].location}",
            )
        known[claim.id] = claim
    newer = {old: claim.id for claim in known.values() for old in claim.supersedes}
    return [
        replace(
            page,
            claims=tuple(replace(claim, superseded_by=newer.get(claim.id, "")) for claim in page.claims),
        )
        for page in pages
    ]


def _others(folder: Path, playbooks: Path) -> list[Path]:
    glossary = folder / GLOSSARY
    return [
        *([glossary] if glossary.is_file() else []),
        *sorted((folder / "errors").glob("*.md")),
        *sorted(path for path in playbooks.glob("*") if path.suffix in (".md", ".toml")),
    ]


def _name(path: Path) -> str:
    """Return the name an error shows: the file with its folder, not the machine's whole path."""
    return f"{path.parent.name}/{path.name}"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _text(path: Path) -> str:
    try:
        return _read(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{_name(path)} is not UTF-8 text (byte {error.start})", location=Location(_name(path), 1)
        ) from error
