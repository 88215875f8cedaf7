"""Facts of a Relax launch: what the script says, what follows from it, and what the estimator makes of it.

``relax.peak.*`` are estimates of the fullest training GPU, now and after one change each. Sizes that need the
model are unknown when its configuration file is not at hand.
"""

from tpuguru.facts.schema import FactType, Field, Unit


def _field(kind: FactType, name: str, summary: str, unit: Unit = Unit.NONE) -> Field:
    return Field(f"relax.{name}", kind, summary, unit)


def _flag(name: str, summary: str) -> Field:
    return _field(FactType.BOOLEAN, name, summary)


def _count(name: str, summary: str, unit: Unit = Unit.NONE) -> Field:
    return _field(FactType.INTEGER, name, summary, unit)


def _number(name: str, summary: str, unit: Unit = Unit.NONE) -> Field:
    return _field(FactType.NUMBER, name, summary, unit)


def _bytes(name: str, summary: str) -> Field:
    return _field(FactType.INTEGER, name, summary, Unit.BYTES)


def _tokens(name: str, summary: str) -> Field:
    return _field(FactType.INTEGER, name, summary, Unit.TOKENS)


def _gpus(name: str, summary: str) -> Field:
    return _field(FactType.INTEGER, name, summary, Unit.DEVICES)


def _text(name: str, summary: str, *choices: str) -> Field:
    return Field(f"relax.{name}", FactType.TEXT, summary, choices=choices)


def _texts(name: str, summary: str) -> Field:
    return _field(FactType.TEXTS, name, summary)


_FITS = ("fits", "borderline", "does not fit")

_CONTEXT = (
    _text("script", "File name of the script, without its ending"),
    _text("model", "Model as the file name, the model configuration or the checkpoint calls it"),
    _flag("moe", "The model has experts"),
    _text("modality", "What the model reads", "text", "mm", "video"),
    _text("mode", "How actor and rollout share GPUs", "colocate", "fully-async", "hybrid", "separate"),
    _text("objective", "What is trained", "rl", "sft", "dpo", "reward-model"),
    _text("accelerator", "Kind of accelerator: GPU, Ascend NPU, Kunlun XPU", "gpu", "npu", "klx"),
    _flag("nvidia", "NVIDIA GPUs: rules about NVIDIA kernels apply"),
    _flag("debug", "The file name says that this is a debugging run"),
    _flag("lora", "LoRA adapters are trained, not the whole model"),
    _gpus("name.gpus", "GPUs that the file name states (8xgpu)"),
    _flag("name.says_async", "The file name says async"),
    _text("name.modality", "Modality that the file name states", "text", "mm", "video"),
    _number("name.parameters", "Parameters that the file name states (4B)", Unit.PARAMETERS),
    _texts("flags.misspelt", "Flags that no parser reads and that are nearly the name of one that matters"),
)

_RESOURCES = (
    _gpus("gpus", "GPUs of all roles; with colocation the roles that share them count once"),
    _gpus("gpus_per_node", "GPUs of a node (--num-gpus-per-node)"),
    _gpus("actor_gpus", "GPUs of the actor"),
    _gpus("rollout_gpus", "GPUs of the rollout engines"),
    _gpus("reference_gpus", "GPUs of the reference role, 0 without it"),
    _gpus("actor_fwd_gpus", "GPUs of the actor_fwd role (old log-probabilities), 0 without it"),
    _texts("roles", "Roles of --resource"),
)

_BATCH = (
    _count("batch.rollout", "Prompts of a rollout (--rollout-batch-size)"),
    _count("batch.samples", "Samples of a prompt (--n-samples-per-prompt)"),
    _count("batch.trained", "Samples of an optimizer step (--global-batch-size)"),
    _count("batch.micro", "Samples of a microbatch without dynamic batching (--micro-batch-size)"),
    _flag("batch.dynamic", "--use-dynamic-batch-size"),
    _tokens("batch.budget", "--max-tokens-per-gpu"),
    _tokens("batch.log_prob_budget", "--log-probs-max-tokens-per-gpu, else --max-tokens-per-gpu"),
    _flag("batch.balanced", "--balance-data"),
    _flag("batch.bshd", "--qkv-format bshd, which dynamic batching does not take"),
    _tokens("batch.prompt_length", "--rollout-max-prompt-len"),
    _tokens("batch.response_length", "--rollout-max-response-len"),
    _tokens("batch.context_length", "--rollout-max-context-len"),
    _tokens("batch.longest_sample", "Longest sample: prompt and response, at most the context length"),
    _tokens("batch.microbatch", "Tokens of the worst microbatch on one GPU"),
    _count("batch.microbatches", "Microbatches of a step, at most: every sample as long as the longest"),
    _count("batch.microbatches_short", "Microbatches of a step when samples are a quarter of the longest"),
    _number("batch.steps", "Optimizer steps of a rollout"),
    _flag("batch.partial", "--partial-rollout"),
    _count("batch.over_sampling", "--over-sampling-batch-size, else the rollout batch"),
    _flag("batch.custom_generate", "A generation function of the user's own (tools, several turns)"),
    _flag("batch.routing_replay", "--use-rollout-routing-replay"),
    _flag("batch.keeps_oversize", "SFT samples above the budget are kept whole"),
)

