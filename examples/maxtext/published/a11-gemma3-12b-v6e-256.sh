#!/usr/bin/env bash
# Published launch A11: gemma3-12b-v6e-256
# Source: tpu-recipes training/trillium/Gemma3-12B-MaxText/v6e-256
# Published: 7.318 s/step, 349.442 TFLOP/s/device (jax 0.7.0)

flags="\
  --xla_tpu_scoped_vmem_limit_kib=122880"

arguments="\
  model_name=gemma3-12b \
  per_device_batch_size=1 \
  num_vocab_tiling=16 \
  ici_fsdp_parallelism=-1 \
  remat_policy=custom \
  decoder_layer_input=device \
  query_proj=remat \
  key_proj=remat \
  value_proj=remat \
  max_target_length=32768 \
  sa_block_q=1024 \
  sa_block_kv=1024 \
  sa_block_kv_compute=1024 \
  sa_block_q_dkv=512 \
  sa_block_kv_dkv=2048 \
  sa_block_kv_dkv_compute=512 \
  sa_block_q_dq=1024 \
  sa_block_kv_dq=1024 \
  gcs_metrics=True \
  reuse_example_batch=1 \
  dataset_type=synthetic \
  dataset_path=gs://max-datasets-rogue \
  enable_checkpointing=False \
  use_iota_embed=True \
  attention=flash \
  profiler=xplane"

xpk workload create \
  --device-type=v6e-256 \
  --num-slices=1 \
  --workload="${USER}-check" \
  --command="export LIBTPU_INIT_ARGS='${flags}' && python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml ${arguments}"
