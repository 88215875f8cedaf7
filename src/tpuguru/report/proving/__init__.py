"""What a proof of a program's settings shows: the command and its text."""
