"""The contracts: everything that leaves the program as JSON. A module declares its own as ``CONTRACT``."""
