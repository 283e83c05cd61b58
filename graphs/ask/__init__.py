"""Own questions: somebody's questions put to models, and a look at their references."""
