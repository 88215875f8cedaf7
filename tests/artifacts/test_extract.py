"""From a dump folder to an extract: figures, code path, collectives, flags, and what is missing."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tpuguru.artifacts.extract import extract_folder
from tpuguru.artifacts.model import Extract
from tpuguru.artifacts.request import ExtractRequest, MeshAxis
from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.report.contracts.extract import from_json, to_contract, to_json
from tpuguru.report.extract import extract_text

STEP = Path(__file__).parent / "fixtures" / "step"
FLAGS = {
    "xla_tpu_scoped_vmem_limit_kib": "65536",
    "xla_enable_async_all_gather": "true",
    "xla_gone": "1",
    "xla_tpu_enable_fast_thing": "1",
}
OOM = (
    "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory"
    " required for HLO temporaries (31.62G) exceeds available HBM (31.24G). HLO module: jit_step.\n"
)


@pytest.fixture(scope="module")
def step() -> Extract:
    """The extract of the hand-written step."""
    return extract_folder(STEP, ExtractRequest(requested_flags=FLAGS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the step's dump that a test may damage."""
    return Path(shutil.copytree(STEP, tmp_path / "dump"))


def file_of(folder: Path, ending: str) -> Path:
    """Return the one file of the dump with this ending."""
    (path,) = folder.glob(f"*{ending}")
    return path


def test_memory_figures(step: Extract) -> None:
    """The totals follow from the allocations; the fit figure subtracts what is aliased."""
    memory = step.memory
    assert (memory.argument_bytes, memory.temporary_bytes) == (64 + 2 * 32768, 180224)
    assert (memory.output_bytes, memory.alias_bytes) == (32768 + 4, 32768)
    assert memory.fit_bytes == 64 + 2 * 32768 + 180224 + 4
    assert memory.host_temporary_bytes == 8192
    assert memory.limit_from == "chip data of v6e"
    assert memory.headroom_bytes == (memory.limit_bytes or 0) - memory.fit_bytes
    assert {space.space: space.bytes for space in memory.spaces}["vmem"] == 1024


def test_timeline_counts_shared_places_once(step: Extract) -> None:
    """Values that follow each other at one place count once; inputs and outputs are there throughout."""
    curve = step.memory.timeline
    assert curve is not None
    resident = 64 + 2 * 32768 + 4
    assert [point.bytes - resident for point in curve.points] == [
        0, 0, 4096, 4096, 4096 + 65536, 4096 + 65536 + 16384, 4096 + 16384, 4096 + 131072, 131072,
    ]  # fmt: skip
    assert (curve.peak_at, curve.peak_instruction) == (7, "gradient")
    assert step.memory.peak_live_bytes == resident + 4096 + 131072


def test_buffers_at_the_peak(step: Extract) -> None:
    """The peak lists what lives then, biggest first, with padding, op name and source line."""
    names = [buffer.name for buffer in step.memory.largest]
    assert names[0] == "gradient"
    assert "gather.call-done.1" not in names  # dead before the peak
    state = next(buffer for buffer in step.memory.largest if buffer.name == "while.1{1}")
    assert (state.bytes, state.logical_bytes, state.padding_bytes) == (4096, 2048, 2048)
    assert (state.op_name, state.source_file, state.source_line) == ("jit(step)/while", "/src/train.py", 10)
    weights = next(buffer for buffer in step.memory.largest if buffer.parameter_number == 1)
    assert weights.op_name == "params['w']"


def test_inputs(step: Extract) -> None:
    """Replicated inputs and donations that came to nothing are found by comparing with the StableHLO."""
    assert [buffer.name for buffer in step.memory.parameters.replicated] == ["moe.expert_scale"]
    assert step.memory.parameters.dtype_bytes == {"f32": 65536, "s32": 64}
    donation = step.memory.donation
    assert [buffer.parameter_number for buffer in donation.not_aliased] == [2]
    assert (donation.donated_bytes, donation.aliased_parameters) == (65536, 1)


def test_kernels(step: Extract) -> None:
    """Kernels have their family, trips included, and the settings they really run with."""
    path = step.code_path
    assert (path.attention, path.moe) == ("splash", "megablox")
    kernels = {kernel.name: kernel for kernel in path.kernels}
    assert kernels["splash_mha_fwd"].settings == {
        "block_q": 512,
        "block_kv": 1024,
        "use_fused_bwd_kernel": True,
        "tiling.tile_m": 8,
    }
    assert (kernels["splash_mha_fwd"].instances, kernels["splash_mha_fwd"].executions_per_step) == (1, 4)
    assert kernels["splash_mha_fwd"].flops == 1000
    assert kernels["gmm"].operand_dtypes == ("bf16",)


