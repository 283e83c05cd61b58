"""What was asked before: replies of models and look-ups of sources, in one file that all runs of a
machine share."""
