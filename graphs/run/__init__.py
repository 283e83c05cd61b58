"""Launching, executing, resuming: what is the same for every method."""
