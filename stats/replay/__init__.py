"""The figures of replays."""
