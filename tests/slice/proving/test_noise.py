"""What differs from run to run by itself is set aside, where that can be done line by line."""

import hashlib
from pathlib import Path

from tpuguru.slice.proving.noise import Noise
from tpuguru.slice.proving.texts import ProgramText


def text_of(folder: Path, name: str, lines: list[str]) -> ProgramText:
    content = "\n".join(lines)
    digest = hashlib.sha256(content.encode()).hexdigest()
    path = folder / digest
    path.write_text(content, encoding="utf-8")
    return ProgramText(name, digest, path)


def test_a_line_that_differs_by_itself_does_not_count(tmp_path: Path) -> None:
    """A seed from the clock differs; with it set aside two runs are equal, and another change still shows."""
    body = [f"op {i}" for i in range(30)]
    one = text_of(tmp_path, "step", ["seed 1", *body])
    two = text_of(tmp_path, "step", ["seed 2", *body])
    changed = text_of(tmp_path, "step", ["seed 3", *body[:-1], "op 99"])
    noise = Noise()
    assert noise.identity(one) != noise.identity(two)
    assert noise.learn(one, two)
    assert noise.programs == ("step",)
    assert noise.identity(one) == noise.identity(two)
    assert noise.identity(one) != noise.identity(changed)
    other = text_of(tmp_path, "other", ["seed 4", *body])
    assert noise.identity(other) == other.identity


def test_programs_of_another_structure_cannot_be_compared(tmp_path: Path) -> None:
    """Another number of lines, or too many that differ: nothing is set aside."""
    one = text_of(tmp_path, "step", [f"op {i}" for i in range(30)])
    noise = Noise()
    assert not noise.learn(one, text_of(tmp_path, "step", [f"op {i}" for i in range(31)]))
    assert not noise.learn(one, text_of(tmp_path, "step", [f"op {i + i % 2}" for i in range(30)]))
    assert not noise.learn(ProgramText("step", "bytes"), ProgramText("step", "other bytes"))
    assert noise.programs == ()
