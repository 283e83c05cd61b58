"""What is kept of DeepQuestion runs."""
