#!/usr/bin/env bash
# Published launch A01: llama3.1-8b-v6e-8
# Source: tpu-recipes training/trillium/Llama3.1-8B-MaxText/v6e-8
# Published: 3.443 s/step, 413.433 TFLOP/s/device (jax 0.6.1)

flags="\
  --xla_tpu_scoped_vmem_limit_kib=98304 \
  --xla_tpu_use_minor_sharding_for_major_trivial_input=true \
  --xla_tpu_relayout_group_size_threshold_for_reduce_scatter=1 \
  --xla_tpu_assign_all_reduce_scatter_layout=true \
  --xla_tpu_enable_data_parallel_all_reduce_opt=true \
  --xla_tpu_data_parallel_opt_different_sized_ops=true \
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
  --xla_sc_disable_megacore_partitioning=true \
  --xla_tpu_enable_all_experimental_scheduler_features=true \
  --xla_tpu_enable_scheduler_memory_pressure_tracking=true \
  --xla_tpu_host_transfer_overlap_limit=24 \
  --xla_tpu_aggressive_opt_barrier_removal=ENABLED \
  --xla_lhs_prioritize_async_depth_over_stall=ENABLED \
  --xla_tpu_enable_ag_backward_pipelining=true \
  --xla_should_allow_loop_variant_parameter_in_chain=ENABLED \
  --xla_should_add_loop_invariant_op_in_chain=ENABLED \
  --xla_max_concurrent_host_send_recv=100 \
  --xla_tpu_scheduler_percent_shared_memory_limit=100 \
  --xla_latency_hiding_scheduler_rerun=2 \
  --xla_jf_spmd_threshold_for_windowed_einsum_mib=1000000"

arguments="\
  model_name=llama3.1-8b \
  per_device_batch_size=3 \
  ici_fsdp_parallelism=-1 \
  remat_policy=custom \
  decoder_layer_input=offload \
  query_proj=offload \
  key_proj=offload \
  value_proj=offload \
  out_proj=offload \
  max_target_length=8192 \
  sa_block_q=2048 \
  sa_block_kv=2048 \
  sa_block_kv_compute=2048 \
  sa_block_q_dkv=2048 \
  sa_block_kv_dkv=2048 \
  sa_block_kv_dkv_compute=2048 \
  sa_block_q_dq=2048 \
  sa_block_kv_dq=2048 \
  sa_use_fused_bwd_kernel=True \
  dataset_type=synthetic \
  dataset_path=gs://max-datasets-rogue \
  enable_checkpointing=False \
  use_iota_embed=True \
  attention=flash \
  profiler=xplane"

xpk workload create \
  --device-type=v6e-8 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m MaxText.train MaxText/configs/base.yml ${arguments}"
