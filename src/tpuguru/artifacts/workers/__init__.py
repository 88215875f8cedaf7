"""Programs that run inside a toolchain's own interpreter; they import nothing of tpuguru."""
