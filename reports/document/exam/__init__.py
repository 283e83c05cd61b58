"""An exam for people: one HTML file that loads nothing, shows one question at a time and saves the
answers as a file. No reference stands in it."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib import resources

import orjson

RULE = (
    "Answer from memory, without books, the web or other people: first the fact that is asked for, "
    "then what belongs to it, in one to four sentences. Leave blank what you do not know; a guess "
    "that is wrong counts as wrong."
)


def page(title: str, exam: str, run: str, questions: Mapping[str, str]) -> str:
    """The page. `exam`: digest of the questions; `questions`: place in the run → text."""
    script, style = _part("exam.js"), _part("exam.css")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    data = {"exam": exam, "run": run, "questions": [*questions.items()]}
    inert = orjson.dumps(data).decode().replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<header><h1>{escape(title)}</h1><p>{escape(RULE)}</p></header>\n<main></main>\n"
        f'<script type="application/json" id="exam">{inert}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _part(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")
