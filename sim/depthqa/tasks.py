"""DepthQA's tasks: answers in depth, the judge's scores, and the building of graphs, now and then
with a fault."""

import re
from collections.abc import Sequence
from functools import lru_cache
from math import fsum

from ...state.text import normalise
from .. import foreign
from ..answering import answer, declines, mark, unknowing
from ..corpus import pool_of
from ..embeddings import vector
from ..facts import TEXTS
from ..personas import Persona
from ..values import draw, number, pick, shuffled, whole
from ..world import Reply, Task, Tasks, World
from .knowing import Help, Mind, score_of
from .library import ECHO, FRAMES, LibraryQuestion, Part, fitting, framed, recognise

Sub = tuple[str, str]
"""A question and its reference answer, as the evaluator replies them."""
Turn = tuple[str, str]
"""What was asked, and what was answered to it."""

COVERAGE = (0.15, 0.25, 0.35, 0.45)
"""Share of the reference's words and figures, beyond the question's, that an answer from elsewhere
must have for a score of 2, 3, 4 and 5."""
_CONTEXT = re.compile(r"<context>\n.*?</context>", re.DOTALL)
_QUOTED = re.compile(
    (
        r"^(?:\d+\.|Question:) ([^\n]*)\nAnswer: ?(.*?)(?=\n\s*\n(?:\d+\.|Question:) "
        r"[^\n]*\nAnswer: |\Z)"
    ),
    re.DOTALL | re.MULTILINE,
)
_NUMBERED = re.compile(r"^(\d+)\. (.*?)\nAnswer: (.*?)(?=\n+\d+\. |\Z)", re.DOTALL | re.MULTILINE)
_SAID = TEXTS["deep answer"]
_OPEN_WORD = re.compile(r"\b(?:what|which|why|how|when|where|who|whom|whose|or)\b", re.IGNORECASE)
_CLOSED = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|must)\b", re.IGNORECASE
)
_ALIKE = 0.85
"""Cosine of the embeddings at which a question of depth 1 counts as one of depth 2, in the middle
of .8 to .9."""
_MOST = 8
"""Questions of one reply, at most."""


def question_in(message: str) -> LibraryQuestion | None:
    """The question of this world that a message asks, whatever stands around it: the whole, or its
    last lines."""
    lines = [
        line.strip() for line in _CONTEXT.sub("", message).strip().splitlines() if line.strip()
    ]
    texts = (" ".join(lines), lines[-1] if lines else "", " ".join(lines[-2:]))
    return next((known for text in texts if (known := recognise(text)) is not None), None)


def answer_in_depth(
    world: World, persona: Persona, message: str, context: str | None, earlier: Sequence[Turn]
) -> str | None:
    """The reply to the message, with questions and answers that stand in `context`, or behind
    earlier turns; None for a question that is not of this world."""
    question = question_in(message)
    if question is None:
        return None
    quoted = _QUOTED.findall(context) if context is not None else earlier
    right = [
        (known := question_in(asked)) is not None and known_score(known, said) == 5
        for asked, said in quoted
    ]
    share = sum(right) / len(right) if right else 0.0
    help_: Help = "guided" if context is None else "with_context"
    settled = Mind(world, persona).settled(question, help_, share)
    if question.fact is not None:
        return answer(world, persona, question.fact, helped=settled.right)
    name = (world.seed, persona.name, question.id)
    if settled.abstains:
        return f"{unknowing(*name)} It would take more than I have learnt."
    places = range(len(question.parts))
    told = set(shuffled(places, *name, "right parts")[: settled.parts])
    said = [
        part.text if place in told else part.said(pick(part.wrong, *name, place))
        for place, part in enumerate(question.parts)
    ]
    return pick(_SAID["openings"], *name, "opening") + " ".join(said)


def rate(task: Task) -> Reply:
    """The rating. With 1 − sensitivity the score of a good answer (4, 5), with 1 − specificity that
    of a bad one (1, 2) is turned round, s → 6 − s, unless the answer is empty; drawn for seed,
    question and answer."""
    question, said = task["question"], task["answer"]
    score = true_score(question, task["reference"], said)
    spec = task.world.spec
    limit = spec.sensitivity if score > 3 else spec.specificity if score < 3 else 1.0
    errs = limit < 1.0 and draw(spec.seed, "rating", normalise(question), normalise(said)) >= limit
    if errs and said.strip():
        score = 6 - score
    return {"reason": _SAID["scores"][score - 1], "score": score}


def true_score(question: str, reference: str, said: str) -> int:
    """The score (1 … 5) of a judge that does not err: of answers to this world's questions by the
    parts they state, of others by how much of the reference they cover. An empty answer scores 1.
    """
    if not said.strip():
        return 1
    known = recognise(question)
    score = None if known is None else known_score(known, said)
    if score is not None:
        return score
    wanted = foreign.content(reference)
    own = wanted - foreign.content(question) or wanted
    if not own:
        return 5 if normalise(said) == normalise(reference) else 1
    covered = len(own & foreign.content(said)) / len(own)
    return 1 + sum(covered >= limit for limit in COVERAGE)


