"""Readers of logs, errors and profiles into OBSERVED facts."""