def test_dots_and_remat(step: Extract) -> None:
    """Dots are counted by type with loop trips; recomputation is a share of dot and kernel FLOPs."""
    dots, flops = step.code_path.dots, 2 * 16 * 64 * 512 * 4
    assert {(dot.lhs, dot.rhs): dot.flops for dot in dots.optimised} == {
        ("bf16", "bf16"): flops,
        ("s8", "s8"): flops,
    }
    assert dots.int8_flops_share == 0.5
    assert dots.stablehlo is not None
    assert {(dot.lhs, dot.rhs, dot.out) for dot in dots.stablehlo} == {
        ("bf16", "bf16", "bf16"),
        ("s8", "s8", "s32"),
        ("f8e5m2", "f8e4m3fn", "bf16"),
    }
    remat = step.code_path.remat
    assert (remat.recomputed_flops, remat.total_flops) == (flops, 2 * flops + 4000)


def test_host_offload(step: Extract) -> None:
    """What is annotated, what stays in host memory, what comes back whole, and the traffic of a step."""
    host = step.code_path.host_offload
    assert (host.annotated, host.kept_buffers, host.kept_bytes) == (1, 1, 8192)
    assert [(copy.shape, copy.bytes) for copy in host.copied_back] == [("bf16[4,16,64]", 8192)]
    assert host.device_to_host_bytes_per_step == 4 * 2048
    assert host.host_to_device_bytes_per_step == 8192
    assert "offloaded stack copied back to the device whole" in {
        item.what for item in step.code_path.fallbacks
    }


def test_collectives(step: Extract) -> None:
    """Each collective has its axes, network, mechanism, payload and executions."""
    found = {item.kind: item for item in step.collectives.run}
    gather = found["all-gather"]
    assert (gather.axes, gather.mechanism, gather.asynchronous) == (("fsdp", "expert"), "call-start", True)
    assert (gather.bytes, gather.bytes_per_step, gather.executions_per_step) == (65536, 4 * 65536, 4)
    assert gather.on_sparsecore
    assert gather.from_partitioner
    assert (found["reduce-scatter"].axes, found["reduce-scatter"].mechanism) == (("fsdp",), "fusion")
    assert (found["ragged-all-to-all"].axes, found["ragged-all-to-all"].bytes) == (("expert",), 2048)
    assert (found["collective-permute"].axes, found["collective-permute"].mechanism) == (
        ("fsdp",),
        "start-done",
    )
    assert found["collective-permute"].bytes == 2048
    assert {item.kind: item.count for item in step.collectives.asked or ()} == {
        "all-gather": 1,
        "ragged-all-to-all": 1,
    }
    assert step.collectives.bytes_per_step == sum(item.bytes_per_step for item in step.collectives.run)


def test_flags(step: Extract) -> None:
    """tpu_comp_env says what was used; a flag in neither file is absent; spellings of true agree."""
    status = {check.name: check.status for check in step.flags.requested}
    assert status == {
        "xla_tpu_scoped_vmem_limit_kib": "same",
        "xla_enable_async_all_gather": "different",
        "xla_gone": "absent",
        "xla_tpu_enable_fast_thing": "same",
    }
    assert step.flags.notable == {"xla_tpu_scoped_vmem_limit_kib": "65536 (default -1)"}


def test_everything_told_means_nothing_missing(step: Extract) -> None:
    """A whole dump leaves nothing unsaid."""
    assert step.missing == ()


def test_given_statistics_win() -> None:
    """CompiledMemoryStats are the compiler's own figures and are taken as they are."""
    stats = {
        "argument_size_in_bytes": 10,
        "temp_size_in_bytes": 20,
        "output_size_in_bytes": 5,
        "alias_size_in_bytes": 4,
    }
    extract = extract_folder(STEP, ExtractRequest(memory_stats=stats, hbm_limit_bytes=40))
    assert (extract.memory.fit_bytes, extract.memory.headroom_bytes) == (31, 9)
    assert extract.memory.figures_from == "compiled memory stats"
    assert extract.outcome.status == "compiled"