_LOSS = (
    _flag("loss.kl", "--use-kl-loss"),
    _number("loss.kl_coefficient", "--kl-loss-coef"),
    _number("loss.kl_reward", "--kl-coef"),
    _flag("loss.distillation", "A teacher is distilled, which needs its own forward passes"),
    _count("loss.log_prob_chunk", "--log-probs-chunk-size, -1 when log-probabilities are not chunked"),
    _flag("loss.chunked_logits", "--sft-chunked-logits"),
    _flag("loss.per_token", "--calculate-per-token-loss"),
)

_PARALLEL = (
    _count("parallel.tensor", "--tensor-model-parallel-size"),
    _count("parallel.pipeline", "--pipeline-model-parallel-size"),
    _count("parallel.context", "--context-parallel-size"),
    _count("parallel.expert", "--expert-model-parallel-size"),
    _count("parallel.expert_tensor", "--expert-tensor-parallel-size; Megatron's default is TP"),
    _count("parallel.data", "Replicas of the dense part: actor GPUs / (TP x PP x CP)"),
    _count("parallel.chunks", "Virtual pipeline chunks of a stage"),
    _flag("parallel.sequence", "--sequence-parallel"),
    _flag("parallel.uneven", "--decoder-first/last-pipeline-num-layers is given"),
    _flag("parallel.dynamic_context", "--dynamic-context-parallel"),
    _number("parallel.communication", "Tensor-parallel communication over computation, nothing overlapped"),
    _number("parallel.bubble", "Idle share of the pipeline at most microbatches: (PP-1)/(v m)"),
)

_MEMORY_FLAGS = (
    _text("recompute.granularity", "--recompute-granularity", "none", "selective", "full"),
    _texts("recompute.modules", "--recompute-modules"),
    _flag("optimizer.offload", "--optimizer-cpu-offload"),
    _number("optimizer.offload_fraction", "Share of the optimizer on the CPU, 0 without offloading"),
    _flag("optimizer.offload_overlap", "--overlap-cpu-optimizer-d2h-h2d"),
    _flag("optimizer.precision_aware", "--use-precision-aware-optimizer"),
    _flag("optimizer.fp32_accumulation", "--accumulate-allreduce-grads-in-fp32 is written"),
    _flag("optimizer.overlap_gradients", "--overlap-grad-reduce"),
    _flag("optimizer.overlap_parameters", "--overlap-param-gather"),
    _count("optimizer.shard", "Parameters whose optimizer state one GPU keeps", Unit.PARAMETERS),
)

_EXPERTS = (
    _text("experts.dispatcher", "--moe-token-dispatcher-type; the last one counts"),
    _flag("experts.grouped_gemm", "--moe-grouped-gemm"),
    _flag("experts.permute_fusion", "--moe-permute-fusion"),
)

_KERNELS = (
    _text("kernel.attention", "--attention-backend"),
    _text("kernel.transformer", "--transformer-impl"),
    _texts("kernel.unfused", "Flags that switch a fused kernel off: no-rope-fusion, …"),
)

_ENGINE = (
    _gpus("engine.gpus", "GPUs of one inference engine (--rollout-num-gpus-per-engine)"),
    _count("engine.count", "Inference engines"),
    _number("engine.memory_fraction", "--sglang-mem-fraction-static", Unit.FRACTION),
    _flag("engine.data_parallel_attention", "--sglang-enable-dp-attention"),
    _count("engine.data_parallel", "--sglang-dp-size"),
    _flag("engine.graphs_off", "--sglang-disable-cuda-graph"),
    _count("engine.graph_batch", "Largest batch that CUDA graphs are captured for"),
    _flag("engine.radix_off", "--sglang-disable-radix-cache"),
    _count("engine.running", "Sequences that an engine decodes at once, at most"),
    _count("engine.running_per_rank", "Sequences of one data-parallel rank of an engine, at most"),
    _bytes("engine.weights", "Weights of the engine on one of its GPUs"),
    _tokens("engine.pool", "Tokens that fit an engine's KV pool"),
    _tokens("engine.pool_half", "Tokens that fit when the engine has half the GPUs"),
    _bytes("engine.token_bytes", "KV cache of one token on one GPU of the engine"),
    _bytes("engine.sync_buffer", "--update-weight-buffer-size"),
)

