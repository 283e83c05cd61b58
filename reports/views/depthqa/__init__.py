"""How DepthQA runs are shown."""
