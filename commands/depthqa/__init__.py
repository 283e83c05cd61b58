"""`fathom depthqa`: its options and what was asked for."""
