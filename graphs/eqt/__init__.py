"""Explain-Query-Test."""
