"""What every room may use: errors, places on disk, redaction, progress, units."""
