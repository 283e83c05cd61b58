"""`fathom replay`: its options and what was asked for."""
