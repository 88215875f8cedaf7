"""Small pages, glossaries and playbooks for tests, written into a folder as an expert would."""

from pathlib import Path

from tpuguru.knowledge import KnowledgeBase, open_knowledge

FRONT = "---\npage: 06-memory\ntitle: Memory\nreviewed: 2026-12-01\nsummary: What fills memory.\n---\n"
SOURCE = "https://example.org/issue/1 (2026-05-01)"
ROUTES = '[[route]]\nplaybook = "oom"\npages = ["06-memory"]\nwhy = "memory ran out"\nwords = ["out of memory", "显存不足"]\n[topics]\nmem = "oom"\n'
PLAYBOOK = "# Out of memory\n\n## Steps\n\n1. Read it.\n   Evidence: the log.\n\n## Stop when\n\n- it fits.\n"
GLOSSARY = "| concept | English | 中文 |\n|---|---|---|\n| oom | out of memory; OOM | 显存不足; 爆显存 |\n| checkpoint | checkpoint; ckpt | 检查点 |\n| ignored | the; why; is; my | 的; 为什么 |\n"


def claim(claim_id: str = "mem-one", title: str = "One thing is so", **keys: str) -> str:
    """Return a claim's Markdown; ``mark``, ``text`` and every key of the format may be given."""
    mark, text = keys.pop("mark", "🟢"), keys.pop("text", "It is so because of this.")
    fields = {"scope": "jax", "source": SOURCE} | keys
    lines = [f"{key}: {value}" for key, value in fields.items() if value]
    return "\n".join([f"## {claim_id} {mark} {title}", *lines, "", text, ""])


def write_base(root: Path, *claims: str, glossary: str = GLOSSARY, routes: str = ROUTES) -> None:
    """Write a knowledge folder and playbooks under ``root``."""
    (root / "knowledge").mkdir(parents=True, exist_ok=True)
    (root / "playbooks").mkdir(exist_ok=True)
    (root / "knowledge" / "06-memory.md").write_text(FRONT + "\n" + "\n".join(claims or (claim(),)))
    (root / "knowledge" / "glossary.md").write_text(glossary)
    (root / "playbooks" / "routes.toml").write_text(routes)
    (root / "playbooks" / "oom.md").write_text(PLAYBOOK)
    (root / "playbooks" / "unknown.md").write_text(PLAYBOOK)


def opened(root: Path) -> KnowledgeBase:
    """Return the knowledge base under ``root``, cached under ``root``."""
    return open_knowledge(root / "knowledge", root / "playbooks", root / "cache")
