"""The published launches: each is read whole, its mesh matches its slice, and what MaxText refuses is known."""

from pathlib import Path

import pytest

from tpuguru.frameworks.maxtext.facts import derive
from tpuguru.frameworks.maxtext.resolve import static_resolve
from tpuguru.frameworks.registry import require_launches
from tpuguru.launch.model import Launch
from tpuguru.launch.reader import read_paste_file

FOLDER = Path(__file__).resolve().parents[3] / "examples/maxtext/published"
SCRIPTS = sorted(FOLDER.glob("*.sh"))
# Launches whose scripts name no scheduler and so no slice.
SLICES = {"a12": "v6e-8", "a14": "v5p-128", "a28": "v5e-256"}
# Written for a MaxText whose keys had other names.
REFUSED = {
    "a17": {"tile_batch_seq=512", "tile_embed_dim=1024", "tile_mlp_dim=1024"},
    "a24": {"fsdp_shard_on_exp=True"},
    "a25": {"fsdp_shard_on_exp=True"},
}


def read(script: Path) -> Launch:
    (launch,) = require_launches(read_paste_file(str(script)))
    return launch


def test_all_rows_are_there() -> None:
    """Twenty-eight published launches."""
    assert [script.stem[:3] for script in SCRIPTS] == [f"a{number:02}" for number in range(1, 29)]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_published_launch_is_read_whole(script: Path) -> None:
    """Every word of its arguments and every flag arrives, with a place in the script."""
    launch = read(script)
    text = script.read_text().replace("'", "")
    for setting in (*launch.settings, *launch.compiler_flags):
        assert isinstance(setting.text, str)
        assert f"{setting.key}={setting.text}" in text
        assert setting.location is not None
        assert setting.key in text.splitlines()[setting.location.line - 1]
    assert len(launch.compiler_flags) == text.count("--xla_")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_its_mesh_matches_its_slice(script: Path) -> None:
    """Authors get their products right; so must we, in devices, not chips or cores."""
    facts = derive(read(script), slice_name=SLICES.get(script.stem[:3], ""))
    assert facts.get("maxtext.mesh.ici_matches").value is True
    assert facts.get("maxtext.mesh.dcn_matches").value is True
    assert facts.get("maxtext.batch.divides").value is True


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_only_outgrown_keys_are_refused(script: Path) -> None:
    """No launch that MaxText accepts is refused by the tables."""
    findings = static_resolve(read(script)).findings
    assert {finding.setting for finding in findings} == REFUSED.get(script.stem[:3], set())
