"""Resolved settings as a report."""
