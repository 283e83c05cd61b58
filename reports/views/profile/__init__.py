"""How profiles are shown."""
