"""What is kept of runs: journal, folders, bundles, logs."""
