"""Whatever a launch says, linting ends in a whole report: random settings, junk values, comments, several launches."""

import json

import jsonschema
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.report.lint.pastes import ENTRY
from tests.report.lint.sarif_structure import SARIF

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.launch.reader import read_paste
from tpuguru.report.contracts.generate import schemas
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.outputs import FORMATS, View, renderer
from tpuguru.report.lint.report import lint_report
from tpuguru.report.lint.run import lint
from tpuguru.report.lint.settings import LintSettings
from tpuguru.rules.catalog import load_catalog

VALUES = {
    "model_name": ["llama3.1-8b", "qwen3-30b-a3b", "deepseek3-671b", "no-such-model"],
    "per_device_batch_size": ["1", "0.125", "1.3", "-4", "abc", "1e400", "1e300", "nan"],
    "max_target_length": ["64", "2048", "131072", "0", ""],
    "ici_fsdp_parallelism": ["-1", "8", "0", "64"],
    "ici_tensor_parallelism": ["1", "-1", "3", "16"],
    "ici_expert_parallelism": ["1", "4"],
    "ici_sequence_parallelism": ["2"],
    "dcn_data_parallelism": ["-1", "2"],
    "quantization": ["", "int8", "intmp", "fp8_full", "nonsense"],
    "use_qwix_quantization": ["True", "False", "maybe"],
    "remat_policy": ["full", "custom", "none", "ful"],
    "decoder_layer_input": ["offload", "device", "nowhere"],
    "mlpwo": ["offload"],
    "capacity_factor": ["1.25", "-1"],
    "sparse_matmul": ["True", "False"],
    "use_tokamax_gmm": ["True"],
    "attention": ["flash", "dot_product", "autoselected"],
    "num_vocab_tiling": ["3", "0"],
    "steps": ["10", "-1", "99999999999999999999"],
    "dataset_type": ["hf", "grain", "synthetic", "none"],
    "hf_path": ["allenai/c4", "$(rm -rf /)"],
    "compile_topology": ["v6e-8", "tpu7x-128", "v5p-128", "v99-3", "v6e-7"],
    "compile_topology_num_slices": ["1", "2", "0"],
    "grain_worker_count": ["4"],
    "no_such_key": ["1"],
}
SETTING = st.sampled_from(sorted(VALUES)).flatmap(
    lambda key: st.sampled_from(VALUES[key]).map(lambda value: f"{key}={value}")
)
COMMENT = st.sampled_from(
    [
        "",
        "# NOTE(x): on purpose",
        "# tpuguru: ignore[remat-key-without-custom-policy] why",
        "# tpuguru: ignore[] ][",
    ]
)
LINE = st.tuples(SETTING, COMMENT).map(lambda parts: f"  '{parts[0]}' {parts[1]}")
LAUNCH = st.lists(LINE, max_size=12).map(
    lambda lines: "\n".join(["A=(", *lines, ")", f'{ENTRY} "${{A[@]}}"'])
)


# A launch of a few lines needs no shrinking, which would take minutes.
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(st.lists(LAUNCH, min_size=1, max_size=2), st.sampled_from(["", "v6e-8", "tpu7x:2x2x1"]))
def test_any_launch_gives_a_whole_report_or_a_sentence(launches: list[str], slice_name: str) -> None:
    """Every format renders it, the machine formats are valid, and the counts agree."""
    text = "\n".join(["#!/bin/bash", *launches, ""])
    hardware = [("slice", slice_name)] if slice_name else []
    try:
        run = lint([read_paste(text, "run.sh")], load_catalog(), LintSettings(), hardware)
    except (UsageError, NothingToCheckError) as error:
        assert len(error.message.split("\n")) == 1  # noqa: PT017 - either outcome is right
        return
    report = lint_report(run)
    texts = {name: renderer(name)(report, Excerpts({"run.sh": text}), View()) for name in FORMATS}
    jsonschema.validate(json.loads(texts["sarif"]), SARIF)
    jsonschema.validate(json.loads(texts["json"]), json.loads(schemas()["findings.v1"]))
    counted = [one for one in report.findings if one.suppression is None and one.baseline == "new"]
    assert report.summary.critical + report.summary.warn + report.summary.info == len(counted)
    names = {finding.judged.finding.name for finding in run.findings}
    assert not {"ici-product-is-not-the-slice", "chips-taken-for-devices"} <= names or len(launches) > 1
