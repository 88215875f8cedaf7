#!/usr/bin/env bash
# Published launch A28: 128b-v5e-256
# Source: maxtext src/maxtext/configs/tpu/v5e/128b.sh
# Published: 110 TFLOP/s/device, 56.06% MFU

# Run on every host of v5e-256: tpuguru check --slice v5e-256 a28-128b-v5e-256.sh
export LIBTPU_INIT_ARGS="\
  --xla_tpu_enable_data_parallel_all_reduce_opt=true \
  --xla_tpu_data_parallel_opt_different_sized_ops=true \
  --xla_tpu_enable_async_collective_fusion=true \
  --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true \
  --xla_tpu_enable_async_collective_fusion_multiple_steps=true \
  --xla_tpu_overlap_compute_collective_tc=true \
  --xla_enable_async_all_gather=true"

python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml \
  steps=15 \
  per_device_batch_size=1 \
  enable_checkpointing=false \
  remat_policy=qkv_proj_offloaded \
  global_parameter_scale=128 \
  ici_fsdp_parallelism=16 \
  ici_tensor_parallelism=16 \
  max_target_length=2048 \
  use_iota_embed=true \
  reuse_example_batch=1 \
  dataset_type=synthetic \
  gcs_metrics=true \
  attention=flash \
  fused_qkv=True \
  fused_mlp=True
