#!/usr/bin/env bash
# Published launch A13: mixtral-8x22b-v6e-256
# Source: tpu-recipes training/trillium/Mixtral-8x22B-MaxText, maxtext benchmarks/maxtext_trillium_model_configs.py mixtral_8x22b_dropped
# Published: 24.706 s/step, 332.463 TFLOP/s/device (jaxlib 0.4.35)

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
  model_name=mixtral-8x22b \
  per_device_batch_size=8 \
  max_target_length=4096 \
  ici_fsdp_parallelism=64 \
  ici_expert_parallelism=4 \
  remat_policy=custom \
  decoder_layer_input=offload \
  out_proj=offload \
  query_proj=offload \
  key_proj=offload \
  value_proj=offload \
  attention=flash \
  gcs_metrics=True \
  use_iota_embed=True \
  dataset_path=gs://max-datasets-rogue \
  dataset_type=synthetic \
  reuse_example_batch=1 \
  enable_checkpointing=False \
  profiler=xplane \
  sa_block_q=2048 \
  sa_block_q_dkv=2048 \
  sa_block_q_dq=2048 \
  megablox=False \
  sparse_matmul=False \
  capacity_factor=1.25 \
  tokenizer_path=assets/tokenizer.mistral-v3 \
  dtype=bfloat16 \
  weight_dtype=bfloat16 \
  allow_split_physical_axes=True \
  custom_mesh=hybrid_ring_64x4"

xpk workload create \
  --device-type=v6e-256 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
