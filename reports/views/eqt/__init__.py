"""How Explain-Query-Tests are shown."""
