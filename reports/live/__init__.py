"""The live screen, and plain lines in its place."""
