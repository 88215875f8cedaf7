#!/bin/bash
# Supervised fine-tuning.
set -ex
set -o pipefail
now=$(date "+%Y-%m-%d-%H:%M:%S")

SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"
if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then
    source "${SCRIPT_DIR}/../../entrypoint/local.sh"
fi
source "${MODEL_CONFIG_DIR}/qwen35-9B.sh"

EXP_DIR="${EXP_DIR:-${SCRIPT_DIR}/../../exps}"
DATA_DIR="${DATA_DIR:=${EXP_DIR}/data}"
NUM_ROLLOUT="${NUM_ROLLOUT:=500}"

CKPT_ARGS=(
   --hf-checkpoint ${EXP_DIR}/Qwen3.5-9B/
   --ref-load ${EXP_DIR}/Qwen3.5-9B/
   --megatron-to-hf-mode bridge
   --save ${EXP_DIR}/out/
   --save-interval 50
)

SFT_ARGS=(
   --loss-type sft
   --prompt-data ${DATA_DIR}/math.parquet
   --input-key problem
   --label-key solution
   --num-epoch 3
   --global-batch-size 64
   --use-dynamic-batch-size
   --max-tokens-per-gpu 16384
)

PERF_ARGS=(
   --tensor-model-parallel-size 2
   --sequence-parallel
   --pipeline-model-parallel-size 1
   --context-parallel-size 1
   --expert-model-parallel-size 1
   --expert-tensor-parallel-size 1

   --recompute-granularity full
   --recompute-method uniform
   --recompute-num-layers 1
   --no-rope-fusion
)

OPTIMIZER_ARGS=(
   --optimizer adam
   --lr 1e-6
   --lr-decay-style constant
   --weight-decay 0.1
   --adam-beta1 0.9
   --adam-beta2 0.98
)

MISC_ARGS=(
   # megatron drops out by default
   --attention-dropout 0.0
   --hidden-dropout 0.0
   --accumulate-allreduce-grads-in-fp32
   --attention-softmax-in-fp32
   --attention-backend flash
)

mkdir -p log
ray job submit ${RAY_NO_WAIT:+--no-wait} --address="http://${HOST_IP}:8265" \
   --runtime-env-json="${RUNTIME_ENV_JSON}" \
   -- python3 -m relax.entrypoints.train \
   --resource '{"sft": [1, 0], "actor": [1, 8]}'\
   --colocate \
   "${MODEL_ARGS[@]}" \
   "${CKPT_ARGS[@]}" \
   "${SFT_ARGS[@]}" \
   "${PERF_ARGS[@]}" \
   "${OPTIMIZER_ARGS[@]}" \
   "${MISC_ARGS[@]}" \
   "$@" 2>&1 | tee "log/run-${now}.log"
