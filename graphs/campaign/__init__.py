"""Campaigns: many runs, shared out over processes and machines, each asked once."""
