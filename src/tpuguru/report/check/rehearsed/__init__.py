"""A check that runs the launch's own command on a virtual slice."""
