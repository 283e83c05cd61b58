"""How drills are shown."""
