"""DeepQuestion."""
