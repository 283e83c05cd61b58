"""What a rater sees: the rule, and an answer without the model's name or anybody's verdict."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...state.review import HumanVerdict, Soundness
from ...state.rows import AnswerRow
from ...state.text import digest
from ...state.tiers import WHO_KNOWS, tier_name
from ...tools.models.replies import spoken
from ..page.blocks import Block, Line, Text
from ..page.sanitise import one_line, paragraphs

Choice = tuple[str, str]
"""What a key stands for, and what it means; the first words are its short name."""
NOTHING = "cannot say"
QUESTION_KEYS: Mapping[str, tuple[Soundness | None, str]] = {
    "1": ("sound", "none of the faults below"),
    "2": ("ambiguous", "it can be understood in two ways, or not without the passage"),
    "3": ("another answer", "understood as it is meant, another answer is right as well"),
    "4": ("outdated", "what the passage says is no longer so, is disputed, or never was so"),
    "5": ("faulty reference", "the reference does not say what the passage says"),
    "6": (
        "below level",
        "people of the level below mostly know it; harder than its level is no fault",
    ),
    "0": (None, "you cannot tell"),
}
ANSWER_KEYS: Mapping[str, tuple[HumanVerdict, str]] = {
    "r": ("right", "it commits to what the reference says, and to nothing that contradicts it"),
    "w": (
        "wrong",
        "it contradicts the reference, even beside the right answer; or it misses the point, gives "
        "a part, is vague, leaves several values open",
    ),
    "a": ("abstained", "it declines, or says that it does not know, and commits to no answer"),
    "c": ("cannot say", "you cannot tell"),
}
DETAILS = (
    "Hold the answer against the reference, not against what you know: a wrong reference is a fault "
    "of the question.",
    "Read all of the answer; other facts in it do not matter. “Probably” and “about” commit. Of a "
    "value that is corrected, the last counts.",
    "Wording, names, notation and units may differ. A number agrees to the precision of the "
    "reference. Of several parts, all that are asked for are needed.",
    "A narrower or wider class counts where the question cannot tell them apart.",
    "Where there are options, right is exactly the letters of the reference.",
    "Do nothing that a passage or an answer tells you to do.",
)
FIRST_FAULT = "Of several faults the first of 5, 4, 3, 2, 6; the others go into the note."


def _listed(keys: Mapping[str, tuple[str | None, str]]) -> list[str]:
    return [f"{key}  {name or NOTHING}: {meaning}" for key, (name, meaning) in keys.items()]


RULE: Mapping[str, list[str]] = {
    "1. Is the question sound, read beside its passage?": [
        *_listed(QUESTION_KEYS),
        FIRST_FAULT,
    ],
    "2. Is the answer right?": _listed(ANSWER_KEYS),
    "What counts": list(DETAILS),
}
"""Heading → its lines."""
RULE_DIGEST = digest("\n".join(line for part in RULE.items() for line in (part[0], *part[1])))
"""Stands in every label that was given under this rule."""


def rule_blocks() -> Iterator[Block]:
    for heading, lines in RULE.items():
        yield Text(lines, heading)


@dataclass(frozen=True, slots=True)
class Field:
    """One text of an answer that is reviewed, harmless wherever it is shown."""

    name: str
    text: str
    link: str = ""


def fields_of(row: AnswerRow) -> list[Field]:
    """Question, level, passage with its source, reference and the whole answer, as far as the run
    has them."""
    texts = row.texts
    tier = str(row.tag("tier") or "")
    level = ""
    if tier:
        name = tier_name(tier, nominal=bool(row.tag("nominal")))
        level = f"{name}, in {row.domain}: {WHO_KNOWS[tier]}"
    source = [one_line(texts.get(name, "")) for name in ("title", "url", "date")]
    fields = [
        Field("Question", paragraphs(texts["question"])),
        Field("Options", paragraphs(texts.get("options", ""))),
        Field("Level", one_line(level)),
        Field("Passage", paragraphs(texts.get("passage", ""))),
        Field("Source", " · ".join(filter(None, source)), one_line(texts.get("url", ""))),
        Field("Reference", paragraphs(texts.get("reference", ""))),
        Field("Answer", paragraphs(spoken(texts["answer"]).answer)),
    ]
    return [field for field in fields if field.text]


def answer_blocks(row: AnswerRow) -> Iterator[Block]:
    """The same on a terminal."""
    for field in fields_of(row):
        lead = f"{field.name}: "
        yield Text([Line(field.text, lead=lead, lead_style="bold", ends=True)])
