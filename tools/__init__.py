"""The outside world: chat models, fact sources, the journal."""
