"""The frame around quoted claims, in English and Chinese; claims stay as they were written."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """The words of one language."""

    question: str
    covered: str
    not_covered: str
    nearest: str
    playbook: str
    pages: str
    also: str
    missing: str
    source: str
    scope: str
    conditions: str
    measured: str
    remedy: str
    superseded: str
    slices: str
    slice: str
    counts: str
    levels: dict[str, str]


ENGLISH = Phrases(
    question="Question",
    covered="What the knowledge base says (quoted):",
    not_covered="This is not covered by the knowledge base.",
    nearest="Nearest pages:",
    playbook="Playbook to follow",
    pages="pages",
    also="or",
    missing="Not covered by these claims",
    source="source",
    scope="scope",
    conditions="conditions",
    measured="measured",
    remedy="remedy",
    superseded="superseded by",
    slices="From the hardware files (tpuguru hardware NAME says more):",
    slice="{text}: {chip}, chips {chips}, devices {devices}, cores {cores}, hosts {hosts}, HBM {memory}",
    counts="the number in the name counts {counts}",
    levels={
        "mechanism": "🟢 mechanism: holds wherever the mechanism does",
        "pattern": "🟡 pattern: usually holds, check",
        "number": "🔴 number: measure again in your environment",
    },
)

CHINESE = Phrases(
    question="问题",
    covered="知识库中的相关结论(原文引用):",
    not_covered="知识库没有覆盖这个问题。",
    nearest="最接近的页面:",
    playbook="应遵循的操作手册",
    pages="页面",
    also="也可参考",
    missing="以上结论未涉及",
    source="来源",
    scope="适用范围",
    conditions="条件",
    measured="实测",
    remedy="处理办法",
    superseded="已被取代,见",
    slices="来自硬件数据(更多:tpuguru hardware 名称):",
    slice="{text}:{chip},芯片 {chips},设备 {devices},TensorCore {cores},主机 {hosts},HBM 共 {memory}",
    counts="名称中的数字指 {counts}",
    levels={
        "mechanism": "🟢 机理:只要机理存在就成立",
        "pattern": "🟡 规律:通常成立,需核对",
        "number": "🔴 数值:必须在你的环境里重新测量",
    },
)


def phrases(language: str) -> Phrases:
    """Return the words for ``en`` or ``zh``."""
    return CHINESE if language == "zh" else ENGLISH
