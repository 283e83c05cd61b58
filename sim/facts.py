"""A fact: one value of one property of one subject, as a sentence on a page, a question, and an
answer.

What can be known is a table, `data/properties.tsv`: one line per property, with its tier, its words
and its unit. Every text names its subject and states exactly one fact. `{S}` is the subject at the
start of a sentence, `{s}` inside one, `{v}` the value with its unit. Texts never end on a single
letter: a full stop after one looks like an initial.

What is true is a table too, `data/facts.json`: for each subject its names and what belongs to it,
and a line per fact with the property, the value (or the items of one with several), and what else
the words need.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, BeforeValidator, Field

from ..state.tiers import Tier
from .values import Kind, join

DATA = Path(__file__).parent / "data"


class Property(BaseModel):
    """A kind of fact. `sentence` stands on pages, `question` asks, `claim` answers; `pool` names
    the values it shares with other properties; `section`: the heading under which a page states it,
    empty for the lead."""

    id: str = Field(alias="key")
    pool: str
    tier: Tier
    kind: Kind
    unit: str
    exact: Annotated[bool, BeforeValidator(bool)]
    gap: float
    section: str
    sentence: str
    question: str
    claim: str


with (DATA / "properties.tsv").open(encoding="utf-8", newline="") as _file:
    _ROWS = [Property.model_validate(row) for row in csv.DictReader(_file, delimiter="\t")]
PROPERTIES = {prop.id: prop for prop in _ROWS}


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """`items` are the single values that `value` joins ("pierre curie and marie curie" has two);
    for numbers, the bare figure. `also` are values that are true as well and so can never be
    offered as wrong ones."""

    id: str
    subject: str
    property: str
    """The pool of its values."""
    value: str
    items: tuple[str, ...]
    sentence: str
    question: str
    claim: str
    tier: Tier
    page: str
    """Title of the subject's encyclopedia page."""
    section: str | None
    topics: tuple[str, ...]
    """Names of pages that belong to the subject: what an answer may mention beside the fact."""
    also: frozenset[str]
    rivals: tuple[str, ...]
    """Where given, wrong answers are drawn from these instead of from all values of the property.
    """


def stated(
    subject: Mapping[str, Any],
    name: str,
    value: str | Sequence[str],
    *,
    shown: str = "",
    detail: str = "",
    id: str = "",
    also: Sequence[str] = (),
    rivals: Sequence[str] = (),
    tier: str = "",
    section: str | None = None,
    **words: str,
) -> Fact:
    """The fact that a property of a subject has this value.

    `key`, `inside` and `start` of the subject are its name in ids, inside a sentence and at the
    start of one; `detail`: what of it, behind the name. `id` tells facts of one subject and
    property apart; `words` fill further places of the property's words; `shown`: how the value is
    written, where that is not value and unit; tier and section differ by fact for some properties.
    """
    prop, items = PROPERTIES[name], (value,) if isinstance(value, str) else tuple(value)
    text = shown or (
        f"{items[0]} {prop.unit}".strip() if prop.kind == "number" else join(items)
    )
    inside = f"{subject['inside']}{detail}"
    words = {
        "s": inside,
        "S": f"{subject['start']}{detail}",
        "v": text,
        **words,
    }
    level = Tier(tier) if tier else prop.tier
    return Fact(
        f"{subject['key']}{detail}/{id or name}".replace(" ", "-"),
        inside,
        prop.pool,
        text,
        items,
        prop.sentence.format_map(words),
        prop.question.format_map(words),
        prop.claim.format_map(words),
        level,
        subject["page"],
        (prop.section if section is None else section) or None,
        tuple(subject["common" if level is Tier.COMMON else "topics"]),
        frozenset(also),
        tuple(rivals),
    )


def lower_first(title: str) -> str:
    return title[:1].lower() + title[1:]


_TABLE = orjson.loads((DATA / "texts.json").read_bytes())
TEXTS: Mapping[str, Mapping[str, Sequence[str]]] = _TABLE["said"]
"""Openings, forms and reasons, to be drawn from."""
BY_ORDER: Mapping[str, Mapping[str, str]] = _TABLE["by order"]
"""What the words of an order call for: topics of multi-select questions, and ways to reword one."""
