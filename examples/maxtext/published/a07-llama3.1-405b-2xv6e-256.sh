#!/usr/bin/env bash
# Published launch A07: llama3.1-405b-2xv6e-256 on 2 slices
# Source: tpu-recipes training/trillium/Llama3.1-405B-MaxText
# Published: 54.803 s/step, 392.454 TFLOP/s/device (jax 0.5.2)

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
  per_device_batch_size=1 \
  ici_fsdp_parallelism=256 \
  dcn_fsdp_parallelism=2 \
  remat_policy=custom \
  decoder_layer_input=offload \
  max_target_length=8192 \
  gcs_metrics=True \
  reuse_example_batch=1 \
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
  --num-slices=2 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
