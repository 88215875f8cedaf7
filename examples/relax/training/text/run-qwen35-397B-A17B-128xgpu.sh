#!/bin/bash
# A large mixture of experts on 16 nodes.
set -ex
set -o pipefail
now=$(date "+%Y-%m-%d-%H:%M:%S")

SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"
if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then
    source "${SCRIPT_DIR}/../../entrypoint/local.sh"
fi
source "${MODEL_CONFIG_DIR}/qwen35-397B-A17B.sh"

EXP_DIR="${EXP_DIR:-${SCRIPT_DIR}/../../exps}"
DATA_DIR="${DATA_DIR:=${EXP_DIR}/data}"
NUM_ROLLOUT="${NUM_ROLLOUT:=500}"

CKPT_ARGS=(
   --hf-checkpoint ${EXP_DIR}/Qwen3.5-397B-A17B/
   --ref-load ${EXP_DIR}/Qwen3.5-397B-A17B/
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
   --rollout-batch-size 16
   --n-samples-per-prompt 8
   --rollout-max-response-len 32768
   --rollout-temperature 1
   --global-batch-size 128
   --balance-data
   --partial-rollout
)

EVAL_ARGS=(
   # none
   #--eval-interval 5
)

PERF_ARGS=(
   --tensor-model-parallel-size 2
   --sequence-parallel
   --pipeline-model-parallel-size 4
   --context-parallel-size 4
   --expert-model-parallel-size 32
   --expert-tensor-parallel-size 1
   --calculate-per-token-loss

   --recompute-granularity full
   --recompute-method uniform
   --recompute-num-layers 1

   --use-dynamic-batch-size
   --max-tokens-per-gpu 16384
   --log-probs-max-tokens-per-gpu 32768
   --decoder-first-pipeline-num-layers 15
   --decoder-last-pipeline-num-layers 5
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

   --optimizer-cpu-offload
   --overlap-cpu-optimizer-d2h-h2d
   --use-precision-aware-optimizer
   --moe-token-dispatcher-type flex
   --moe-flex-dispatcher-backend deepep
   --update-weight-buffer-size $(( 2 * 1024 * 1024 * 1024 ))
)

SGLANG_ARGS=(
   --rollout-num-gpus-per-engine 32
   --sglang-mem-fraction-static 0.7
   --sglang-enable-dp-attention
   --sglang-dp-size 32
   --sglang-ep-size 32
   --sglang-enable-dp-lm-head
   --sglang-moe-dense-tp-size 1
   --sglang-cuda-graph-max-bs 8
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
   --resource '{"actor": [1, 128], "rollout": [1, 128]}'\
   --colocate --num-data-storage-units 16 \
   "${MODEL_ARGS[@]}" \
   "${CKPT_ARGS[@]}" \
   "${ROLLOUT_ARGS[@]}" \
   "${EVAL_ARGS[@]}" \
   "${PERF_ARGS[@]}" \
   "${GRPO_ARGS[@]}" \
   "${OPTIMIZER_ARGS[@]}" \
   "${SGLANG_ARGS[@]}" \
   "${MISC_ARGS[@]}" \
   "$@" 2>&1 | tee "log/run-${now}.log"
