"""Where things stand beside the tests."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The project."""
EXAMPLES = ROOT / "examples"
CORPORA = ROOT / "tests" / "corpora"
"""Forms of texts and what is to be read from them, one per line."""
REAL = ROOT.parent / "shared" / "data"
"""Real questions and answers, beside the project; absent in most places."""
