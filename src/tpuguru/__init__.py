"""tpuguru says what a launch will really do, before a chip is paid for."""

__version__ = "0.1.0"
