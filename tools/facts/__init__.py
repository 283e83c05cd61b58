"""Fact sources: where evidence comes from."""
