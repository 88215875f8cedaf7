"""Reports built by hand: one that does not fit, one that fits with a dead setting, one that is rejected."""

from tpuguru.report.contracts.check import (
    AxisRecord,
    BatchRecord,
    BufferRecord,
    CheckReport,
    CodePathRecord,
    CollectiveRecord,
    FlagRecord,
    InputRecord,
    KernelRecord,
    MemoryRecord,
    MeshRecord,
    RunRecordBrief,
    SettingRecord,
    StackRecord,
    TargetRecord,
    VerdictRecord,
    WhatIfRecord,
)
from tpuguru.report.contracts.common import (
    EvidenceRecord,
    Figure,
    FindingRecord,
    LocationRecord,
    NotChecked,
    SourceRecord,
    ToolRecord,
)

GIB = 2**30
TOOL = ToolRecord("tpuguru", "0.0.0")
INPUT = InputRecord("run.sh", "shell", "maxtext", "maxtext.trainers.pre_train.train")
TARGET = TargetRecord("v6e-8", "v6e", 1, 8, 8, 2, "option: --slice v6e-8")
STACK = StackRecord("maxtext==0.2.5", {"maxtext": "0.2.5", "jax": "0.12.0.1", "libtpu": "0.0.52"})
LOGITS = BufferRecord(
    "fusion.7", "temporary", 6 * GIB, "bf16[3,8192,128256]", "jit(train_step)/logits", "decoders.py:812"
)

DOES_NOT_FIT = CheckReport(
    TOOL,
    INPUT,
    VerdictRecord(
        "does_not_fit",
        "does not fit: the compiler needs 32.92 GiB of HBM for what it lays out, a device has 31.24 GiB: "
        "1.68 GiB too much; the largest buffer is bf16[3,8192,128256] (6.00 GiB)",
        "compile",
        code="E1000",
        message="RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM",
        need=Figure(32.92 * GIB, "bytes", "compiler: its error message"),
        limit=Figure(31.24 * GIB, "bytes", "compiler: its error message"),
        exceeded_by=Figure(1.68 * GIB, "bytes", "compiler: its error message"),
        dominated_by=(LOGITS,),
    ),
    target=TARGET,
    stack=STACK,
    filled_in=("compile_topology=v6e-8 compile_topology_num_slices=1 (option: --slice v6e-8)",),
    what_if=(
        WhatIfRecord("remat_policy=full", "hbm-oom", "hbm-oom: still too large"),
        WhatIfRecord("num_vocab_tiling=8", "fits", "fits, 27.10 GiB of 31.24 GiB per device"),
    ),
    memory=MemoryRecord(largest=(LOGITS,)),
    runs=(RunRecordBrief("0123456789abcdef", "failed", 9.5, False),),
    phases={"trace": 0.4, "lower": 0.5, "compile": 3.3},
    not_checked=(NotChecked("speed", "a compile has no clock"),),
)

FITS = CheckReport(
    TOOL,
    INPUT,
    VerdictRecord(
        "fits",
        "fits: 22.88 GiB per device of 31.24 GiB, headroom 8.36 GiB (27%)",
        "compile",
        need=Figure(22.88 * GIB, "bytes", "compiler: memory statistics"),
        limit=Figure(31.24 * GIB, "bytes", "hardware data"),
        headroom=Figure(8.36 * GIB, "bytes", "derived: limit - need"),
    ),
    target=TARGET,
    stack=STACK,
    settings=(
        SettingRecord("remat_policy", "full", "command", "live", "StableHLO with aaaa ≠ without bbbb"),
        SettingRecord(
            "decoder_layer_input",
            "offload",
            "command",
            "dead",
            "StableHLO with 81334efb2490 = without 81334efb2490",
            reason="the per-tensor remat keys are read only when remat_policy=custom",
            makes_live="remat_policy=custom",
            location=LocationRecord("run.sh", 4, 12),
        ),
        SettingRecord("max_target_length", "8192", "command", "overridden", "written again at run.sh:9:3"),
        SettingRecord("steps", "30", "command", "outside_program"),
        SettingRecord("attention", "autoselected", "command", "default"),
    ),
    findings=(
        FindingRecord(
            "R-T12",
            "remat-key-without-custom-policy",
            "Per-tensor remat keys do nothing unless remat_policy=custom",
            "warn",
            "mechanism",
            "silent-failure",
            "applies",
            setting="decoder_layer_input=offload",
            fix="remat_policy=custom",
            location=LocationRecord("run.sh", 4, 12),
            evidence=(EvidenceRecord("maxtext.remat.policy", "full", "command: run.sh:3:2"),),
            sources=(SourceRecord("MaxText", "https://github.com/AI-Hypercomputer/maxtext"),),
        ),
    ),
    mesh=MeshRecord((AxisRecord("fsdp", 8, 1),), ("ici_sequence_parallelism",)),
    batch=BatchRecord(
        Figure(8, "sequences", "derived from per_device_batch_size", "mechanism"),
        Figure(4, "sequences", "derived from per_device_batch_size", "mechanism"),
        Figure(32768, "tokens", "derived from per_device_batch_size", "mechanism"),
        "every step loads 8 sequences and trains on 4: 50.0% of the data is dropped without a word",
    ),
    code_path=CodePathRecord(
        "splash",
        "flash",
        kernels=(KernelRecord("splash_mha_fwd", "attention", 2, 56, "block_kv=512 block_q=512"),),
        dots="23 × bf16·bf16→bf16",
        remat="31% of the matrix FLOPs are recomputation",
        fallbacks=("ragged_dot instead of a grouped matmul: | * ` <b>",),
    ),
    collectives=(CollectiveRecord("fsdp", "all-gather", 22, 616, 3 * GIB, "ici"),),
    memory=MemoryRecord(
        argument=Figure(11.45 * GIB, "bytes", "compiler: memory statistics"),
        temporary=Figure(11.43 * GIB, "bytes", "compiler: memory statistics"),
        host=Figure(23.62 * GIB, "bytes", "compiler: memory statistics"),
        largest=(LOGITS,),
    ),
    flags=(
        FlagRecord("xla_tpu_scoped_vmem_limit_kib", "98304", "98304", "same"),
        FlagRecord("xla_tpu_old_flag", "true", None, "absent"),
    ),
    runs=(RunRecordBrief("0123456789abcdef", "succeeded", 283.3, True),),
    not_checked=(NotChecked("speed", "a compile has no clock"),),
)

REJECTED = CheckReport(
    TOOL,
    INPUT,
    VerdictRecord("rejected", "rejected: MaxText 0.2.5 has no key 'stepz'", "resolve"),
    target=TARGET,
    stack=StackRecord("maxtext==0.2.5"),
    findings=(
        FindingRecord(
            "maxtext/unknown-key",
            "unknown-key",
            "MaxText 0.2.5 has no key 'stepz'",
            "critical",
            "mechanism",
            "launch",
            "applies",
            setting="stepz=5",
            fix="did you mean steps?",
            location=LocationRecord("run.sh", 1, 9),
        ),
    ),
)

REPORTS = {"does-not-fit": DOES_NOT_FIT, "fits": FITS, "rejected": REJECTED}
