"""How the building of a DepthQA graph is shown."""
