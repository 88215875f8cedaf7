#!/usr/bin/env bash
# Published launch A08: mixtral-8x7b-v6e-256
# Source: tpu-recipes training/trillium/Mixtral-8x7B-MaxText
# Published: 13.484 s/step, 302.311 TFLOP/s/device (jax 0.5.2)

flags="\
  --xla_tpu_scoped_vmem_limit_kib=81920 \
  --xla_tpu_enable_async_collective_fusion=true \
  --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true \
  --xla_tpu_enable_async_collective_fusion_multiple_steps=true \
  --xla_tpu_overlap_compute_collective_tc=true \
  --xla_enable_async_all_gather=true \
  --xla_tpu_enable_data_parallel_all_reduce_opt=true \
  --xla_tpu_data_parallel_opt_different_sized_ops=true"

arguments="\
  model_name=mixtral-8x7b \
  per_device_batch_size=12 \
  ici_fsdp_parallelism=-1 \
  max_target_length=4096 \
  remat_policy=custom \
  decoder_layer_input=offload \
  query_proj=offload \
  key_proj=offload \
  value_proj=offload \
  out_proj=offload \
  gcs_metrics=True \
  reuse_example_batch=1 \
  sa_block_q=2048 \
  sa_block_q_dkv=2048 \
  sa_block_q_dq=2048 \
  megablox=False \
  sparse_matmul=False \
  capacity_factor=1.25 \
  tokenizer_path=assets/tokenizer.mistral-v1 \
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
