"""Tables as rows, whatever they are written in."""
