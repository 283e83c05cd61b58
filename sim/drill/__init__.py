"""The drill in the simulated world: its questions, with and without faults, and its verdicts."""
