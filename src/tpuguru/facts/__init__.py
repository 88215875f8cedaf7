"""The typed vocabulary: values with an origin, where unknown is a value."""
