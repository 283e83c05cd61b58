"""Offline encyclopedias as ZIM files."""
