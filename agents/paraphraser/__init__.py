"""The Paraphraser: the same question in other words."""
