"""Runs: submit, execute, collect, store."""
