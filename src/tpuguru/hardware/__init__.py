"""Chips, slices and topologies."""
