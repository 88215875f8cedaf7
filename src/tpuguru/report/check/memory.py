"""The memory section: what one device holds, and the largest buffers at the peak."""

from tpuguru.artifacts.memory_model import Buffer, Memory
from tpuguru.report.contracts.check import BufferRecord, MemoryRecord
from tpuguru.report.contracts.common import Figure

LARGEST_SHOWN = 10


def memory_record(memory: Memory) -> MemoryRecord:
    """Return the section; figures are bytes per device."""
    origin = f"compiler: {memory.figures_from or 'buffer assignment'}"
    host = sum(
        part or 0
        for part in (memory.host_argument_bytes, memory.host_temporary_bytes, memory.host_output_bytes)
    )
    return MemoryRecord(
        argument=bytes_figure(memory.argument_bytes, origin),
        temporary=bytes_figure(memory.temporary_bytes, origin),
        output=bytes_figure(memory.output_bytes, origin),
        alias=bytes_figure(memory.alias_bytes, origin),
        generated_code=bytes_figure(memory.generated_code_bytes, origin),
        host=bytes_figure(host or None, origin),
        largest=tuple(buffer_record(buffer) for buffer in (memory.largest or memory.made)[:LARGEST_SHOWN]),
    )


def bytes_figure(value: int | None, origin: str) -> Figure | None:
    """Return a byte count as a figure of the compile it comes from."""
    return None if value is None else Figure(value, "bytes", origin)


def buffer_record(buffer: Buffer) -> BufferRecord:
    """Return a buffer with the place in the source that made it."""
    # The package's own path says where to look; the folder of the toolchain says nothing.
    file = buffer.source_file.rpartition("site-packages/")[2]
    place = f"{file}:{buffer.source_line}" if file else ""
    return BufferRecord(
        name=buffer.name,
        kind=buffer.kind,
        bytes=buffer.bytes,
        shape=buffer.shape,
        op_name=buffer.op_name,
        source=place,
        padding_bytes=buffer.padding_bytes,
    )
