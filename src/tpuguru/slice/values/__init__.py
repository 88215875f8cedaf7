"""The values service: knows what was executed, computes what is read, notices who waits for whom."""
