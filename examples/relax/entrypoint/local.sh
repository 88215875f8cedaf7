#!/bin/bash
# Environment of a single node. It is sourced by the training scripts; reading it statically must not start anything.
if [ -n "${RELAX_ENTRYPOINT_MODE:-}" ]; then
    return 0 2>/dev/null || exit 0
fi
_HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"

wait_for_ray() {
    until ray status &>/dev/null; do sleep 1; done
}

ray stop --force 2>/dev/null || true
export CUDA_DEVICE_MAX_CONNECTIONS=1
export MODEL_CONFIG_DIR="${_HERE}/../models"
export HOST_IP="${HOST_IP:-127.0.0.1}"
LINKS=$(nvidia-smi topo -m 2>/dev/null | grep -c NV || true)
if [ "$LINKS" -gt 0 ]; then export NVLS=1; else export NVLS=0; fi
export RUNTIME_ENV_JSON="{\"env_vars\": {\"CUDA_DEVICE_MAX_CONNECTIONS\": \"1\", \"NCCL_NVLS_ENABLE\": \"${NVLS}\"}}"
ray start --head --num-gpus "${NUM_GPUS:-8}"
wait_for_ray
export RELAX_ENTRYPOINT_MODE=local
