"""Services that index literature."""
