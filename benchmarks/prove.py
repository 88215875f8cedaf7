"""How long it takes to prove a published launch's settings, after the imports.

    python benchmarks/prove.py [--budget 120]

The launch is the Ironwood Llama-3.1-70B recipe (tpu7x, 64 chips): 30 settings. Needs the MaxText toolchain.
"""

import argparse
import os
import tempfile
from collections import Counter

from tpuguru.aot.job import AotJob, Target
from tpuguru.aot.proofs import prove

_SETTINGS = """
model_name=llama3.1-70b dtype=bfloat16 per_device_batch_size=2 use_iota_embed=True remat_policy=custom
decoder_layer_input=device context=device query_proj=device key_proj=device value_proj=device qkv_proj=device
ici_fsdp_parallelism=-1 opt_type=adamw mu_dtype=bfloat16 sa_block_q=2048 sa_block_kv=2048 sa_block_kv_compute=2048
sa_block_q_dkv=2048 sa_block_kv_dkv=2048 sa_block_kv_dkv_compute=2048 sa_q_layout=SEQ_MINOR sa_k_layout=SEQ_MINOR
sa_v_layout=HEAD_DIM_MINOR sa_use_fused_bwd_kernel=True use_tokamax_splash=True max_target_length=8192
attention=flash steps=30 skip_jax_distributed_system=True enable_checkpointing=False
"""


def main() -> None:
    """Prove once with an empty store, once again from it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=120.0)
    budget = parser.parse_args().budget
    words = [word.partition("=") for word in _SETTINGS.split()]
    job = AotJob("maxtext==0.2.5", Target("tpu7x-128"), tuple((key, value) for key, _, value in words))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        first = prove(job, budget_seconds=budget)
        again = prove(job, budget_seconds=budget)
    verdicts = Counter(str(proof.verdict) for proof in first.proofs)
    print(
        f"{len(first.proofs)} settings, {first.lowered} programs lowered, deterministic: {first.deterministic}"
    )
    print(f"imports {first.import_seconds:.1f} s, proving {first.seconds - first.import_seconds:.1f} s")
    print(f"again {again.seconds:.3f} s, {again.lowered} programs lowered")
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    for proof in first.proofs:
        print(f"  {proof.verdict:17} {proof.key}={proof.value}  {proof.reason[:90]}")


if __name__ == "__main__":
    main()
