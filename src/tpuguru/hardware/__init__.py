"""Chips, slices and topologies: what the data files under hardware/ say, and what slice names mean."""
