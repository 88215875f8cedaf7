"""The answer to a question, as records and as text in English or Chinese."""
