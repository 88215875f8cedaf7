#!/usr/bin/env bash
# Train Qwen3 0.6B on four v6e chips. Four of the settings below do nothing; tpuguru check says which and why.
set -euo pipefail
run_name=${RUN_NAME:-qwen3-demo}

export LIBTPU_INIT_ARGS="--xla_tpu_scoped_vmem_limit_kib=49152"

xpk workload create \
  --cluster=demo --workload="${run_name}" \
  --device-type=v6e-4 --num-slices=1 \
  --command="python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml \
    run_name=${run_name} \
    model_name=qwen3-0.6b \
    per_device_batch_size=4 \
    max_target_length=4096 \
    max_target_length=2048 \
    ici_fsdp_parallelism=-1 \
    ici_sequence_parallelism=2 \
    attention=flash \
    remat_policy=full \
    decoder_layer_input=offload \
    capacity_factor=1.25 \
    dataset_type=synthetic \
    enable_checkpointing=False \
    steps=30"
