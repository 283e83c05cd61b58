"""What pages are made of: tables, rows, figures, charts."""
