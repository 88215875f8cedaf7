"""Claims: read, check, search, cite, and route a symptom."""
