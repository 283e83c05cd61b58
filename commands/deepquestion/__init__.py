"""`fathom deepquestion`: its options, what was asked for, and its files."""
