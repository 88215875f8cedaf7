"""Readers of XProf profiles: its JSON tables, and what they say about a step."""
