"""Answers quote claims as written, in a frame of the question's language, and admit what is not covered."""

import jsonschema
import msgspec
import pytest

from tpuguru.base.errors import NothingToCheckError
from tpuguru.knowledge import KnowledgeBase
from tpuguru.report.answer.build import answer_report
from tpuguru.report.answer.text import render_answer
from tpuguru.report.contracts.answer import AnswerReport

COVERED = "Why does the loss jump after every preemption although step and data position are fine?"
COVERED_ZH = "断点恢复之后 loss 突然跳高,是优化器状态没有恢复吗?"
OUTSIDE = "how do I bake sourdough bread"
OUTSIDE_ZH = "红烧肉怎么做"


def answered(base: KnowledgeBase, question: str, language: str = "auto") -> AnswerReport:
    return answer_report(base.answer(question, language))


@pytest.mark.parametrize("question", [COVERED, COVERED_ZH])
def test_an_answer_only_quotes(shipped: KnowledgeBase, question: str) -> None:
    """Every claim stands word for word as on its page, with id, level and source."""
    report = answered(shipped, question)
    assert report.covered
    assert 1 <= len(report.claims) <= 4
    text = render_answer(report)
    for quoted in report.claims:
        original = shipped.claim(quoted.id)
        assert (quoted.title, quoted.text) == (original.title, original.text)
        assert f"[{quoted.id}]" in text
        assert all(source.url in text for source in quoted.sources)
    assert "playbooks/restart.md" in text


def test_the_frame_speaks_the_language_of_the_question(shipped: KnowledgeBase) -> None:
    """A Chinese question gets a Chinese frame, unless another language is asked for; claims stay as they are."""
    chinese = render_answer(answered(shipped, COVERED_ZH))
    assert "知识库中的相关结论" in chinese
    assert "应遵循的操作手册" in chinese
    english = render_answer(answered(shipped, COVERED_ZH, "en"))
    assert "What the knowledge base says (quoted):" in english
    assert shipped.answer(COVERED).language == "en"
    assert shipped.answer(COVERED, "zh").language == "zh"


@pytest.mark.parametrize(
    ("question", "said"),
    [(OUTSIDE, "This is not covered by the knowledge base."), (OUTSIDE_ZH, "知识库没有覆盖这个问题。")],
)
def test_what_is_not_covered_is_said(shipped: KnowledgeBase, question: str, said: str) -> None:
    """No claim is quoted for a question about something else, in either language."""
    report = answered(shipped, question)
    assert not report.covered
    assert report.claims == ()
    assert said in render_answer(report)


def test_the_nearest_pages_are_named(shipped: KnowledgeBase) -> None:
    """A question at the edge is refused with the pages that come nearest."""
    report = answered(shipped, "how to fine-tune on an Apple M3 MacBook with MLX")
    assert not report.covered
    assert 1 <= len(report.nearest) <= 3
    text = render_answer(report)
    assert "Nearest pages:" in text
    assert report.nearest[0].id in text


def test_the_part_that_is_not_covered_is_named(shipped: KnowledgeBase) -> None:
    """A covered question with a word of no claim says which word that is."""
    report = answered(shipped, "float32 matmul on TPU differs from CPU when compiled by flibbertigibbet")
    assert report.covered
    assert "flibbertigibbet" in report.not_covered


def test_markdown_has_headings(shipped: KnowledgeBase) -> None:
    """The Markdown form has one heading per claim, with its level's mark."""
    report = answered(shipped, COVERED)
    text = render_answer(report, markdown=True)
    assert text.startswith("## Question: ")
    assert text.count("\n### ") == len(report.claims)


def test_the_report_follows_its_contract(shipped: KnowledgeBase, request: pytest.FixtureRequest) -> None:
    """Covered or not, in JSON the answer validates against contracts/answer.v1.json."""
    schema = msgspec.json.decode((request.config.rootpath / "contracts" / "answer.v1.json").read_bytes())
    for question in (COVERED, OUTSIDE_ZH):
        document = msgspec.json.decode(msgspec.json.encode(answered(shipped, question)))
        jsonschema.validate(document, schema)
        assert document["schema"] == "tpuguru/answer/v1"


def test_secrets_in_a_question_are_not_repeated(shipped: KnowledgeBase) -> None:
    """A token pasted with the question appears nowhere in the answer."""
    secret = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567"
    report = answered(shipped, f"checkpoint load fails with HF_TOKEN={secret}")
    assert secret not in render_answer(report)
    assert secret not in msgspec.json.encode(report).decode()


@pytest.mark.parametrize("question", ["", "  \n", "\t"])
def test_an_empty_question_is_nothing_to_answer(shipped: KnowledgeBase, question: str) -> None:
    """Nothing asked is said so."""
    with pytest.raises(NothingToCheckError):
        shipped.answer(question)


def test_a_huge_question_is_answered_from_its_beginning(shipped: KnowledgeBase) -> None:
    """A pasted log of megabytes costs no more than its first page."""
    assert shipped.answer(COVERED + "\n" + "noise 0x1f " * 300_000).covered in (True, False)


@pytest.mark.parametrize(
    ("question", "counted"),
    [
        ("how many devices does tpu7x-128 have?", [("tpu7x-128", 64, 128, 16)]),
        ("v5p-256有多少芯片", [("v5p-256", 128, 128, 32)]),
        (
            "is 2xv6e-256 better than v5litepod-16",
            [("2xv6e-256", 512, 512, 128), ("v5litepod-16", 16, 16, 4)],
        ),
        ("does v6e-3 exist, and what of a v6e chip or libtpu-0.0.52", []),
    ],
)
def test_slices_in_a_question_are_counted(
    shipped: KnowledgeBase, question: str, counted: list[tuple[str, int, int, int]]
) -> None:
    """Chips, devices and hosts come from the hardware files; a slice that there is not is left alone."""
    report = answered(shipped, question)
    assert [(each.text, each.chips, each.devices, each.hosts) for each in report.slices] == counted
    text = render_answer(report)
    assert all(f"  - {name}" in text for name, *_ in counted)
