"""The Prober: puts questions and problems to the target."""
