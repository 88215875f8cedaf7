"""Readers of what was pasted: text in, settings with origins out."""
