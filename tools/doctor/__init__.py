"""Whether this machine, its settings and what a run would reach are in order. Looks, and changes
nothing."""
