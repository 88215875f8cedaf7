"""The rule engine: typed, three-valued expressions over facts."""
