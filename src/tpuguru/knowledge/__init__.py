"""Claims: read, check, search, cite, and route a symptom."""

from tpuguru.knowledge.base import KnowledgeBase, open_knowledge

__all__ = ["KnowledgeBase", "open_knowledge"]
