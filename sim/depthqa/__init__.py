"""DepthQA in the simulated world: questions at three depths about the elements."""
