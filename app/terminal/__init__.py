"""The commands that talk to the running service from a terminal."""
