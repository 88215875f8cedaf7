"""The largest arrays that a program makes, where no buffer assignment is there."""

from pathlib import Path

import pytest

from tpuguru.artifacts.extract import extract_folder
from tpuguru.artifacts.hlo.shapes import arrays_of
from tpuguru.artifacts.model import Extract

HLO = """\
HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[10,100]{1,0:T(8,128)})->f32[10,100]{1,0}}

FileNames
1 "/src/f.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%inside (p.1: f32[10,100]) -> f32[4096,4096] {
  %p.1 = f32[10,100]{1,0:T(8,128)} parameter(0)
  ROOT %copy.9 = f32[4096,4096]{1,0:T(8,128)} copy(%p.1)
}

ENTRY %main (p: f32[10,100]) -> f32[10,100] {
  %p = f32[10,100]{1,0:T(8,128)} parameter(0)
  %fusion.1 = f32[10,200]{1,0:T(8,128)} fusion(%p), kind=kLoop, calls=%inside, metadata={op_name="jit(f)/mul" stack_frame_id=1}
  %fusion.2 = f32[900,100]{1,0:T(8,128)S(1)} fusion(%p), kind=kLoop, calls=%inside
  ROOT %fusion.3 = f32[10,100]{1,0:T(8,128)} fusion(%fusion.1), kind=kLoop, calls=%inside
}
"""


@pytest.fixture
def extract(tmp_path: Path) -> Extract:
    """The extract of HLO text alone."""
    path = tmp_path / "f.hlo.txt"
    path.write_text(HLO, encoding="utf-8")
    return extract_folder(path)


def test_arrays_in_hbm_with_their_padding_and_place(extract: Extract) -> None:
    """Not what is computed inside a fusion, not what lies in VMEM, not the inputs."""
    made = [
        (each.name, each.bytes, each.padding_bytes, each.kind, each.op_name) for each in extract.memory.made
    ]
    assert made == [
        ("fusion.1", 16 * 256 * 4, 16 * 256 * 4 - 8000, "temporary", "jit(f)/mul"),
        ("fusion.3", 16 * 128 * 4, 16 * 128 * 4 - 4000, "output", ""),
    ]
    assert (extract.memory.made[0].source_file, extract.memory.made[0].source_line) == ("/src/f.py", 7)
    assert extract.memory.largest == ()


@pytest.mark.parametrize(
    ("shape", "padded"),
    [
        ("f32[10,100]{1,0:T(8,128)}", 16 * 128 * 4),
        ("f32[10,100]{0,1:T(8,128)}", 104 * 128 * 4),
        ("bf16[3,5,7]{2,1,0:T(8,128)(2,1)}", 3 * 8 * 128 * 2),
        ("f32[1000]{0:T(1024)}", 4096),
        ("s32[]{:T(128)}", 4),
        ("f32[6]{0:T(8,128)}", 8 * 128 * 4),
        ("f32[10,100]{1,0}", 4000),
        ("f32[10,100]", 4000),
    ],
)
def test_padding_follows_the_tile(shape: str, padded: int) -> None:
    """The most minor dimensions are rounded up to the first tile's sizes."""
    [array] = arrays_of(shape)
    assert array.padded_bytes == padded


def test_a_program_of_local_shapes_tells_nothing_about_replication(tmp_path: Path) -> None:
    """TorchTPU sends each device's own program: equal shapes before and after partitioning mean nothing."""
    folder = tmp_path / "programs" / "p"
    folder.mkdir(parents=True)
    (folder / "optimized_hlo.txt").write_text(HLO.replace("is_scheduled=true", "num_partitions=4"))
    mesh = 'sdy.mesh @mesh = <["x"=4]>\n'
    main = "func.func public @main(%arg0: tensor<10x100xf32>) -> (tensor<10x100xf32>) {\n"
    (folder / "facts.json").write_text('{"num_partitions": 4}')
    for text, replicated in ((main, None), (mesh + main, 4000)):
        (folder / "program.mlir").write_text("module @f {\n" + text + "%0 = stablehlo.sine %arg0\n}\n")
        assert extract_folder(tmp_path).memory.parameters.replicated_bytes == replicated


def test_a_recorded_program_is_read_as_text_though_its_proto_is_bigger(tmp_path: Path) -> None:
    """The proto beside it is no dump of another program."""
    (tmp_path / "optimized_hlo.txt").write_text(HLO)
    (tmp_path / "module.hlo.pb").write_bytes(b"x" * 100_000)
    (tmp_path / "facts.json").write_text("{}")
    assert extract_folder(tmp_path).program.name == "jit_f"
