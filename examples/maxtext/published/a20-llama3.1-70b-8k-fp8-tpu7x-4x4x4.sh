#!/usr/bin/env bash
# Published launch A20: llama3.1-70b-8k-fp8-tpu7x-4x4x4
# Source: tpu-recipes training/ironwood/llama3.1-70b/8k-fp8-tpu7x-4x4x4
# Published: 7.93 s/step, 1854.19 TFLOP/s per chip

flags="\
  --xla_tpu_scoped_vmem_limit_kib=61440 \
  --xla_tpu_bf16_emission_mode=NATIVE_EMISSION \
  --xla_tpu_enable_sparse_core_collective_offload_all_reduce=true \
  --xla_tpu_use_single_sparse_core_for_all_gather_offload=true"

arguments="\
  model_name=llama3.1-70b \
  skip_jax_distributed_system=True \
  dtype=bfloat16 \
  per_device_batch_size=2 \
  async_checkpointing=False \
  enable_checkpointing=False \
  use_iota_embed=True \
  remat_policy=custom \
  decoder_layer_input=device \
  context=device \
  query_proj=device \
  key_proj=device \
  value_proj=device \
  qkv_proj=device \
  ici_fsdp_parallelism=-1 \
  dataset_type=synthetic \
  opt_type=adamw \
  mu_dtype=bfloat16 \
  sa_block_q=1024 \
  sa_block_kv=1024 \
  sa_block_kv_compute=512 \
  sa_block_q_dkv=2048 \
  sa_block_kv_dkv=2048 \
  sa_block_kv_dkv_compute=256 \
  tokenizer_type=tiktoken \
  tokenizer_path=assets/tokenizer_llama3.tiktoken \
  sa_q_layout=SEQ_MINOR \
  sa_k_layout=HEAD_DIM_MINOR \
  sa_v_layout=HEAD_DIM_MINOR \
  sa_use_fused_bwd_kernel=True \
  use_tokamax_splash=True \
  max_target_length=8192 \
  profiler=xplane \
  attention=flash \
  quantization=fp8_full \
  use_qwix_quantization=True \
  weight_quantization_calibration_method='fixed,-224,224' \
  act_quantization_calibration_method='fixed,-224,224' \
  steps=30"

xpk workload create \
  --device-type=tpu7x-4x4x4 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
