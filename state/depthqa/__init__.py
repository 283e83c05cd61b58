"""What is kept of DepthQA runs."""
