"""REHEARSED facts: what a program did on a virtual slice. Bytes are of one device."""

from tpuguru.facts.schema import FactType, Field, Stage, Unit

REHEARSED = Stage.REHEARSED


def _integer(name: str, summary: str, unit: Unit = Unit.NONE) -> Field:
    return Field(f"rehearsal.{name}", FactType.INTEGER, summary, unit, stage=REHEARSED)


def _number(name: str, summary: str, unit: Unit = Unit.NONE) -> Field:
    return Field(f"rehearsal.{name}", FactType.NUMBER, summary, unit, stage=REHEARSED)


def _text(name: str, summary: str, *choices: str) -> Field:
    return Field(f"rehearsal.{name}", FactType.TEXT, summary, choices=choices, stage=REHEARSED)


def _records(name: str, summary: str, *fields: Field) -> Field:
    return Field(f"rehearsal.{name}", FactType.RECORDS, summary, fields=fields, stage=REHEARSED)


_LINE = Field("python", FactType.TEXT, "Line of the program: file:line")

FIELDS = (
    _text("outcome", "How it ended", "end", "failed", "stopped", "deadlock", "interrupted"),
    _text("step", "Program with the most arithmetic among those that ran: the step"),
    _integer("steps", "Executions of that program on one device"),
    _integer("processes", "Processes that joined the slice"),
    _integer("devices", "Devices of the slice", Unit.DEVICES),
    _integer("devices_unused", "Devices that executed nothing and held nothing", Unit.DEVICES),
    _number("busiest_share", "Share of all arithmetic that the busiest device did", Unit.FRACTION),
    _integer("peak", "Most bytes of any device", Unit.BYTES),
    _integer(
        "least_peak", "Most bytes of the device that held least, of those that ran anything", Unit.BYTES
    ),
    _integer("limit", "Bytes that a device has", Unit.BYTES),
    _integer("programs", "Different programs compiled"),
    _number("programs_per_step", "Executions of any program in each step of one process"),
    _records(
        "late",
        "Programs compiled after the step's first execution",
        Field("name", FactType.TEXT, "Name of the program"),
        Field("change", FactType.TEXT, "Which argument differs from the last program of that name"),
        Field("cause", FactType.TEXT, "Why", choices=("shape", "same-types", "new")),
        Field("heavy", FactType.BOOLEAN, "It does at least a twentieth of the step's arithmetic"),
        Field("seconds", FactType.NUMBER, "Time of the compile on this machine", Unit.SECONDS),
        _LINE,
    ),
    _integer("late_shapes", "Heavy programs of known name, compiled late since an argument changed"),
    _integer("most_shapes", "Such compiles of the name that has most of them"),
    _number("reads_per_step", "Arrays read back to the host in each step of one process"),
    _number("read_bytes_per_step", "Their bytes", Unit.BYTES),
    _number("writes_per_step", "Arrays sent to the devices in each step of one process"),
    _records(
        "reads",
        "Lines that read arrays back in every step",
        _LINE,
        Field("count", FactType.INTEGER, "Reads in the whole rehearsal"),
    ),
    _integer(
        "undonated", "Bytes of the step's arguments that it gives back anew and does not donate", Unit.BYTES
    ),
    _records(
        "replicated",
        "The step's largest arguments that lie whole on every device",
        Field("name", FactType.TEXT, "Name of the argument"),
        Field("shape", FactType.TEXT, "Shape on one device"),
        Field("bytes", FactType.INTEGER, "Bytes on each device", Unit.BYTES),
    ),
    _integer("replicated_bytes", "Bytes of all such arguments", Unit.BYTES),
    Field("rehearsal.warnings", FactType.TEXTS, "Different warnings in the output", stage=REHEARSED),
    _integer("unknown_reads", "Lines that read values which are not known here"),
)
