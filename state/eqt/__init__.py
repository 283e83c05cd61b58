"""What is kept of Explain-Query-Tests."""
