"""The Judge: compares, rates, decides."""
