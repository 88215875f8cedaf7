"""Jobs and records as JSON."""

from dataclasses import replace
from pathlib import Path

from tpuguru.aot.job import AotJob
from tpuguru.aot.record import RunRecord


def record_to_json(record: RunRecord) -> bytes:
    """Return the record as JSON; the folder is left out, since it is where the JSON lies."""
    import msgspec  # noqa: PLC0415

    return msgspec.json.format(msgspec.json.encode(replace(record, folder=Path()), enc_hook=str), indent=1)


def record_of_json(text: bytes, folder: Path) -> RunRecord:
    """Read a record; ValueError when it is not one."""
    import msgspec  # noqa: PLC0415

    record = msgspec.json.decode(text, type=RunRecord, dec_hook=_path)
    return replace(record, folder=folder)


def job_to_json(job: AotJob) -> bytes:
    """Return a job as JSON."""
    import msgspec  # noqa: PLC0415

    return msgspec.json.format(msgspec.json.encode(job), indent=1)


def job_of_json(text: bytes) -> AotJob:
    """Read a job; ValueError when it is not one."""
    import msgspec  # noqa: PLC0415

    return msgspec.json.decode(text, type=AotJob)


def _path(kind: type, value: object) -> object:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise NotImplementedError(f"cannot read {kind}")
