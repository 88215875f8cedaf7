"""Showing and testing rules: the list, a rule's page, the generated catalog, the checks of authors."""
