"""Benchmarks, transformed benchmarks and prompts as files."""
