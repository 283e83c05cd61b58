"""The same runs behind HTTP: REST, server-sent events, a live page."""
