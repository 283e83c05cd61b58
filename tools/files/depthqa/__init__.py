"""Question graphs, answers and ratings as files."""
