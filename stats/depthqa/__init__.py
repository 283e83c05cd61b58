"""The figures of DepthQA."""