_RUNNING = (
    _flag("data.multimodal", "--multimodal-keys is given"),
    _count("data.processor_pool", "--mm-processor-pool-size, 0 for serial preprocessing"),
    _count("data.storage_units", "--num-data-storage-units"),
    _flag("data.pixel_limit", "Images or prompts have a limit (pixels or prompt length)"),
    _count("checkpoint.interval", "--save-interval, 0 when nothing is saved"),
    _flag("checkpoint.asynchronous", "--async-save"),
    _count("evaluation.interval", "--eval-interval, 0 when nothing is evaluated"),
    _flag("evaluation.skips_first", "--skip-eval-before-train"),
    _count("asynchronous.staleness", "--max-staleness"),
    _flag("asynchronous.only_load_weight", "reference and actor_fwd load weights only (--ref-actor-config)"),
    _texts("diagnostics", "Debugging flags and variables that are on"),
    _text("env.allocator", "PYTORCH_CUDA_ALLOC_CONF"),
    _text("env.max_connections", "CUDA_DEVICE_MAX_CONNECTIONS, empty when it is not set"),
    _flag("env.entrypoint", "An entrypoint script that sets the environment was read"),
    _count("mtp_layers", "--mtp-num-layers"),
)

_SIZES = (
    _count("size.parameters", "Parameters of the model", Unit.PARAMETERS),
    _count("size.active", "Parameters that one token passes", Unit.PARAMETERS),
    _count("size.expert_parameters", "Parameters of all routed experts", Unit.PARAMETERS),
    _count("size.layers", "Decoder layers"),
    _count("size.hidden", "Hidden size"),
    _count("size.heads", "Attention heads"),
    _count("size.kv_heads", "Key and value heads"),
    _count("size.vocabulary", "Vocabulary"),
    _count("size.experts", "Routed experts of a layer, 0 for a dense model"),
    _count("size.expert_width", "Feed-forward width of one expert, 0 for a dense model"),
    _flag("size.tied", "Embedding and output projection share their weights"),
)

_MEMORY = (
    _bytes("memory.static", "Weights, gradients and optimizer state on the fullest GPU"),
    _bytes("memory.weights", "Weights on the fullest GPU"),
    _bytes("memory.activations", "Stored activations on the fullest GPU"),
    _bytes("memory.logits", "Logits with their copies on the last pipeline stage"),
    _bytes("memory.log_prob_logits", "Logits of a log-probability forward pass at its own budget"),
    _bytes("memory.experts", "Weights and gradients of the experts on one GPU"),
    _bytes("memory.outside", "NCCL, CUDA contexts and an engine's remains, outside PyTorch"),
    _bytes("memory.host", "Host memory of one training process"),
    _bytes("memory.host_node", "Host memory of the training processes of a node"),
    _bytes("memory.emptiest_stage", "Peak of the pipeline stage that needs least"),
)

_PEAKS = (
    _bytes("peak.now", "Peak as the script stands"),
    _bytes("peak.without_offload", "Peak with the optimizer on the GPU"),
    _bytes("peak.with_offload", "Peak with a precision-aware optimizer wholly on the CPU"),
    _bytes("peak.without_recompute", "Peak without recomputation"),
    _bytes("peak.tensor_half", "Peak with half the tensor parallelism"),
    _bytes("peak.pipeline_half", "Peak with half the pipeline stages"),
    _bytes("peak.context_half", "Peak with half the context parallelism"),
    _bytes("peak.tokens_double", "Peak with twice the token budget"),
    _bytes("peak.half_gpus", "Peak on half the GPUs"),
    _bytes("peak.precision_aware", "Peak with a precision-aware optimizer"),
    _bytes("peak.more_experts", "Peak with the suggested expert parallelism"),
    _text("fit.now", "Does the peak fit: under 85 %, up to 97 %, above", *_FITS),
    _text("fit.without_offload", "Does it fit with the optimizer on the GPU", *_FITS),
    _text("fit.without_recompute", "Does it fit without recomputation", *_FITS),
)

_SUGGESTED = (
    _count("suggest.expert", "Largest expert parallelism of one node that divides experts and GPUs"),
    _count("suggest.engine", "Fewest GPUs of an engine that hold weights and half the KV cache"),
    _tokens("suggest.budget", "Largest token budget whose peak stays under 85 % of the GPU"),
    _number("suggest.offload_fraction", "Share of the optimizer to offload so that the peak is 90 %"),
    _count("suggest.chunk", "Layers of a virtual pipeline chunk"),
    _gpus("suggest.half_gpus", "Half of the GPUs"),
)

FIELDS = (
    *_CONTEXT,
    *_RESOURCES,
    *_BATCH,
    *_LOSS,
    *_PARALLEL,
    *_MEMORY_FLAGS,
    *_EXPERTS,
    *_KERNELS,
    *_ENGINE,
    *_RUNNING,
    *_SIZES,
    *_MEMORY,
    *_PEAKS,
    *_SUGGESTED,
)
