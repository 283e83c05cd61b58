"""A review as one HTML file that loads nothing: one answer at a time, labels kept in the browser and
saved as a file.

What is foreign stands in a block of data, and the page's script puts it into text nodes. Nothing in
it tells a run, a model, a verdict or how likely an answer was to be drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import IO, Any

import orjson

from ....state.rows import AnswerRow
from ...views.review import ANSWER_KEYS, NOTHING, QUESTION_KEYS, RULE, RULE_DIGEST, fields_of
from ..html import one_script, page_part
from ..sheet import head

TITLE = "Fathom review"


def write(answers: Sequence[tuple[str, AnswerRow]], rater: str, file: IO[str]) -> None:
    """Write the page of a rater. `answers`: id in the review, and row, in the order shown."""
    style = page_part("page", ".css") + page_part("review", ".css")
    program = one_script(page_part("page", "0_elements.js"), page_part("review", ".js"))
    ids = "\n".join([rater, *(name for name, _ in answers)])
    data = {
        "id": sha256(ids.encode()).hexdigest()[:16],
        "rater": rater,
        "rule": RULE_DIGEST,
        "rules": [{"heading": heading, "lines": lines} for heading, lines in RULE.items()],
        "questions": _choices(QUESTION_KEYS),
        "answers": _choices(ANSWER_KEYS),
        "items": [
            {"id": name, "fields": [asdict(field) for field in fields_of(row)]}
            for name, row in answers
        ],
    }
    text = orjson.dumps(data).decode().replace("<", "\\u003c")
    file.write(
        f'{head(TITLE, style, [program])}<body>\n<main id="review"></main>\n'
        f'<script type="application/json" id="data">{text}</script>\n'
        f"<script>{program}</script>\n</body>\n</html>\n"
    )


def _choices(keys: Mapping[str, tuple[Any, str]]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": value, "name": value or NOTHING, "about": about}
        for key, (value, about) in keys.items()
    ]
