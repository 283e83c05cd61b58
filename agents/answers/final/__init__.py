"""The final answer of a solver's free prose."""
