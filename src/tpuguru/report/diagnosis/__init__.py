"""Diagnose a paste: observed facts, rules, then the nearest knowledge."""
