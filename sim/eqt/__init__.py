"""Explain-Query-Test in the simulated world."""
