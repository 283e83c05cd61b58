"""DeepQuestion in the simulated world: problems of stoichiometry."""
