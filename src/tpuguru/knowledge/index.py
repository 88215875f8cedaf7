"""The search index: one SQLite file (FTS5), built when the pages change and found by their content's hash."""

import os
import sqlite3
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from tpuguru.knowledge.claim import Claim
from tpuguru.knowledge.glossary import Glossary
from tpuguru.knowledge.library import Library
from tpuguru.knowledge.terms import terms

_SCHEMA = """
create table claims(rowid integer primary key, id text unique, title text, keys text, body text, json blob);
create virtual table fts using fts5(
  title, keys, body, content='', tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
);
create virtual table vocabulary using fts5vocab(fts, 'row');
create table parts(name text primary key, json blob);
"""
_KEPT_INDEXES = 4


def open_index(library_hash: str, folder: Path) -> sqlite3.Connection | None:
    """Return the stored index of this content; None when there is none or it is damaged."""
    path = folder / f"{library_hash}.sqlite"
    if not path.is_file():
        return None
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        connection.execute("select json from parts where name = 'pages'").fetchone()[0]
    except (sqlite3.Error, TypeError):
        return None
    return connection


def build_index(library: Library) -> sqlite3.Connection:
    """Return a fresh index in memory."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(_SCHEMA)
    for number, claim in enumerate(library.claims, start=1):
        _insert(connection, number, claim, library.glossary)
    connection.execute("insert into fts(fts) values('optimize')")
    pages = [replace(page, claims=(), citations=()) for page in library.pages]
    for name, value in (
        ("pages", pages),
        ("aliases", library.glossary.aliases),
        ("ignored", sorted(library.glossary.ignored)),
        ("citations", library.citations),
    ):
        connection.execute("insert into parts values(?, ?)", (name, msgspec.json.encode(value)))
    connection.commit()
    return connection


def store_index(connection: sqlite3.Connection, library_hash: str, folder: Path) -> None:
    """Keep the index for the next command, whole or not at all; an unwritable folder is no error."""
    temporary = folder / f".{library_hash}.{os.getpid()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target = sqlite3.connect(temporary)
        with target:
            connection.backup(target)
        target.close()
        temporary.replace(folder / f"{library_hash}.sqlite")
        _prune(folder)
    except (OSError, sqlite3.Error):
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def claim_keys(claim: Claim) -> str:
    """Return the words a claim can be found by besides its title and text."""
    return "\n".join((claim.id.replace("-", " "), *claim.aliases, *claim.symptoms, *claim.scope))


def _insert(connection: sqlite3.Connection, number: int, claim: Claim, glossary: Glossary) -> None:
    title = _terms(claim.title, glossary)
    keys = _terms(claim_keys(claim), glossary)
    body = _terms(f"{claim.text}\n{claim.conditions}\n{claim.measured}", glossary)
    columns = [" ".join(sorted(set(part))) for part in (title, keys, body)]
    connection.execute(
        "insert into claims values(?, ?, ?, ?, ?, ?)",
        (number, claim.id, *columns, msgspec.json.encode(claim)),
    )
    connection.execute(
        "insert into fts(rowid, title, keys, body) values(?, ?, ?, ?)",
        (number, " ".join(title), " ".join(keys), " ".join(body)),
    )


def _terms(text: str, glossary: Glossary) -> list[str]:
    concepts = dict.fromkeys(match.term for match in glossary.matches(text) if not match.outside)
    return [*terms(text), *concepts]


def _prune(folder: Path) -> None:
    stored = sorted(folder.glob("*.sqlite"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in stored[_KEPT_INDEXES:]:
        path.unlink(missing_ok=True)
