"""DepthQA."""
