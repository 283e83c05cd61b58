"""The figures of drills."""
