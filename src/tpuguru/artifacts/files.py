"""Finding the artifacts of one program: in an XLA dump, a run, a virtual slice's record, or one file."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from tpuguru.base.errors import NothingToCheckError, UsageError

# Role → file name endings, best first. The rest of the name before the ending identifies the module.
_ENDINGS: dict[str, tuple[str, ...]] = {
    "optimised": (
        ".after_optimizations.txt",
        ".after_optimizations_after_buffer_assignment.txt",
        ".after_codegen.txt",
        ".after_optimizations_before_buffer_assignment.txt",
        ".cpu_after_optimizations.txt",
        ".gpu_after_optimizations.txt",
        ".optimized.hlo.txt",
        ".hlo.txt",
    ),
    "oom-intermediate": (".oom_intermediate_module.txt",),
    "before": (".before_optimizations.txt",),
    "buffer-assignment": (".after_optimizations-buffer-assignment.txt", "-buffer-assignment.txt"),
    "live-range": (".after_optimizations-live-range.txt",),
    "memory-usage": (".after_optimizations-memory-usage-report.txt",),
    "flagfile": (".flagfile",),
    "environment": (".tpu_comp_env.txt",),
    "execution-options": (".execution_options.txt",),
    "target": (".target_arguments.txt",),
    "transfers": (".transfer_stats.txt",),
    "optimised-proto": (
        ".after_optimizations.hlo.pb",
        ".after_codegen.hlo.pb",
        ".oom_intermediate_module.hlo.pb",
        ".hlo.pb",
    ),
    "stablehlo": (".stablehlo.mlir", ".mlir"),
    "program-bytecode": (".program", ".stablehlo.mlirbc", ".mlirbc"),
    "codegen": (".after_codegen.txt", ".after_codegen.hlo.pb"),
}
_SLICE_FILES = {
    "optimised": "optimized_hlo.txt",
    "optimised-proto": "module.hlo.pb",
    "stablehlo": "program.mlir",
    "program-bytecode": "program.mlirbc",
    "slice-facts": "facts.json",
}
_MOST_FILES = 200_000
_SUBFOLDERS = ("dump", "logs")


@dataclass(slots=True)
class Artifacts:
    """The files of one program by role; ``others`` names the other programs in the folder."""

    root: Path
    kind: str
    module: str
    by_role: dict[str, Path] = field(default_factory=dict)
    others: tuple[str, ...] = ()

    def path(self, role: str) -> Path | None:
        """Return the file of a role, or None."""
        return self.by_role.get(role)


def find_artifacts(root: Path, module: str | None = None) -> Artifacts:
    """Find the program to read: the one named ``module``, else the one with the largest optimised HLO.

    Raises UsageError when the folder does not exist, NothingToCheckError when it holds no artifact.
    """
    if root.is_file():
        return _single(root)
    if not root.is_dir():
        raise UsageError(f"there is no folder or file {root}")
    # A slice's folders hold protos too, whose names would make dumps of them.
    modules = _slice_programs(root) or _modules(_walk(root)) or _modules(_files_in(root / "program"))
    if not modules:
        raise NothingToCheckError(
            f"no compiler artifact in {root}",
            help="give the folder that --xla_dump_to named (with --xla_dump_hlo_as_text), or a run id",
        )
    chosen = _choose(modules, module, root)
    kind = "slice" if "slice-facts" in modules[chosen] else "dump"
    found = Artifacts(root, kind, chosen, modules[chosen])
    found.others = tuple(sorted(name for name in modules if name != chosen))
    _add_run_files(root, found)
    return found


def _single(path: Path) -> Artifacts:
    with path.open("rb") as file:
        head = file.read(4096)
    if head.startswith(b"HloModule"):
        return Artifacts(path, "text", path.name, {"optimised": path})
    if b"stablehlo" in head or b"module @" in head or head.startswith(b"#loc"):
        return Artifacts(path, "text", path.name, {"stablehlo": path})
    raise NothingToCheckError(
        f"{path} is neither HLO text nor StableHLO text",
        help="an .hlo.pb file needs the folder that it is in, and --toolchain to read it",
    )


def _walk(root: Path) -> Iterator[Path]:
    """Yield files of the folder and of the places where dumps and runs keep them, not deeper."""
    folders = [root, *(root / name for name in _SUBFOLDERS)]
    entries = chain.from_iterable(folder.iterdir() for folder in folders if folder.is_dir())
    for entry in islice(entries, _MOST_FILES):
        if entry.is_file():
            yield entry
        elif entry.name.startswith("module_") and (entry / "module.mlir").is_file():
            yield entry / "module.mlir"


def _files_in(folder: Path) -> Iterator[Path]:
    return (entry for entry in folder.iterdir() if entry.is_file()) if folder.is_dir() else iter(())


def _slice_programs(root: Path) -> dict[str, dict[str, Path]]:
    """Programs that a virtual slice recorded: a folder each, under ``programs/`` or the root itself."""
    folders = list(islice((root / "programs").iterdir(), _MOST_FILES)) if (root / "programs").is_dir() else []
    found: dict[str, dict[str, Path]] = {}
    for folder in [root, *folders]:
        roles = {role: folder / name for role, name in _SLICE_FILES.items() if (folder / name).is_file()}
        if "slice-facts" in roles or (folder != root and _programs(roles)):
            found[folder.name] = roles
    return found


def _modules(paths: Iterable[Path]) -> dict[str, dict[str, Path]]:
    ranked: dict[str, dict[str, tuple[int, Path]]] = defaultdict(dict)
    for path in paths:
        for module, role, rank in _roles(path):
            best = ranked[module].get(role)
            if best is None or rank < best[0]:
                ranked[module][role] = (rank, path)
    found = {module: {role: path for role, (_, path) in roles.items()} for module, roles in ranked.items()}
    return {module: roles for module, roles in found.items() if _programs(roles)}


def _programs(roles: dict[str, Path]) -> bool:
    wanted = ("optimised", "oom-intermediate", "before", "optimised-proto", "stablehlo", "program-bytecode")
    return any(role in roles for role in (*wanted, "buffer-assignment"))


def _roles(path: Path) -> Iterator[tuple[str, str, int]]:
    if path.name == "module.mlir":
        yield path.parent.name, "stablehlo", 0
        return
    for role, endings in _ENDINGS.items():
        for rank, ending in enumerate(endings):
            if path.name.endswith(ending) and len(path.name) > len(ending):
                yield path.name[: -len(ending)], role, rank
                break


def _choose(modules: dict[str, dict[str, Path]], wanted: str | None, root: Path) -> str:
    if wanted is None:
        return max(modules, key=lambda name: _weight(modules, name))
    matching = [name for name in modules if wanted in (name, _program_name(name))] or [
        name for name in modules if wanted in name
    ]
    if not matching:
        names = ", ".join(sorted({_program_name(name) for name in modules})[:20])
        raise NothingToCheckError(f"no program {wanted!r} in {root}", help=f"it holds: {names}")
    return max(matching, key=lambda name: _weight(modules, name))


def _weight(modules: dict[str, dict[str, Path]], name: str) -> tuple[int, str]:
    return _size(modules[name]), name


def _size(roles: dict[str, Path]) -> int:
    for role in ("optimised", "oom-intermediate", "optimised-proto", "before", "stablehlo"):
        if role in roles:
            return roles[role].stat().st_size
    return 0


def _program_name(module: str) -> str:
    """``module_0000.jit_train_step.cl_1014260217`` → ``jit_train_step``."""
    return re.sub(r"^module_\d+\.|\.cl_\d+$", "", module)


def _add_run_files(root: Path, found: Artifacts) -> None:
    """Add what a run keeps beside the dump, whatever its files are called after."""
    if root.name == "dump" and (root.parent / "record.json").is_file():
        root = root.parent
    program = root / "program"
    candidates = {
        "stablehlo": sorted(program.glob("*.stablehlo.mlir")) if program.is_dir() else [],
        "run-record": [root / "record.json"],
        "run-job": [root / "job.json"],
        "log": [root / "logs" / "worker.err", root / "logs" / "worker.out", root / "log.txt"],
    }
    for role, paths in candidates.items():
        path = next((path for path in paths if path.is_file()), None)
        if path:
            found.by_role[role] = path
    if found.path("run-record"):
        found.kind = "run"
        optimised = sorted(program.glob("*.optimized.hlo.txt")) if program.is_dir() else []
        if optimised and not {"optimised", "oom-intermediate"} & found.by_role.keys():
            found.by_role["optimised"] = optimised[0]
