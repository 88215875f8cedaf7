"""Programs that run in the user's own Python (with its own jaxlib) and import nothing of ours."""
