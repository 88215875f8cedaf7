"""Linting a launch: rules, ignore comments, configuration, baseline, and every output format."""
