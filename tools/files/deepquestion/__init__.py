"""Benchmarks of problems, and files of texts written from them."""
