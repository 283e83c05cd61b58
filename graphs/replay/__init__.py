"""A finished drill once more: other models on its questions, another judge on its answers."""
