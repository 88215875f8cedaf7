"""How fast HLO text and whole dumps are read, and how much memory it takes.

    python benchmarks/extract.py [DUMP…] [--megabytes N…] [--toolchain-python PATH]

Without a dump, programs of the given sizes are written: layers unrolled into one computation (the worst case for a
streaming reader) and layers in loop bodies of their own (the usual case). Prints MB/s of CPU time and peak memory
over the size of the text, each in a process of its own; with a toolchain's interpreter, the speed of jaxlib's own
HLO parser on the same text beside it.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LAYER = (
    "  %gather.{n} = bf16[64,512]{{1,0:T(8,128)(2,1)}} all-gather(%w), channel_id={n}, replica_groups=mesh['axis_0'=4]"
    " {{'axis_0'}}, dimensions={{1}}, use_global_device_ids=true, metadata={{op_name=\"jit(step)/layers/{n}/convert\""
    ' stack_frame_id=2}}, backend_config={{"flag_configs":[],"scoped_memory_configs":[]}}\n'
    '  %scale.{n} = bf16[16,64]{{1,0:T(8,128)(2,1)}} multiply(%x, %x), metadata={{op_name="jit(step)/layers/{n}/mul"}}\n'
    '  %shift.{n} = bf16[16,64]{{1,0:T(8,128)(2,1)}} add(%scale.{n}, %x), metadata={{op_name="jit(step)/layers/{n}/add"}}\n'
    "  %dot.{n} = bf16[16,512]{{1,0:T(8,128)(2,1)}} convolution(%shift.{n}, %gather.{n}), dim_labels=bf_io->bf,"
    ' metadata={{op_name="jit(step)/layers/{n}/dot_general" stack_frame_id=2}}\n'
    '  %kernel.{n} = bf16[16,64]{{1,0:T(8,128)(2,1)}} custom-call(%x, %x), custom_call_target="tpu_custom_call",'
    ' metadata={{op_name="jit(step)/layers/{n}/splash/pallas_call"}},'
    ' backend_config={{"custom_call_config":{{"body":"{body}"}}}}\n'
)
HEAD = "  %x = bf16[16,64]{1,0:T(8,128)(2,1)} parameter(0)\n  %w = bf16[64,128]{1,0:T(8,128)(2,1)} parameter(1)\n"
SIGNATURE = "(x: bf16[16,64], w: bf16[64,128]) -> bf16[16,64] {\n"
LAYERS_A_BODY = 20


def write_program(path: Path, size: int, *, unrolled: bool) -> None:
    """Write HLO text of about ``size`` bytes."""
    body = "TUzvUgFNTElS" * 16
    with path.open("w", encoding="utf-8") as file:
        file.write("HloModule jit_step, is_scheduled=true, num_partitions=4\n\n")
        names: list[str] = []
        layer = 0
        while file.tell() < size:
            end = size if unrolled else 0
            names.append(f"body.{len(names)}")
            file.write(f"%{names[-1]} {SIGNATURE}{HEAD}")
            first = layer
            while layer - first < LAYERS_A_BODY or file.tell() < end:
                file.write(LAYER.format(n=layer, body=body))
                layer += 1
            file.write(f"  ROOT %out.{layer} = bf16[16,64]{{1,0}} copy(%x)\n}}\n\n")
        calls = "".join(
            f"  %c.{name} = bf16[16,64]{{1,0}} call(%x, %w), to_apply=%{name}\n" for name in names
        )
        file.write(f"ENTRY %main {SIGNATURE}{HEAD}{calls}  ROOT %r = bf16[16,64]{{1,0}} copy(%x)\n}}\n")


def measure(path: Path) -> None:
    """Read one file or dump in this process and print its figures as JSON."""
    from tpuguru.artifacts.extract import extract_folder  # noqa: PLC0415 - measured alone
    from tpuguru.artifacts.hlo.loops import count_executions  # noqa: PLC0415
    from tpuguru.artifacts.hlo.reader import read_module  # noqa: PLC0415

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    started = time.process_time()
    if path.is_file():
        count_executions(read_module(path))
        size = path.stat().st_size
    else:
        extract = extract_folder(path)
        size = sum(
            file.bytes for file in extract.source.files if file.role not in ("before", "optimised-proto")
        )
    seconds = time.process_time() - started
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    print(json.dumps({"bytes": size, "seconds": seconds, "memory": grown}))


def report(label: str, path: Path) -> None:
    """Measure in a fresh process and print one row."""
    done = subprocess.run(
        [sys.executable, __file__, "--measure", str(path)], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    speed = found["bytes"] / 1e6 / found["seconds"]
    print(
        f"{label:44} {found['bytes'] / 1e6:8.1f} MB {found['seconds']:7.2f} s CPU {speed:7.1f} MB/s"
        f"   memory {found['memory'] / 2**20:7.1f} MiB = {found['memory'] / found['bytes']:.2f} × text"
    )


BINDINGS = """
import sys, time
from jaxlib import _hlo
text = open(sys.argv[1]).read()
started = time.process_time()
_hlo.hlo_module_from_text(text)
print(time.process_time() - started)
"""


def report_bindings(label: str, path: Path, python: str) -> None:
    """Print the speed of jaxlib's own parser on the same text."""
    done = subprocess.run([python, "-c", BINDINGS, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{label:44} jaxlib: {done.stderr.strip().splitlines()[-1][:120]}")
    else:
        print(f"{label:44} jaxlib: {path.stat().st_size / 1e6 / float(done.stdout):.1f} MB/s")


def main() -> None:
    """Print a row for each dump, or for each size of written program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dumps", nargs="*", type=Path)
    parser.add_argument("--megabytes", nargs="*", type=int, default=[8, 64])
    parser.add_argument("--toolchain-python", default="")
    parser.add_argument("--measure", type=Path)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure)
        return
    for dump in arguments.dumps:
        report(f"dump {dump.name or dump}", dump)
        for text in sorted(dump.rglob("*.after_optimizations.txt"))[:1]:
            report(f"HLO text of {dump.name or dump}", text)
            if arguments.toolchain_python:
                report_bindings(f"HLO text of {dump.name or dump}", text, arguments.toolchain_python)
    if not arguments.dumps:
        with tempfile.TemporaryDirectory() as folder:
            for size in arguments.megabytes:
                for unrolled in (True, False):
                    path = Path(folder) / "program.hlo.txt"
                    write_program(path, size * 10**6, unrolled=unrolled)
                    report(f"{'one computation' if unrolled else 'many computations'}, {size} MB", path)


if __name__ == "__main__":
    main()
