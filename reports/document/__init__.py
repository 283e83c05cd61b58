"""Runs as one document to send on: a page that opens from disk, or Markdown."""
