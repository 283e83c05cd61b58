"""Which options an answer chooses."""
