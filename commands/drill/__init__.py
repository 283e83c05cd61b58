"""`fathom drill`: its options and what was asked for."""
