#!/usr/bin/env bash
# Published launch A14: mixtral-8x7b-v5p-128
# Source: tpu-recipes training/v5p/Mixtral-8X7B-Maxtext
# Published: none printed

# Run on every host of v5p-128: tpuguru check --slice v5p-128 a14-mixtral-8x7b-v5p-128.sh
export LIBTPU_INIT_ARGS="\
  --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true \
  --xla_tpu_megacore_fusion_allow_ags=false \
  --xla_enable_async_collective_permute=true \
  --xla_tpu_enable_ag_backward_pipelining=true \
  --xla_tpu_enable_data_parallel_all_reduce_opt=true \
  --xla_tpu_data_parallel_opt_different_sized_ops=true \
  --xla_tpu_enable_async_collective_fusion=true \
  --xla_tpu_enable_async_collective_fusion_multiple_steps=true \
  --xla_tpu_overlap_compute_collective_tc=true \
  --xla_enable_async_all_gather=true \
  --xla_tpu_scoped_vmem_limit_kib=81920"

python3 MaxText/train.py MaxText/configs/base.yml \
  model_name=mixtral-8x7b \
  steps=10 \
  per_device_batch_size=36 \
  enable_checkpointing=false \
  max_target_length=4096 \
  dtype=bfloat16 \
  weight_dtype=bfloat16 \
  dataset_type=synthetic \
  attention=flash \
  tokenizer_path=assets/tokenizer.mistral-v1
