"""Readers of compiler artifacts into COMPILED facts."""
