"""A folder of documents as a searchable library: which files there are, how they are read, and
their index."""
