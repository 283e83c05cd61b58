"""An exam for people: one HTML file that loads nothing, shows one question at a time and saves the
answers as a file. No reference stands in it."""

from collections.abc import Mapping
from html import escape

import orjson

from ..html import page_part
from ..sheet import head

RULE = (
    "Answer from memory, without books, the web or other people: first the fact that is asked for, "
    "then what belongs to it, in one to four sentences. Leave blank what you do not know; a guess "
    "that is wrong counts as wrong."
)


def page(title: str, exam: str, run: str, questions: Mapping[str, str]) -> str:
    """The page. `exam`: digest of the questions; `questions`: place in the run → text."""
    script, style = page_part("exam", ".js"), page_part("exam", ".css")
    data = {"exam": exam, "run": run, "questions": [*questions.items()]}
    inert = orjson.dumps(data).decode().replace("<", "\\u003c")
    return (
        f"{head(title, style, [script])}<body>\n"
        f"<header><h1>{escape(title)}</h1><p>{escape(RULE)}</p></header>\n<main></main>\n"
        f'<script type="application/json" id="exam">{inert}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )
