"""MaxText's own model files, read by us: the same counts as the published models."""

import subprocess

import pytest
import yaml
from tests.toolchain import toolchain_python

from tpuguru.models.known import KnownModel, known_models
from tpuguru.models.mapping import mapping_of
from tpuguru.models.maxtext import architecture_from_maxtext
from tpuguru.models.parameters import count_parameters

pytestmark = pytest.mark.toolchain

MAPPED = [model for model in known_models() if model.maxtext]


def maxtext_file(name: str) -> str:
    """Return a configuration file of the toolchain's MaxText package."""
    script = (
        f"import importlib.resources as r; print(r.files('maxtext').joinpath('configs/{name}').read_text())"
    )
    done = subprocess.run(
        [toolchain_python(), "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


@pytest.mark.parametrize("model", MAPPED, ids=lambda model: model.maxtext)
def test_the_mapped_name_is_the_same_model(model: KnownModel) -> None:
    """But for a padded vocabulary, MaxText's file of that name has every parameter of the published model."""
    theirs = architecture_from_maxtext(yaml.safe_load(maxtext_file(f"models/{model.maxtext}.yml")))
    ours = model.architecture
    tables = 1 if ours.tied_embeddings else 2
    padding = (theirs.vocabulary - ours.vocabulary) * ours.hidden * tables
    assert count_parameters(theirs).total - padding == count_parameters(ours).total
    assert abs(theirs.vocabulary - ours.vocabulary) <= 1024


def test_proposed_keys_and_blocks_exist() -> None:
    """Each key that a mapping proposes is a key of MaxText's base.yml."""
    base = yaml.safe_load(maxtext_file("base.yml"))
    for model in known_models():
        keys = {entry.key for entry in mapping_of(model.architecture).maxtext_keys}
        assert keys <= set(base), (model.name, keys - set(base))
