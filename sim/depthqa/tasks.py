"""DepthQA's tasks: answers in depth, the judge's scores, and the building of graphs, now and then
with a fault."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import fsum
from typing import Any

from ...state.question_graph import Reasoning
from ...state.text import normalise
from .. import foreign
from ..answering import answer, answer_question, declines, mark, unknowing
from ..corpus import pool_of
from ..embeddings import vector
from ..facts import TEXTS
from ..personas import Persona
from ..values import draw, number, pick, shuffled, tokens
from ..world import Purposes, Reply, Task
from .library import (
    ECHO,
    FRAMES,
    Help,
    LibraryQuestion,
    Mind,
    Part,
    fitting,
    framed,
    recognise,
    score_of,
)

Sub = tuple[str, str]
"""A question and its reference answer, as the evaluator replies them."""
Turn = tuple[str, str]
"""What was asked, and what was answered to it."""

COVERAGE = (0.15, 0.25, 0.35, 0.45)
"""Share of the reference's words and figures, beyond the question's, that an answer from elsewhere
must have for a score of 2, 3, 4 and 5."""
_SAID = TEXTS["deep answer"]
_OPEN_WORDS = frozenset(
    ("what", "which", "why", "how", "when", "where", "who", "whom", "whose", "or")
)
_CLOSED = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "should",
        "will",
        "would",
        "has",
        "have",
        "must",
    ]
)
"""By a first word like these, without one of the others, yes or no would answer a question."""
_ALIKE = 0.85
"""Cosine of the embeddings at which a question of depth 1 counts as one of depth 2, in the middle
of .8 to .9."""
_MOST = 8
"""Questions of one reply, at most."""


def asked_in(question: Any) -> LibraryQuestion | None:
    """The question of this world that is asked, be it one of a conversation or not."""
    return recognise(question["text"] if isinstance(question, dict) else question)


def answer_in_depth(task: Task) -> str:
    """The reply to a question behind earlier turns, or with questions and answers quoted."""
    quoted, text = task["context"], task["question"]
    help_: Help = "with_context"
    if isinstance(text, dict):
        help_, quoted, text = "guided", text.get("earlier", ()), text["text"]
    question = recognise(text)
    if question is None:
        return answer_question(replace(task, about={"question": text}))
    world, persona = task.world, task.persona
    right = [
        (earlier_question := recognise(earlier_text)) is not None
        and known_score(earlier_question, answer_text) == 5
        for earlier_text, answer_text in quoted
    ]
    share = sum(right) / len(right) if right else 0.0
    outcome = Mind(world, persona).outcome(question, help_, share)
    if question.fact is not None:
        return answer(world, persona, question.fact, helped=outcome.right)
    name = (world.seed, persona.name, question.id)
    if outcome.abstains:
        return f"{unknowing(*name)} It would take more than I have learnt."
    places = range(len(question.parts))
    right_parts = set(shuffled(places, *name, "right parts")[: outcome.parts])
    texts = [
        part.text if index in right_parts else part.stating(pick(part.wrong, *name, index))
        for index, part in enumerate(question.parts)
    ]
    return pick(_SAID["openings"], *name, "opening") + " ".join(texts)


def rate(task: Task) -> Reply:
    """The rating. With 1 − sensitivity the score of a good answer (4, 5), with 1 − specificity that
    of a bad one (1, 2) is turned round, s → 6 − s, unless the answer is empty; drawn for seed,
    question and answer."""
    question, answer_text = task["question"], task["answer"]
    score = true_score(question, task["reference"], answer_text)
    spec = task.world.spec
    limit = spec.sensitivity if score > 3 else spec.specificity if score < 3 else 1.0
    errs = (
        limit < 1.0
        and draw(spec.seed, "rating", normalise(question), normalise(answer_text)) >= limit
    )
    if errs and answer_text.strip():
        score = 6 - score
    return {"reason": _SAID["scores"][score - 1], "score": score}


def true_score(question: str, reference: str, answer_text: str) -> int:
    """The score (1 … 5) of a judge that does not err: of answers to this world's questions by the
    parts they state, of others by how much of the reference they cover. An empty answer scores 1.
    """
    if not answer_text.strip():
        return 1
    library_question = recognise(question)
    score = None if library_question is None else known_score(library_question, answer_text)
    if score is not None:
        return score
    wanted = foreign.content(reference)
    new_words = wanted - foreign.content(question) or wanted
    if not new_words:
        return 5 if normalise(answer_text) == normalise(reference) else 1
    covered = len(new_words & foreign.content(answer_text)) / len(new_words)
    return 1 + sum(covered >= limit for limit in COVERAGE)


@lru_cache(maxsize=4096)
def known_score(question: LibraryQuestion, answer_text: str) -> int | None:
    """The score of an answer by the question's parts; None when it takes up none of them and does
    not decline."""
    if (fact := question.fact) is not None:
        pool = pool_of(fact.property)
        marking = mark(fact, pool, answer_text)
        if marking.asserts or marking.incompatible:
            return 5 if marking.correct else 2 if marking.asserts else 1
        values = pool.named_in(answer_text)
        return score_of(
            sum(any(pool.equal(v, item) for v in values) for item in fact.items), len(fact.items)
        )
    text = _flat(answer_text) + " "
    right = sum(_flat(part.text) + " " in text for part in question.parts)
    if right or declines(answer_text) or any(_taken_up(part, text) for part in question.parts):
        return score_of(right, len(question.parts))
    return None


def _taken_up(part: Part, text: str) -> bool:
    front = part.sentence.partition("{v}")[0]
    return len(front) > 12 and _flat(front) in text


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def _classification(task: Task) -> Reply:
    question = recognise(task["question"])
    depth = question.depth if question else depth_of_words(task["question"])
    return {"reason": f"A good answer takes what depth {depth} describes.", "depth": depth}


def _reference_answer(task: Task) -> Reply:
    question = recognise(task["question"])
    if question:
        return {"reference": question.reference}
    return {"reference": reference_from(task["question"], task["key_points"])}


def _deconstruction(task: Task) -> Reply:
    parent, depth, count = recognise(task["question"]), task["depth"], min(_MOST, task["count"])
    reasoning: Sequence[Reasoning] = ("other",)
    if parent is None:
        subs = questions_about(task["question"], task["reference"], depth)[:count]
    else:
        needs = parent.needs if parent.depth == depth + 1 else fitting(parent, depth)
        subs = with_fault(task.world.seed, task.persona, parent, depth, needs[:count], count)
        reasoning = parent.reasoning or reasoning
    closed = is_closed(task["question"])
    return {"yes_or_no": closed, "reasoning": reasoning, "questions": _as_replies(subs)}


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
    repeated = pick(needs, *name, "again")
    others = [sub for sub in subs if sub != plain(repeated)]
    faults = [[*others[: max(0, count - 2)], plain(repeated), _echo(repeated)]]
    if binary := [need for need in needs if is_closed(need.yes_no)]:
        closed = pick(binary, *name, "yes or no")
        faults.append(
            [(closed.yes_no, closed.reference) if sub == plain(closed) else sub for sub in subs]
        )
    if depth == 1 and parent.depth == 2:
        faults.append([*subs[: count - 1], (_framed(parent.question), parent.reference)])
    if depth == 2 and (shallower := [fact for need in needs for fact in need.needs]):
        faults.append([*subs[: count - 1], _echo(pick(shallower, *name, "too shallow"))])
    return faults[number(*name, "which") % len(faults)]


def _echo(question: LibraryQuestion) -> Sub:
    return framed(ECHO, question.question), question.reference


def _framed(question: str) -> str:
    """The question behind the words that leave it about as like itself as it takes."""
    own_vector, texts = vector(question), [framed(frame, question) for frame in FRAMES]
    return min(
        texts,
        key=lambda text: abs(
            fsum(a * b for a, b in zip(own_vector, vector(text), strict=True)) - _ALIKE
        ),
    )


def _augmentation(task: Task) -> Reply:
    """What it rests on and is not asked for yet, then what else fits."""
    parent, depth, count = recognise(task["question"]), task["depth"], min(_MOST, task["count"])
    if parent is None:
        subs = questions_about(task["question"], task["reference"], depth)
    else:
        needs = parent.needs if parent.depth == depth + 1 else ()
        subs = [plain(question) for question in (*needs, *fitting(parent, depth))]
    used = {_key(line) for line in (*task["kept"], *task["removed"])}
    additions = {_key(sub[0]): sub for sub in subs if _key(sub[0]) not in used}
    return {"additions": _as_replies([*additions.values()][:count])}


def _key(text: str) -> str:
    """One name of a question in all its wordings."""
    question = recognise(text)
    return question.id if question else normalise(text)


def _open_question(task: Task) -> Reply:
    question = recognise(task["question"])
    rewritten = question.question if question else open_wording(task["question"])
    return {"rewritten": rewritten, "yes_or_no": is_closed(rewritten)}


def _relation(task: Task) -> Reply:
    """Whether what a question rests on is asked for, and nothing given away; of one from elsewhere
    this world cannot tell."""
    parent, listed = recognise(task["question"]), task["predecessors"]
    needs = parent.needs if parent else ()
    have = {_key(question) for question, _ in listed}
    unasked = [need for need in needs if need.id not in have]
    rating = "partial" if 2 * len(unasked) <= len(needs) else "insufficient"
    return {
        "comprehensive": rating if unasked else "comprehensive",
        "missing": f"It is not asked: {unasked[0].question}" if unasked else "",
        "implicit": [
            {"number": number, "rating": _implicit(parent, question, answer_text)}
            for number, (question, answer_text) in enumerate(listed, 1)
        ],
    }


def _implicit(parent: LibraryQuestion | None, question: str, answer_text: str) -> str:
    if parent is None:
        return "implicit"
    if _key(question) == parent.id:
        return "revealing"
    parts = parent.parts[:1] if parent.depth == 3 else parent.parts[-1:]
    conclusion = parts[0].text if parts else parent.reference
    return "partial" if normalise(conclusion) in normalise(answer_text) else "implicit"


def _as_replies(subs: Sequence[Sub]) -> list[dict[str, object]]:
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
    words = tokens(question)
    return not _CLOSED.isdisjoint(words[:1]) and _OPEN_WORDS.isdisjoint(words)


PURPOSES: Purposes = {
    "depth_answer": answer_in_depth,
    "depth_with_context": answer_in_depth,
    "rating": rate,
    "classification": _classification,
    "reference_answer": _reference_answer,
    "deconstruction": _deconstruction,
    "augmentation": _augmentation,
    "open_question": _open_question,
    "relation": _relation,
}


_PATTERNS = {
    2: ("How does {t} come into play?", "What role does {t} have in it?"),
    1: ("What is meant by {t}?", "What has to be known of {t}?"),
}
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
    text = " ".join(f"{point[:1].upper()}{point[1:]}." for point in points if point)
    return text or f"The answer turns on {', '.join(_terms(question)[:3])}."


def questions_about(question: str, answer: str, depth: int) -> list[Sub]:
    """Questions about what the reference answer mentions, each with the sentence that mentions it
    as its reference; behind those the same in other words."""
    texts = foreign.sentences(answer) or [question]
    by_question: dict[str, str] = {}
    for pattern in _PATTERNS[depth]:
        for term in _terms(answer) or _terms(question) or ["the matter"]:
            sentence = next((text for text in texts if term in text.casefold()), texts[0])
            by_question.setdefault(pattern.format(t=term), sentence)
    return list(by_question.items())


def open_wording(question: str) -> str:
    """The question so that yes or no is no answer to it."""
    bare = " ".join(question.split()).rstrip("?")
    return f"To what extent, and for which reasons, does this hold: {bare}?"


def _terms(text: str) -> list[str]:
    """The longest words, none of them part of another."""
    terms: list[str] = []
    for word in sorted(foreign.content(text), key=lambda word: (-len(word), word)):
        if len(word) >= _SHORTEST_TERM and not any(word in longer for longer in terms):
            terms.append(word)
    return terms
