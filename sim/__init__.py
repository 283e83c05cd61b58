"""A simulated world with known knowledge: model endpoint, wiki and search over one body of facts.

The facts are real, about the chemical elements. Everything it produces is labelled simulated; its
figures measure no real model.
"""
