"""Study files: what commands take, written down."""
