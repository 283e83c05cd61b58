"""Intervals against the truth."""
