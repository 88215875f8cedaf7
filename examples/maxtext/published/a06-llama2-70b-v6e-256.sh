#!/usr/bin/env bash
# Published launch A06: llama2-70b-v6e-256
# Source: tpu-recipes training/trillium/Llama2-70B-MaxText
# Published: 9.052 s/step, 402.274 TFLOP/s/device (jax 0.5.2)

flags="\
  --xla_tpu_scoped_vmem_limit_kib=98304 \
  --xla_tpu_enable_async_collective_fusion=true \
  --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true \
  --xla_tpu_enable_async_collective_fusion_multiple_steps=true \
  --xla_tpu_overlap_compute_collective_tc=true \
  --xla_enable_async_all_gather=true \
  --xla_tpu_enable_async_collective_fusion_fuse_all_reduce=false \
  --xla_tpu_enable_sparse_core_collective_offload_all_reduce=true \
  --xla_tpu_enable_all_reduce_offload_tracing=true \
  --xla_tpu_use_tc_device_shape_on_sc=true \
  --xla_sc_enable_instruction_fusion=false \
  --xla_sc_disjoint_spmem=false \
  --xla_sc_disable_megacore_partitioning=true"

arguments="\
  model_name=llama2-70b \
  per_device_batch_size=3 \
  ici_fsdp_parallelism=1 \
  ici_fsdp_transpose_parallelism=-1 \
  ici_tensor_parallelism=1 \
  remat_policy=qkv_proj_offloaded \
  max_target_length=4096 \
  gcs_metrics=True \
  sa_block_q=1024 \
  sa_block_q_dkv=2048 \
  sa_block_q_dq=2048 \
  dataset_type=synthetic \
  dataset_path=gs://max-datasets-rogue \
  enable_checkpointing=False \
  use_iota_embed=True \
  attention=flash \
  profiler=xplane"

xpk workload create \
  --device-type=v6e-256 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
