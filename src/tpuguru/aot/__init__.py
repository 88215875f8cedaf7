"""Compile a launch without its hardware: jobs, runs, the run store, executors, toolchains, proofs."""