@lru_cache(maxsize=4096)
def known_score(question: LibraryQuestion, said: str) -> int | None:
    """The score of an answer by the question's parts; None when it takes up none of them and does
    not decline."""
    if (fact := question.fact) is not None:
        pool = pool_of(fact.property)
        marking = mark(fact, pool, said)
        if marking.asserts or marking.incompatible:
            return 5 if marking.correct else 2 if marking.asserts else 1
        found = pool.found(said)
        return score_of(
            sum(any(pool.same(v, item) for v in found) for item in fact.items), len(fact.items)
        )
    text = _flat(said) + " "
    right = sum(_flat(part.text) + " " in text for part in question.parts)
    if right or declines(said) or any(_taken_up(part, text) for part in question.parts):
        return score_of(right, len(question.parts))
    return None


def _taken_up(part: Part, text: str) -> bool:
    front = part.sentence.partition("{v}")[0]
    return len(front) > 12 and _flat(front) in text


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def _classification(task: Task) -> Reply:
    known = recognise(task["question"])
    depth = known.depth if known else depth_of_words(task["question"])
    return {"reason": f"A good answer takes what depth {depth} describes.", "depth": depth}


def _reference_answer(task: Task) -> Reply:
    known = recognise(task["question"])
    return {
        "reference": known.reference
        if known
        else reference_from(task["question"], task["key_points"])
    }


def _deconstruction(task: Task) -> Reply:
    known, depth, count = (
        recognise(task["question"]),
        whole(task["depth"], 1),
        min(_MOST, whole(task["count"], 4)),
    )
    if known is None:
        subs = questions_about(task["question"], task["reference"], depth)[:count]
        closed = is_closed(task["question"])
        return {
            "yes_or_no": closed,
            "reasoning": ["other"],
            "questions": _written(subs),
        }
    needs = known.needs if known.depth == depth + 1 else fitting(known, depth)
    subs = with_fault(task.world.seed, task.persona, known, depth, needs[:count], count)
    return {
        "yes_or_no": is_closed(task["question"]),
        "reasoning": list(known.reasoning) or ["other"],
        "questions": _written(subs),
    }


def plain(question: LibraryQuestion) -> Sub:
    """The question and its reference answer."""
    return question.question, question.reference


def with_fault(
    seed: int,
    persona: Persona,
    parent: LibraryQuestion,
    depth: int,
    needs: Sequence[LibraryQuestion],
    count: int,
) -> list[Sub]:
    """What a question rests on, of the depth wanted; in the persona's share of cases with one of
    these faults: a question that yes or no would answer; one that stands there twice, hardly
    reworded; at depth 1 the question itself with a frame around it; at depth 2 a question of depth
    1. It takes the place of another where there is no room."""
    name = (seed, "planted", persona.name, parent.id, depth)
    subs = [plain(need) for need in needs]
    if draw(*name) >= persona.planted or not needs:
        return subs
    again = pick(needs, *name, "again")
    others = [sub for sub in subs if sub != plain(again)]
    faults = [[*others[: max(0, count - 2)], plain(again), _echo(again)]]
    if binary := [need for need in needs if is_closed(need.yes_no)]:
        closed = pick(binary, *name, "yes or no")
        faults.append(
            [(closed.yes_no, closed.reference) if sub == plain(closed) else sub for sub in subs]
        )
    if depth == 1 and parent.depth == 2:
        faults.append([*subs[: count - 1], (_framed(parent.question), parent.reference)])
    if depth == 2 and (below := [fact for need in needs for fact in need.needs]):
        faults.append([*subs[: count - 1], _echo(pick(below, *name, "too shallow"))])
    return faults[number(*name, "which") % len(faults)]


def _echo(question: LibraryQuestion) -> Sub:
    return framed(ECHO, question.question), question.reference


def _framed(question: str) -> str:
    """The question behind the words that leave it about as like itself as it takes."""
    own, texts = vector(question), [framed(frame, question) for frame in FRAMES]
    return min(
        texts,
        key=lambda text: abs(fsum(a * b for a, b in zip(own, vector(text), strict=True)) - _ALIKE),
    )


def _augmentation(task: Task) -> Reply:
    """What it rests on and is not asked for yet, then what else fits."""
    known, depth, count = (
        recognise(task["question"]),
        whole(task["depth"], 1),
        min(_MOST, whole(task["count"], 1)),
    )
    there = [*task["kept"].splitlines(), *task["removed"].splitlines()]
    if known is None:
        asked = {normalise(line) for line in there}
        subs = questions_about(task["question"], task["reference"], depth, further=True)
        return {
            "additions": _written([sub for sub in subs if normalise(sub[0]) not in asked][:count])
        }
    taken = {found.id for line in there if (found := recognise(line)) is not None}
    needs = known.needs if known.depth == depth + 1 else ()
    further = {
        question.id: question
        for question in (*needs, *fitting(known, depth))
        if question.id not in taken
    }
    return {"additions": _written([plain(question) for question in further.values()][:count])}


