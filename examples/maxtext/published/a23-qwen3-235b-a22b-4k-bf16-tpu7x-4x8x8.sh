#!/usr/bin/env bash
# Published launch A23: qwen3-235b-a22b-4k-bf16-tpu7x-4x8x8
# Source: tpu-recipes training/ironwood/qwen3-235b-a22b/4k-bf16-tpu7x-4x8x8
# Published: 30.87 s/step, 629.79 TFLOP/s per chip

flags="\
  --xla_tpu_scoped_vmem_limit_kib=61440 \
  --xla_tpu_enable_sparse_core_collective_offload_all_gather=true \
  --xla_tpu_enable_sparse_core_collective_offload_all_reduce=true \
  --xla_tpu_use_single_sparse_core_for_all_gather_offload=true \
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
  model_name=qwen3-235b-a22b \
  per_device_batch_size=16.0 \
  max_target_length=4096 \
  skip_jax_distributed_system=True \
  dtype=bfloat16 \
  weight_dtype=float32 \
  opt_type=adamw \
  steps=20 \
  profiler=xplane \
  async_checkpointing=False \
  enable_checkpointing=False \
  remat_policy=custom \
  decoder_layer_input=offload \
  use_custom_sort_vjp=True \
  use_random_routing=True \
  shard_exp_on_fsdp=False \
  megablox=False \
  sparse_matmul=True \
  use_tokamax_gmm=True \
  use_tokamax_splash=True \
  sa_use_fused_bwd_kernel=True \
  attention=flash \
  sa_block_q=1024 \
  sa_block_kv=1024 \
  sa_block_kv_compute=512 \
  sa_block_q_dkv=2048 \
  sa_block_kv_dkv=2048 \
  sa_block_kv_dkv_compute=1024 \
  sa_block_q_dq=1024 \
  sa_block_kv_dq=1024 \
  sa_q_layout=HEAD_DIM_MINOR \
  sa_k_layout=SEQ_MINOR \
  sa_v_layout=HEAD_DIM_MINOR \
  dcn_pipeline_parallelism=1 \
  dcn_data_parallelism=-1 \
  ici_pipeline_parallelism=1 \
  ici_fsdp_transpose_parallelism=1 \
  ici_fsdp_parallelism=-1 \
  dataset_type=synthetic \
  dataset_path=gs://max-datasets-rogue"

xpk workload create \
  --device-type=tpu7x-4x8x8 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
