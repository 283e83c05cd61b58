"""One state machine per method, the depth scheduler, and the runner."""
