"""The contracts that leave the program, and their renderers."""
