"""The figures of DeepQuestion."""
