#!/bin/bash
# Every flag on the command itself; values from the environment.
set -eo pipefail
SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"
source "${SCRIPT_DIR}/../../entrypoint/local.sh"
source "${MODEL_CONFIG_DIR}/qwen3-0.6B.sh"
DATA="${DATA:?the pairs as JSON lines}"

stdbuf -oL ray job submit --address="http://127.0.0.1:8265" \
    --runtime-env-json="${RUNTIME_ENV_JSON}" \
    -- python3 "${SCRIPT_DIR}/../../../relax/entrypoints/train.py" \
    --resource '{"sft":[1,0],"actor":[1,1]}' \
    --loss-type sft \
    --sft-objective dpo \
    --dpo-beta 0.1 \
    --prompt-data "${DATA}" \
    --preference-max-length 1024 \
    --hf-checkpoint "${HF_CHECKPOINT:-Qwen/Qwen3-0.6B}" \
    --global-batch-size "${GLOBAL_BATCH_SIZE:-32}" \
    --use-dynamic-batch-size \
    --max-token-per-gpu "${MAX_TOKENS_PER_GPU:-8192}" \
    --tensor-model-parallel-size 1 \
    --optimizer adam --lr "${LR:-5e-7}" \
    ${OVERRIDE:+--override-opt-param-scheduler} \
    --attention-backend flash \
    --colocate \
    "${MODEL_ARGS[@]}" 2>&1 | tee dpo.log
