"""What lies on PYTHONPATH of a rehearsed program; imported by that program's Python, not by ours."""
