#!/usr/bin/env bash
# Published launch A18: llama3.1-405b-v5p-1024
# Source: tpu-recipes training/v5p/Llama3.1-405B-MaxText
# Published: 131.474 s/step, 314.530 TFLOP/s/device (jax 0.7.0)

flags="\
  --xla_tpu_scoped_vmem_limit_kib=98304 \
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
  model_name=llama3.1-405b \
  per_device_batch_size=2 \
  ici_fsdp_parallelism=-1 \
  max_target_length=8192 \
  gcs_metrics=True \
  remat_policy=custom \
  context=offload \
  mlpwo=offload \
  num_vocab_tiling=4 \
  sa_block_q=2048 \
  sa_block_kv=2048 \
  sa_block_kv_compute=2048 \
  sa_block_q_dkv=2048 \
  sa_block_kv_dkv=2048 \
  sa_block_kv_dkv_compute=2048 \
  sa_block_q_dq=2048 \
  sa_block_kv_dq=2048 \
  reuse_example_batch=1 \
  dataset_type=synthetic \
  dataset_path=gs://max-datasets-rogue \
  enable_checkpointing=False \
  use_iota_embed=True \
  attention=flash \
  profiler=xplane"

xpk workload create \
  --device-type=v5p-1024 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
