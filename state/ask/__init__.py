"""Own questions: what a run of them is, keeps and amounts to."""
