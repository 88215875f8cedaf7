"""Renderers of documents: terminal and Markdown from the same sections."""
