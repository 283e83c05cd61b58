"""The command line's words: each file turns words into a spec or a query, and the answer into a
screen."""
