"""The virtual slice: start a command against it and read its records."""