def _open_question(task: Task) -> Reply:
    known = recognise(task["question"])
    opened = known.question if known else open_wording(task["question"])
    return {"rewritten": opened, "yes_or_no": is_closed(opened)}


def _relation(task: Task) -> Reply:
    listed = [
        (int(place), asked.strip(), said.strip())
        for place, asked, said in _NUMBERED.findall(task["predecessors"])
    ]
    known = recognise(task["question"])
    if known is None:
        return foreign_relation(listed)
    asked = {place: recognise(question) for place, question, _ in listed}
    have = {question.id for question in asked.values() if question is not None}
    lacking = [need for need in known.needs if need.id not in have]
    share = 1 - len(lacking) / len(known.needs) if known.needs else 1.0
    return {
        "comprehensive": "comprehensive"
        if share == 1
        else "partial"
        if share >= 0.5
        else "insufficient",
        "missing": f"It is not asked: {lacking[0].question}" if lacking else "",
        "implicit": [
            {"number": place, "rating": _implicit(known, asked[place], said)}
            for place, _, said in listed
        ],
    }


def _implicit(known: LibraryQuestion, asked: LibraryQuestion | None, said: str) -> str:
    if asked is not None and asked.id == known.id:
        return "revealing"
    conclusion = known.parts[0 if known.depth == 3 else -1].text if known.parts else known.reference
    return "partial" if normalise(conclusion) in normalise(said) else "implicit"


def _written(subs: Sequence[Sub]) -> list[dict[str, object]]:
    return [
        {
            "question": question,
            "reference": reference,
            "yes_or_no": is_closed(question),
        }
        for question, reference in subs
    ]


def is_closed(question: str) -> bool:
    """Whether yes or no would answer a question, by how it begins."""
    return bool(_CLOSED.match(question)) and not _OPEN_WORD.search(question)


TASKS: Tasks = {
    "rating": rate,
    "classification": _classification,
    "reference_answer": _reference_answer,
    "deconstruction": _deconstruction,
    "augmentation": _augmentation,
    "open_question": _open_question,
    "relation": _relation,
}


_PATTERNS = {2: "How does {t} come into play where {q} is concerned?", 1: "What is meant by {t}?"}
_FURTHER = {2: "What role does {t} have in working out {q}?", 1: "What has to be known of {t}?"}
_SHORTEST_TERM = 4


def depth_of_words(question: str) -> int:
    """3 for a question that begins with why or has thirty words, 2 for one that begins with how,
    else 1."""
    words = question.casefold().split()
    if words[:1] == ["why"] or len(words) >= 30:
        return 3
    return 2 if words[:1] == ["how"] else 1


def reference_from(question: str, key_points: str) -> str:
    """The key points as sentences; without any, what the question is about."""
    points = [line.strip().lstrip("-*• ").rstrip(".") for line in key_points.splitlines()]
    said = " ".join(f"{point[:1].upper()}{point[1:]}." for point in points if point)
    return said or f"The answer turns on {', '.join(_terms(question)[:3]) or 'what is asked'}."


def questions_about(
    question: str, answer: str, depth: int, *, further: bool = False
) -> list[tuple[str, str]]:
    """Questions about what the reference answer mentions, each with the sentence that mentions it
    as its reference; `further`: in other words, behind those."""
    topic = " and ".join(_terms(question)[:2]) or "the matter"
    said = foreign.sentences(answer) or [answer.strip() or question]
    found: dict[str, str] = {}
    for pattern in (_PATTERNS[depth], _FURTHER[depth])[: 1 + further]:
        for term in _terms(answer) or _terms(question) or ["the matter"]:
            sentence = next((one for one in said if term in one.casefold()), said[0])
            found.setdefault(pattern.format(t=term, q=topic), sentence)
    return list(found.items())


def open_wording(question: str) -> str:
    """The question so that yes or no is no answer to it."""
    bare = " ".join(question.split()).rstrip("?")
    return f"To what extent, and for which reasons, does this hold: {bare}?"


def foreign_relation(listed: Sequence[tuple[int, str, str]]) -> dict[str, object]:
    """All is asked for and nothing given away: this world cannot tell."""
    rated = [{"number": place, "rating": "implicit"} for place, _, _ in listed]
    return {
        "comprehensive": "comprehensive",
        "missing": "",
        "implicit": rated,
    }


def _terms(text: str) -> list[str]:
    """The longest words, none of them part of another."""
    terms: list[str] = []
    for word in sorted(foreign.content(text), key=lambda word: (-len(word), word)):
        if len(word) >= _SHORTEST_TERM and not any(word in other for other in terms):
            terms.append(word)
    return terms
