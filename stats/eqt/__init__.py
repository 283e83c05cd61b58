"""The figures of Explain-Query-Tests."""
