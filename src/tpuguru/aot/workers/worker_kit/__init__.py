"""What every worker needs; imports the standard library only, until a worker loads its framework."""
