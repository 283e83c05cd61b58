"""`fathom eqt`: its options and what was asked for."""
