"""The main job: parse, lint, compile, extract, prove, report."""
