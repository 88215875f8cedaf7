#!/usr/bin/env bash
# Published launch A04: llama3.1-70b-v6e-128
# Source: tpu-recipes training/trillium/Llama3.1-70B-MaxText/v6e-128
# Published: 34.786 s/step, 453.500 TFLOP/s/device (jax 0.6.1)

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
  --xla_latency_hiding_scheduler_rerun=2"

arguments="\
  model_name=llama3.1-70b \
  ici_fsdp_parallelism=-1 \
  remat_policy=custom \
  decoder_layer_input=offload \
  query_proj=offload \
  key_proj=offload \
  value_proj=offload \
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
  profiler=xplane \
  per_device_batch_size=4"

xpk workload create \
  --device-type=v6e-128 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
