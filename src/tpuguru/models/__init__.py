"""Model architectures and their parameter arithmetic."""
