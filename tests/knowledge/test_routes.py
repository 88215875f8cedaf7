"""Symptoms in words and pasted artifacts lead to their playbook and pages."""

import pytest

from tpuguru.knowledge import KnowledgeBase

COMMAND = "python3 -m maxtext.trainers.pre_train.train base.yml model_name=llama3.1-8b steps=20 per_device_batch_size=4"
CONFIG = '{"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}'
OOM = "XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 97.56G of 95.74G hbm."


@pytest.mark.parametrize(
    ("text", "playbook", "page"),
    [
        (COMMAND, "parse", "00-scope"),
        (CONFIG, "new-model", "01-hardware"),
        (OOM, "oom", "06-memory"),
        ("we run out of memory after 200 steps", "oom", "06-memory"),
        ("显存不足,训练起不来", "oom", "06-memory"),
        ("the step is slower than expected", "slow", "07-collectives-and-overlap"),
        ("训练速度变慢了", "slow", "07-collectives-and-overlap"),
        ("it is unbelievably fast", "too-good", "02-silent-failures"),
        ("快得离谱", "too-good", "02-silent-failures"),
        ("since the kernel was changed the loss differs", "kernel-swap", "11-tokamax-vs-native"),
        ("换了内核之后结果不一样", "kernel-swap", "11-tokamax-vs-native"),
        ("shall I shard the vocabulary", "sharding", "04-sharding"),
        ("should I enable QAG", "sharding", "04-sharding"),
        ("要不要开量化 all-gather", "sharding", "04-sharding"),
        ("which scale should I use for fp8", "quantisation", "05-quantisation"),
        ("量化用什么缩放因子", "quantisation", "05-quantisation"),
        ("the profile figures don't add up", "profile", "08-profiling"),
        ("profile 的数字对不上", "profile", "08-profiling"),
        ("does this change the numbers", "numerics", "09-verification"),
        ("这样改会不会影响数值", "numerics", "09-verification"),
        ("an unseen compiler error", "unknown", "14-compiler-errors"),
        ("没见过的编译错误", "unknown", "14-compiler-errors"),
        ("I have a throughput figure to report", "too-good", "10-baselines"),
        ("吞吐数字要汇报,和公开结果比", "too-good", "10-baselines"),
        ("pod stays pending on GKE", "launch", "03-launch-and-environment"),
        ("Pod 一直 Pending", "launch", "03-launch-and-environment"),
        ("every step recompiles", "recompile", "16-recompilation"),
        ("每一步都重新编译", "recompile", "16-recompilation"),
        ("loss jumps after resume from checkpoint", "restart", "15-checkpoints-and-data"),
        ("断点续训之后 loss 跳变", "restart", "15-checkpoints-and-data"),
    ],
)
def test_a_symptom_leads_to_its_playbook(shipped: KnowledgeBase, text: str, playbook: str, page: str) -> None:
    """Each row of the plan's table, in English and Chinese, and as a pasted artifact."""
    route = shipped.route(text)
    assert (route.playbook, page in route.pages) == (playbook, True), route


@pytest.mark.parametrize(
    "text",
    [
        "much faster",
        "training is much faster since the kernel was changed",
        "much faster but then out of memory",
        "3x faster with fp8 quantization on the same profile",
        "换了内核之后快了三倍",
        "量化以后快了很多,显存也省了",
    ],
)
def test_much_faster_goes_to_silent_failures_first(shipped: KnowledgeBase, text: str) -> None:
    """Whatever else is said: suspect skipped work before celebrating; the rest is an alternative."""
    route = shipped.route(text)
    assert route.playbook == "too-good"
    assert route.pages[0] == "02-silent-failures"


def test_the_reason_quotes_what_led_there(shipped: KnowledgeBase) -> None:
    """The words that matched are named, so that a wrong route can be mended in the table."""
    assert "«out of memory»" in shipped.route("we run out of memory").why


def test_a_question_no_row_knows_follows_its_claims(shipped: KnowledgeBase) -> None:
    """Where no row matches, the topic of the claim that covers the question decides."""
    route = shipped.route("does jnp.repeat keep the layout over the mesh axes")
    assert route.playbook != "unknown"
    assert route.pages


@pytest.mark.parametrize("text", ["", "xyzzy plugh", "红烧肉"])
def test_the_unknown_has_a_playbook_too(shipped: KnowledgeBase, text: str) -> None:
    """What nothing fits goes to the playbook for the unknown."""
    assert shipped.route(text).playbook == "unknown"


def test_every_playbook_can_be_reached(shipped: KnowledgeBase) -> None:
    """No playbook lies unused."""
    reached = {row.playbook for row in shipped.routes.rows} | set(shipped.routes.topic_playbooks.values())
    assert {path.stem for path in shipped.playbooks.glob("*.md")} == reached | {"unknown"}
