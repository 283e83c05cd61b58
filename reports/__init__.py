"""Results and running drills as text: the live screen, summaries, plots, traces, pictures."""
