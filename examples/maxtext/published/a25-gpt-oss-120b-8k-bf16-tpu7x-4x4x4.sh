#!/usr/bin/env bash
# Published launch A25: gpt-oss-120b-8k-bf16-tpu7x-4x4x4
# Source: tpu-recipes training/ironwood/gpt-oss-120b/8k-bf16-tpu7x-4x4x4
# Published: 17.10 s/step, 330.25 TFLOP/s per chip

flags="\
  --xla_tpu_scoped_vmem_limit_kib=65536 \
  --xla_tpu_impure_enable_packed_bf16_math_ops=true \
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
  --xla_tpu_use_single_sparse_core_for_all_gather_offload=true \
  --xla_tpu_enable_concurrent_sparse_core_offloading=true \
  --xla_max_concurrent_async_all_gathers=2 \
  --xla_max_concurrent_async_reduce_scatters=2 \
  --xla_tpu_aggressive_opt_barrier_removal=true \
  --xla_tpu_enable_offloading_gather_to_sparsecore=true \
  --xla_tpu_sparse_core_all_gather_latency_multiplier=1 \
  --xla_tpu_sparse_core_reduce_scatter_latency_multiplier=3 \
  --xla_tpu_enable_sparse_core_collective_aggregator=true \
  --xla_tpu_enable_latency_hiding_layer_scheduler=true \
  --xla_tpu_scheduler_percent_shared_memory_limit=150 \
  --xla_tpu_enable_layer_scheduler_for_dependent_collectives=true \
  --xla_tpu_enable_sparse_core_collective_offload_nd_reduce_scatter=true \
  --xla_tpu_pcie_bandwidth_multiplier=0.03 \
  --xla_tpu_enable_multi_compute_overlap_in_layer_scheduler=true"

arguments="\
  model_name=gpt-oss-120b \
  per_device_batch_size=10.0 \
  max_target_length=8192 \
  skip_jax_distributed_system=True \
  dtype=bfloat16 \
  weight_dtype=float32 \
  async_checkpointing=False \
  enable_checkpointing=False \
  use_custom_sort_vjp=True \
  fsdp_shard_on_exp=True \
  use_tokamax_gmm=True \
  use_random_routing=True \
  remat_policy=custom \
  decoder_layer_input=offload \
  mlpwo=offload \
  opt_type=adamw \
  steps=20 \
  megablox=True \
  sparse_matmul=True \
  profiler=xplane \
  use_tokamax_splash=True \
  sa_block_q=1024 \
  sa_block_kv=1024 \
  sa_block_kv_compute=1024 \
  sa_block_q_dkv=2048 \
  sa_block_kv_dkv=2048 \
  sa_block_kv_dkv_compute=2048 \
  sa_block_q_dq=2048 \
  sa_block_kv_dq=2048 \
  sa_use_fused_bwd_kernel=True \
  sa_q_layout=SEQ_MINOR \
  sa_k_layout=SEQ_MINOR \
  sa_v_layout=SEQ_MINOR \
  attention=flash \
  dcn_pipeline_parallelism=1 \
  dcn_data_parallelism=-1 \
  ici_pipeline_parallelism=1 \
  ici_fsdp_transpose_parallelism=1 \
  ici_fsdp_parallelism=64 \
  ici_data_parallelism=2 \
  dataset_type=synthetic \
  dataset_path=gs://max-datasets-rogue"

xpk workload create \
  --device-type=tpu7x-4x4x4 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m MaxText.train MaxText/configs/base.yml ${arguments}"
