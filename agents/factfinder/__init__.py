"""The FactFinder: retrieves evidence."""