def test_out_of_memory(folder: Path, tmp_path: Path) -> None:
    """An out-of-memory compile is explained from its intermediate module and message."""
    optimised = file_of(folder, ".after_optimizations.txt")
    optimised.rename(folder / optimised.name.replace("after_optimizations", "oom_intermediate_module"))
    log = tmp_path / "log"
    log.write_text(OOM)
    extract = extract_folder(folder, ExtractRequest(log=log))
    assert (extract.outcome.status, extract.program.stage) == ("out-of-memory", "oom-intermediate")
    error = extract.outcome.error
    assert error is not None
    assert (error.code, error.name, error.space) == ("E1000", "CompileTimeHbmOom", "hbm")
    assert error.exceeded_bytes == round(31.62 * 2**30) - round(31.24 * 2**30)
    assert extract.memory.limit_bytes == pytest.approx(31.24 * 2**30, rel=0.001)
    assert extract.memory.largest[0].name == "gradient"


def test_given_mesh_names_the_axes() -> None:
    """A mesh from the caller wins over the one in the program."""
    mesh = (MeshAxis("rows", 2), MeshAxis("columns", 2))
    extract = extract_folder(STEP, ExtractRequest(mesh=mesh))
    axes = {item.kind: item.axes for item in extract.collectives.run}
    assert axes["reduce-scatter"] == ("rows",)
    assert axes["all-reduce"] == ("rows", "columns")


@pytest.mark.parametrize(
    ("ending", "lost"),
    [
        ("-buffer-assignment.txt", "buffers at the peak, padding, memory spaces"),
        ("-live-range.txt", "live memory over the schedule, which buffers are live at the peak"),
        (".flagfile", "compiler flags in force"),
        (".execution_options.txt", "partitions and device order"),
        (".target_arguments.txt", "the chip compiled for"),
        (".after_optimizations.txt", "the optimised HLO"),
    ],
)
def test_each_absent_file_is_named(folder: Path, ending: str, lost: str) -> None:
    """Taking one file away costs what it tells and nothing else."""
    file_of(folder, ending).unlink()
    extract = extract_folder(folder)
    assert lost in {item.what for item in extract.missing}
    assert extract.program.name


def test_without_optimised_hlo_what_was_asked_remains(folder: Path) -> None:
    """With StableHLO alone the code path is unknown, but what the program asks for is told."""
    file_of(folder, ".after_optimizations.txt").unlink()
    extract = extract_folder(folder)
    assert extract.code_path.attention == "unknown"
    assert extract.code_path.host_offload.annotated == 1
    assert extract.collectives.asked


@pytest.mark.parametrize("ending", ["-buffer-assignment.txt", ".after_optimizations.txt", "-live-range.txt"])
def test_cut_files_give_a_partial_extract(folder: Path, ending: str) -> None:
    """A file that ends in the middle of a line gives the part before, and the cut is named where it matters."""
    path = file_of(folder, ending)
    path.write_bytes(path.read_bytes()[:-40])
    extract = extract_folder(folder)
    assert extract.memory.fit_bytes is not None
    if ending != "-live-range.txt":
        assert extract.missing


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_never_crash(folder: Path, data: st.DataObject) -> None:
    """Any byte string written over any place of any file still gives an extract."""
    victim = data.draw(st.sampled_from(sorted(path for path in STEP.rglob("*") if path.is_file())))
    original = victim.read_bytes()
    start = data.draw(st.integers(0, max(0, len(original) - 1)))
    damage = data.draw(st.binary(max_size=60))
    target = folder / victim.relative_to(STEP)
    target.write_bytes(original[:start] + damage + original[start + len(damage) :])
    extract = extract_folder(folder)
    target.write_bytes(original)
    assert replace(extract, missing=()).program.slices >= 1


