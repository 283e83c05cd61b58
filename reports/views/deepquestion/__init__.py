"""How DeepQuestion runs are shown."""
