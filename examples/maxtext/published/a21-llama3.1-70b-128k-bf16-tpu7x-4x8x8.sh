#!/usr/bin/env bash
# Published launch A21: llama3.1-70b-128k-bf16-tpu7x-4x8x8
# Source: tpu-recipes training/ironwood/llama3.1-70b/128k-bf16-tpu7x-4x8x8
# Published: 34.02 s/step, 897.94 TFLOP/s per chip

flags="\
  --xla_tpu_scoped_vmem_limit_kib=65536 \
  --xla_tpu_bf16_emission_mode=NATIVE_EMISSION \
  --xla_tpu_enable_sparse_core_reduce_scatter_v2=true \
  --xla_tpu_enable_sparse_core_collective_offload_all_gather=true \
  --xla_tpu_enable_sparse_core_collective_offload_2d_all_gather=true \
  --xla_tpu_enable_all_gather_offload_tracing=true \
  --xla_tpu_use_tc_device_shape_on_sc=True \
  --xla_sc_disable_megacore_partitioning=True \
  --xla_tpu_enable_async_collective_fusion_fuse_all_gather=false \
  --xla_enable_async_all_gather=true \
  --xla_tpu_prefer_async_allgather_to_allreduce=true \
  --xla_tpu_enable_sparse_core_collective_offload_all_reduce=true \
  --xla_tpu_enable_sparse_core_collective_offload_reduce_scatter=true \
  --xla_tpu_enable_sparse_core_collective_offload_3d_all_gather=true \
  --xla_tpu_use_single_sparse_core_for_all_gather_offload=true"

arguments="\
  model_name=llama3.1-70b \
  skip_jax_distributed_system=True \
  dtype=bfloat16 \
  per_device_batch_size=0.125 \
  async_checkpointing=False \
  enable_checkpointing=False \
  use_iota_embed=True \
  remat_policy=custom \
  decoder_layer_input=device \
  context=device \
  query_proj=device \
  key_proj=device \
  value_proj=device \
  mlpwo=device \
  num_vocab_tiling=4 \
  ici_fsdp_parallelism=-1 \
  ici_context_parallelism=8 \
  dataset_type=synthetic \
  opt_type=adam_pax \
  sa_block_q=2048 \
  sa_block_kv=2048 \
  sa_block_kv_compute=512 \
  sa_block_q_dkv=1024 \
  sa_block_kv_dkv=4096 \
  sa_block_kv_dkv_compute=256 \
  sa_q_layout=SEQ_MINOR \
  sa_k_layout=HEAD_DIM_MINOR \
  sa_v_layout=SEQ_MINOR \
  sa_use_fused_bwd_kernel=True \
  dq_reduction_steps=3 \
  use_tokamax_splash=True \
  use_max_logit_estimate=30 \
  max_target_length=131072 \
  profiler=xplane \
  attention=flash \
  steps=30"

xpk workload create \
  --device-type=tpu7x-4x8x8 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
