"""Readers and writers of the files that people hand over."""
