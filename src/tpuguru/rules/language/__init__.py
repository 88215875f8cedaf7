"""The rule language: a typed, three-valued subset of Python's expression syntax, never given to `eval`."""
