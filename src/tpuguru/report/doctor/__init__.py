"""The perf-doctor: a lint of one launch script, shown as a report on time and memory."""
