"""Building a DepthQA graph."""
