#!/bin/bash
# One script, two launches: MODE decides.
set -ex
set -o pipefail
now=$(date "+%Y-%m-%d-%H:%M:%S")

SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"
if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then
    source "${SCRIPT_DIR}/../../entrypoint/local.sh"
fi
source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"

EXP_DIR="${EXP_DIR:-${SCRIPT_DIR}/../../exps}"
DATA_DIR="${DATA_DIR:=${EXP_DIR}/data}"
NUM_ROLLOUT="${NUM_ROLLOUT:=500}"
MODE=${1:-sync}

CKPT_ARGS=(
   --hf-checkpoint ${EXP_DIR}/Qwen3-8B/
   --ref-load ${EXP_DIR}/Qwen3-8B/
   --megatron-to-hf-mode bridge
   --save ${EXP_DIR}/out/
   --save-interval 50
)

ROLLOUT_ARGS=(
   --prompt-data ${DATA_DIR}/math.jsonl
   --input-key prompt
   --label-key label
   --apply-chat-template
   --rm-type dapo
   --num-rollout ${NUM_ROLLOUT}
   --rollout-batch-size 32
   --n-samples-per-prompt 8
   --rollout-max-response-len 4096
   --rollout-temperature 1
   --global-batch-size 256
   --balance-data
)

PERF_ARGS=(
   --tensor-model-parallel-size 2
   --sequence-parallel
   --pipeline-model-parallel-size 1
   --context-parallel-size 1
   --expert-model-parallel-size 1
   --expert-tensor-parallel-size 1

   --use-dynamic-batch-size
   --max-tokens-per-gpu 8192
)

GRPO_ARGS=(
   --advantage-estimator grpo
   --use-kl-loss
   --kl-loss-coef 0.00
   --kl-loss-type low_var_kl
   --entropy-coef 0.00
   --eps-clip 0.2
   --eps-clip-high 0.28
)

OPTIMIZER_ARGS=(
   --optimizer adam
   --lr 1e-6
   --lr-decay-style constant
   --weight-decay 0.1
   --adam-beta1 0.9
   --adam-beta2 0.98
)

SGLANG_ARGS=(
   --rollout-num-gpus-per-engine 1
   --sglang-mem-fraction-static 0.7
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
if [ "${MODE}" = async ]; then
    ray job submit --address="http://${HOST_IP}:8265" --runtime-env-json="${RUNTIME_ENV_JSON}" -- python3 -m relax.entrypoints.train \
       --resource '{"actor": [1, 4], "rollout": [1, '"${ROLLOUT_GPUS:-2}"'], "reference": [1, 2]}' --fully-async --max-staleness 2 \
       "${MODEL_ARGS[@]}" \
   "${CKPT_ARGS[@]}" \
   "${ROLLOUT_ARGS[@]}" \
   "${PERF_ARGS[@]}" \
   "${GRPO_ARGS[@]}" \
   "${OPTIMIZER_ARGS[@]}" \
   "${SGLANG_ARGS[@]}" \
   "${MISC_ARGS[@]}"
else
    ray job submit --address="http://${HOST_IP}:8265" --runtime-env-json="${RUNTIME_ENV_JSON}" -- python3 -m relax.entrypoints.train \
       --resource '{"actor": [1, 8], "rollout": [1, 8]}' --colocate \
       "${MODEL_ARGS[@]}" \
   "${CKPT_ARGS[@]}" \
   "${ROLLOUT_ARGS[@]}" \
   "${PERF_ARGS[@]}" \
   "${GRPO_ARGS[@]}" \
   "${OPTIMIZER_ARGS[@]}" \
   "${SGLANG_ARGS[@]}" \
   "${MISC_ARGS[@]}"
fi
