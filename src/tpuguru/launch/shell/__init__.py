"""Static reading of bash: what a script would run, found without running any of it."""
