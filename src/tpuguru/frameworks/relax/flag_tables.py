"""Which flag states which fact, and the default when it is left out."""

SWITCHES = {
    "batch.dynamic": ("use-dynamic-batch-size",),
    "batch.balanced": ("balance-data",),
    "batch.partial": ("partial-rollout",),
    "batch.custom_generate": ("custom-generate-function-path", "rollout-function-path"),
    "batch.routing_replay": ("use-rollout-routing-replay",),
    "loss.kl": ("use-kl-loss",),
    "loss.distillation": ("use-opd", "teacher-load", "opd-teacher-load"),
    "loss.chunked_logits": ("sft-chunked-logits",),
    "loss.per_token": ("calculate-per-token-loss",),
    "parallel.sequence": ("sequence-parallel",),
    "parallel.uneven": (
        "decoder-first-pipeline-num-layers",
        "decoder-last-pipeline-num-layers",
        "pipeline-model-parallel-layout",
    ),
    "parallel.dynamic_context": ("dynamic-context-parallel",),
    "optimizer.offload": ("optimizer-cpu-offload",),
    "optimizer.offload_overlap": ("overlap-cpu-optimizer-d2h-h2d",),
    "optimizer.precision_aware": ("use-precision-aware-optimizer",),
    "optimizer.fp32_accumulation": ("accumulate-allreduce-grads-in-fp32",),
    "optimizer.overlap_gradients": ("overlap-grad-reduce",),
    "optimizer.overlap_parameters": ("overlap-param-gather",),
    "experts.grouped_gemm": ("moe-grouped-gemm",),
    "experts.permute_fusion": ("moe-permute-fusion",),
    "engine.data_parallel_attention": ("sglang-enable-dp-attention",),
    "engine.graphs_off": ("sglang-disable-cuda-graph",),
    "engine.radix_off": ("sglang-disable-radix-cache",),
    "data.multimodal": ("multimodal-keys",),
    "data.pixel_limit": (
        "rollout-max-prompt-len",
        "image-max-pixels",
        "video-max-pixels",
        "mm-max-pixels",
        "max-pixels",
    ),
    "checkpoint.asynchronous": ("async-save",),
    "evaluation.skips_first": ("skip-eval-before-train",),
}

# Fact, flag, default: the defaults are Relax's, Megatron-LM's and SGLang's own.
INTEGERS = (
    ("gpus_per_node", "num-gpus-per-node", 8),
    ("batch.rollout", "rollout-batch-size", None),
    ("batch.samples", "n-samples-per-prompt", 1),
    ("batch.trained", "global-batch-size", None),
    ("batch.micro", "micro-batch-size", 1),
    ("batch.budget", "max-tokens-per-gpu", None),
    ("batch.prompt_length", "rollout-max-prompt-len", None),
    ("batch.response_length", "rollout-max-response-len", None),
    ("batch.context_length", "rollout-max-context-len", None),
    ("loss.log_prob_chunk", "log-probs-chunk-size", -1),
    ("parallel.tensor", "tensor-model-parallel-size", 1),
    ("parallel.pipeline", "pipeline-model-parallel-size", 1),
    ("parallel.context", "context-parallel-size", 1),
    ("parallel.expert", "expert-model-parallel-size", 1),
    ("engine.gpus", "rollout-num-gpus-per-engine", 1),
    ("engine.data_parallel", "sglang-dp-size", 1),
    ("engine.sync_buffer", "update-weight-buffer-size", 512 * 1024 * 1024),
    ("data.processor_pool", "mm-processor-pool-size", 0),
    ("data.storage_units", "num-data-storage-units", 1),
    ("checkpoint.interval", "save-interval", 0),
    ("evaluation.interval", "eval-interval", 0),
    ("asynchronous.staleness", "max-staleness", 0),
    ("mtp_layers", "mtp-num-layers", 0),
)
NUMBERS = (
    ("loss.kl_coefficient", "kl-loss-coef", 0.0),
    ("loss.kl_reward", "kl-coef", 0.0),
    ("engine.memory_fraction", "sglang-mem-fraction-static", None),
)
TEXTS = (
    ("kernel.attention", "attention-backend", "auto"),
    ("kernel.transformer", "transformer-impl", "transformer_engine"),
)
UNFUSED = (
    "no-rope-fusion",
    "no-masked-softmax-fusion",
    "no-bias-swiglu-fusion",
    "no-gradient-accumulation-fusion",
    "no-persist-layer-norm",
)
ROLES = (
    ("actor_gpus", "actor"),
    ("rollout_gpus", "rollout"),
    ("reference_gpus", "reference"),
    ("actor_fwd_gpus", "actor_fwd"),
)
