"""What flows through Fathom and what is kept: specs, records, events, results. Imports nothing else
of Fathom."""
