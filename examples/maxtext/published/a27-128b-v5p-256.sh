#!/usr/bin/env bash
# Published launch A27: 128b-v5p-256
# Source: maxtext src/maxtext/configs/tpu/v5p/128b.sh
# Published: 315 TFLOP/s/device, 68.68% MFU

flags="\
  --xla_tpu_enable_async_collective_fusion=true \
  --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true \
  --xla_tpu_enable_async_collective_fusion_multiple_steps=true \
  --xla_tpu_overlap_compute_collective_tc=true \
  --xla_enable_async_all_gather=true \
  --xla_tpu_megacore_fusion_allow_ags=false \
  --xla_enable_async_collective_permute=true \
  --xla_tpu_enable_ag_backward_pipelining=true \
  --xla_tpu_enable_data_parallel_all_reduce_opt=true \
  --xla_tpu_data_parallel_opt_different_sized_ops=true"

arguments="\
  steps=15 \
  per_device_batch_size=1 \
  enable_checkpointing=false \
  remat_policy=minimal \
  global_parameter_scale=128 \
  ici_fsdp_parallelism=-1 \
  ici_tensor_parallelism=8 \
  max_target_length=2048 \
  use_iota_embed=true \
  reuse_example_batch=1 \
  dataset_type=synthetic \
  gcs_metrics=true \
  attention=flash \
  quantization="

xpk workload create \
  --device-type=v5p-256 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
