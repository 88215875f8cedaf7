#!/usr/bin/env bash
# Published launch A09: gpt3-175b-bf16-v6e-256
# Source: tpu-recipes training/trillium/GPT3-175B-MaxText/bf16
# Published: 17.182 s/step, 384.891 TFLOP/s/device (jax 0.5.2)

flags="\
  --xla_tpu_scoped_vmem_limit_kib=98304 \
  --xla_tpu_enable_async_collective_fusion=true \
  --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true \
  --xla_tpu_enable_async_collective_fusion_multiple_steps=true \
  --xla_tpu_overlap_compute_collective_tc=true \
  --xla_enable_async_all_gather=true \
  --xla_tpu_enable_data_parallel_all_reduce_opt=true \
  --xla_tpu_data_parallel_opt_different_sized_ops=true \
  --xla_tpu_use_bundle_aware_cost_model_for_fusions=false"

arguments="\
  model_name=gpt3-175b \
  per_device_batch_size=3 \
  ici_fsdp_parallelism=-1 \
  remat_policy=full \
  gcs_metrics=True \
  reuse_example_batch=1 \
  sa_block_q=1024 \
  sa_block_q_dkv=2048 \
  sa_block_q_dq=2048 \
  dataset_type=synthetic \
  enable_checkpointing=False \
  use_iota_embed=True \
  attention=flash \
  profiler=xplane"

xpk workload create \
  --device-type=v6e-256 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
