"""Programs that run another command: each is taken off, until the command that trains or serves is left."""
