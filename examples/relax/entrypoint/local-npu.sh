#!/bin/bash
# The same for Ascend NPUs.
export HCCL_CONNECT_TIMEOUT=600
export MODEL_CONFIG_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" &>/dev/null && pwd)/../models"
export RUNTIME_ENV_JSON='{"env_vars": {"HCCL_CONNECT_TIMEOUT": "600"}}'
