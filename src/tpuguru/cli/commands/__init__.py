"""One module a command; the name of the module is the name of the command."""
