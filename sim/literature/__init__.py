"""The simulated literature and the services that index it."""