def test_nothing_to_read(tmp_path: Path) -> None:
    """An empty folder and a file that is no HLO are nothing to check, a path that is not there is wrong use."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    for path in (tmp_path / "empty", tmp_path / "notes.txt"):
        with pytest.raises(NothingToCheckError):
            extract_folder(path)
    with pytest.raises(UsageError):
        extract_folder(tmp_path / "gone")


def test_one_hlo_file_is_enough() -> None:
    """HLO text of any framework can be read on its own."""
    extract = extract_folder(file_of(STEP, ".after_optimizations.txt"))
    assert extract.source.kind == "text"
    assert extract.code_path.attention == "splash"
    assert extract.program.mesh_from == "HLO"


def test_several_programs(folder: Path) -> None:
    """The largest program is read unless one is named; a name that is not there lists those that are."""
    small = folder / "module_0002.jit_init.cl_1.after_optimizations.txt"
    small.write_text(
        "HloModule jit_init\n\nENTRY %e (p: f32[2]) -> f32[2] {\n  ROOT %p = f32[2]{0} parameter(0)\n}\n"
    )
    assert extract_folder(folder).program.name == "jit_step"
    assert extract_folder(folder, ExtractRequest(module="jit_init")).program.name == "jit_init"
    with pytest.raises(NothingToCheckError) as error:
        extract_folder(folder, ExtractRequest(module="jit_other"))
    assert "jit_init, jit_step" in (error.value.help or "")


def test_bytecode_needs_a_toolchain(folder: Path) -> None:
    """StableHLO as MLIR bytecode is not mistaken for text."""
    (folder / "module_0001.jit_step.cl_1" / "module.mlir").write_bytes(b"ML\xefR\r\x04")
    extract = extract_folder(folder)
    assert "what the program asked for (StableHLO)" in {item.what for item in extract.missing}


def test_slice_record(tmp_path: Path) -> None:
    """A virtual slice's program folder is read like a dump, with its statistics and seconds."""
    program = tmp_path / "programs" / "abc123"
    program.mkdir(parents=True)
    shutil.copy(file_of(STEP, ".after_optimizations.txt"), program / "optimized_hlo.txt")
    shutil.copy(STEP / "module_0001.jit_step.cl_1" / "module.mlir", program / "program.mlir")
    (program / "facts.json").write_text(
        '{"memory": {"argument": 7, "output": 3, "alias": 3, "temp": 4}, "compile_seconds": 2.5}'
    )
    extract = extract_folder(tmp_path)
    assert extract.source.kind == "slice"
    assert extract.memory.fit_bytes == 11
    assert [(phase.name, phase.seconds) for phase in extract.phases] == [("compile", 2.5)]
    assert extract.code_path.dots.stablehlo


def test_run_folder(tmp_path: Path) -> None:
    """A stored run brings its statistics, mesh, flags, seconds and failure."""
    shutil.copytree(STEP, tmp_path / "dump")
    (tmp_path / "record.json").write_text(
        '{"slices": 1, "mesh": {"x": 2, "y": 2}, "phases": [{"name": "compile", "seconds": 3.0}],'
        ' "memory": {"argument": 1, "output": 0, "alias": 0, "temporary": 2},'
        ' "failure": {"kind": "vmem-oom", "code": "E1001", "message": "E1001: CompileTimeScopedVmemOom: Ran out of memory in'
        ' memory space vmem while allocating on stack for %gmm.1 = bf16[8]{0} custom-call(%a), x={y=\\"z\\"}. Scoped'
        ' allocation with size 45.54M and limit 32.00M exceeded scoped vmem limit by 13.54M."}}'
    )
    (tmp_path / "job.json").write_text(
        '{"flags": {"libtpu_init_args": ["--xla_gone=1"], "xla_flags": ["--xla_step_only"]}}'
    )
    for folder in (tmp_path, tmp_path / "dump"):
        extract = extract_folder(folder)
        assert extract.memory.fit_bytes == 3
        assert extract.program.mesh == (("x", 2), ("y", 2))
        assert {check.name: check.status for check in extract.flags.requested} == {
            "xla_gone": "absent",
            "xla_step_only": "same",
        }
        error = extract.outcome.error
        assert error is not None
        assert (error.code, error.space, error.kernel) == ("E1001", "vmem", "gmm.1")
        assert error.exceeded_bytes == round(13.54 * 2**20)
        assert "custom-call" not in error.message


def test_figures_of_any_size(tmp_path: Path) -> None:
    """Shapes, windows, groups and sizes beyond any machine give a report that can be written."""
    nines = "9" * 300
    (tmp_path / "m.jit_x.cl_1.after_optimizations.txt").write_text(
        "HloModule x\n\nENTRY %e (p: f32[]) -> f32[] {\n"
        f"  %a = f32[{nines}]{{0}} parameter(0)\n"
        f"  %c = f32[4]{{0}} dot(%a, %a), lhs_contracting_dims={{0}}\n"
        f"  %d = f32[1,{nines},1] convolution(%a, %a), window={{size={nines}}}, dim_labels=b0f_0io->b0f\n"
        f"  %g = f32[4]{{0}} all-gather(%a), replica_groups=[{nines},8]<=[{nines}8]\n"
        f"  ROOT %h = f32[4]{{0}} all-gather(%a), replica_groups=mesh['a'={nines}] {{'a'}}\n}}\n"
    )
    (tmp_path / "m.jit_x.cl_1.after_optimizations-buffer-assignment.txt").write_text(
        f"allocation 0: size {nines}, page 0, preallocated-temp:\n"
        f" value: <1 c @0> (size={nines},offset={nines}): f32[4]{{0}}\n"
    )
    extract = extract_folder(tmp_path)
    assert extract.memory.temporary_bytes == 2**62
    assert from_json(to_json(to_contract(extract))) == to_contract(extract)
    assert extract_text(extract)
