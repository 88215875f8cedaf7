"""Programs that run inside a toolchain and import nothing of ours."""
