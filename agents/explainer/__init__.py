"""The Explainer: names aspects and concepts, explains, writes reference answers."""
