#!/usr/bin/env bash
# Published launch A26: gemma4-26b-4k-bf16-tpu7x-4x4x4
# Source: tpu-recipes training/ironwood/gemma4-26b/4k-bf16-tpu7x-4x4x4
# Published: 5.54 s/step, 592.31 TFLOP/s per chip

flags="\
  --xla_tpu_scoped_vmem_limit_kib=65536 \
  --xla_tpu_bf16_emission_mode=NATIVE_EMISSION \
  --xla_tpu_enable_sparse_core_reduce_scatter_v2=true \
  --xla_tpu_enable_sparse_core_collective_offload_all_gather=true \
  --xla_tpu_enable_sparse_core_collective_offload_2d_all_gather=true \
  --xla_tpu_use_single_sparse_core_for_all_gather_offload=true \
  --xla_tpu_enable_sparse_core_collective_offload_all_reduce=true \
  --xla_tpu_enable_sparse_core_collective_offload_reduce_scatter=true \
  --xla_tpu_enable_sparse_core_collective_offload_3d_all_gather=true \
  --xla_tpu_enable_all_gather_offload_tracing=true \
  --xla_tpu_use_tc_device_shape_on_sc=True \
  --xla_sc_disable_megacore_partitioning=True \
  --xla_enable_async_all_gather=true \
  --xla_tpu_prefer_async_allgather_to_allreduce=true \
  --xla_tpu_enable_latency_hiding_layer_scheduler=true \
  --xla_tpu_scheduler_percent_shared_memory_limit=150 \
  --xla_tpu_enable_layer_scheduler_for_dependent_collectives=true \
  --xla_tpu_enable_sparse_core_collective_offload_nd_reduce_scatter=true \
  --xla_tpu_enable_sparse_core_collective_aggregator=true"

arguments="\
  model_name=gemma4-26b \
  skip_jax_distributed_system=True \
  dtype=bfloat16 \
  per_device_batch_size=16 \
  max_target_length=4096 \
  async_checkpointing=False \
  enable_checkpointing=False \
  use_iota_embed=True \
  num_vocab_tiling=1 \
  remat_policy=full \
  decoder_layer_input=offload \
  allow_split_physical_axes=True \
  ici_fsdp_transpose_parallelism=1 \
  ici_fsdp_parallelism=-1 \
  wi_tile_fwd_embed_dim=2816 \
  wi_tile_dlhs_embed_dim=2816 \
  wi_tile_drhs_embed_dim=2816 \
  wo_tile_fwd_embed_dim=2816 \
  wo_tile_dlhs_embed_dim=2816 \
  wo_tile_drhs_embed_dim=2816 \
  wi_tile_fwd_mlp_dim=704 \
  wi_tile_dlhs_mlp_dim=704 \
  wi_tile_drhs_mlp_dim=704 \
  wo_tile_fwd_mlp_dim=704 \
  wo_tile_dlhs_mlp_dim=704 \
  wo_tile_drhs_mlp_dim=704 \
  megablox=True \
  sparse_matmul=True \
  use_custom_sort_vjp=True \
  attention=flash \
  use_tokamax_splash=True \
  sa_use_fused_bwd_kernel=True \
  sa_block_q=1024 \
  sa_block_kv=1024 \
  sa_block_kv_compute=512 \
  sa_block_q_dkv=1024 \
  sa_block_kv_dkv=1024 \
  sa_block_kv_dkv_compute=256 \
  dataset_type=synthetic \
  opt_type=adamw \
  steps=30 \
  profiler=xplane"

xpk workload create \
  --device-type=tpu7x-4x4x4 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
