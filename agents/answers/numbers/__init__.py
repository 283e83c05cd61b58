"""Numbers in answers: how they are written, what they are worth, and when two are the same."""
