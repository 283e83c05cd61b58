"""The figures of profiles."""
