"""DepthQA in the simulated world: questions at three depths, a fixed library in which every text is
found again; what a simulated model knows of them, the judge's scores, and the building of graphs,
now and then with a fault.

Depth 3 and 2 and the concepts of depth 1 stand in `data/depths.json`, their references worked out
from the values of the elements; the other questions of depth 1 are the facts of the world.

A question of depth 1 is answered rightly with the model's chance of knowing a fact of its tier. At
depth 2 and 3 an answer is right when its own draw succeeds, with chance `d2` or `d3`, and when the
model has a grasp of each of the questions it rests on: of what it answers rightly, and, with chance
`slips`, of what it answers wrongly. Without slips nobody answers a question rightly and one that it
rests on wrongly. Forward discrepancy comes from `d2` and `d3`, backward discrepancy from `slips`;
the share of right answers at depth 1 depends on none of them.

Quoted answers, and those of earlier turns, help: a question that would be answered wrongly comes
right with chance `with_context` times the share of them that are right.

A wrong answer of several parts is right in some of them, but not all, with chance `partial` (each
number from one to all but one as likely as the others), else in none.
"""

from dataclasses import dataclass, replace
from functools import cache, lru_cache

import orjson

from ..state.question_graph import Reasoning
from ..state.text import normalise
from . import foreign
from .answering import answer, answer_question, mark
from .corpus import corpus
from .facts import DATA, TEXTS, Fact, lower_first
from .personas import Persona
from .values import draw, pick, shuffled
from .world import Purposes, Reply, Task, World

Sub = tuple[str, str]
"""A question and its reference answer, as the evaluator replies them."""
_MOST = 8
"""Questions of one reply, at most."""
_FRONTS = {2: "How does {t} come into play?", 1: "What is meant by {t}?"}
_DEPTHS = {"why": 3, "how": 2}
"""By the first word of a question from elsewhere; others are of depth 1."""
_SHORTEST_TERM = 4


@dataclass(frozen=True, slots=True)
class Part:
    """One statement of a reference answer: a sentence with `{v}` in the place of a value, the
    value, and wrong ones."""

    sentence: str
    value: str
    wrong: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.stating(self.value)

    def stating(self, value: str) -> str:
        """The sentence with another value."""
        return self.sentence.replace("{v}", value)


@dataclass(frozen=True, slots=True, eq=False)
class LibraryQuestion:
    """A question of this world. `needs` are the questions one depth below on whose answers it
    rests; `yes_no`: the same as a question that yes or no would answer, empty at depth 3."""

    id: str
    depth: int
    question: str
    parts: tuple[Part, ...] = ()
    needs: tuple["LibraryQuestion", ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    domain: str = ""
    yes_no: str = ""
    fact: Fact | None = None

    @property
    def reference(self) -> str:
        """The fact's claim, or all parts in a row."""
        return self.fact.claim if self.fact else " ".join(part.text for part in self.parts)


@cache
def _facts() -> dict[str, LibraryQuestion]:
    """The facts of this world as questions of depth 1, by the id of the fact."""
    return {
        fact.id: LibraryQuestion(
            id=f"d1.{fact.id.replace('/', '.')}",
            depth=1,
            question=fact.question,
            yes_no=f"Is it true that {lower_first(fact.claim.removesuffix('.'))}?",
            fact=fact,
        )
        for fact in corpus().facts
    }


@cache
def library() -> dict[str, LibraryQuestion]:
    """The questions that are no facts, by id, the deepest first."""
    rows = orjson.loads((DATA / "depths.json").read_bytes())
    questions: dict[str, LibraryQuestion] = {}
    for row in reversed(rows):  # what a question rests on stands behind it
        questions[row["id"]] = LibraryQuestion(
            id=row["id"],
            depth=row["depth"],
            question=row["question"],
            parts=tuple(
                Part(sentence, value, tuple(wrong)) for sentence, value, *wrong in row["parts"]
            ),
            needs=tuple(questions.get(need) or _facts()[need] for need in row.get("needs", ())),
            reasoning=tuple(row.get("reasoning", ())),
            domain=row.get("domain", ""),
            yes_no=row.get("yes_no", ""),
        )
    return dict(reversed(questions.items()))


@cache
def _texts() -> dict[str, LibraryQuestion]:
    return {
        normalise(text): question
        for question in (*_facts().values(), *library().values())
        for text in (question.question, question.yes_no)
    }


def recognise(text: str) -> LibraryQuestion | None:
    """The question of this world that a text asks, be it put openly or so that yes or no would
    answer it; None for any other."""
    return _texts().get(normalise(text)) if text.strip() else None


def is_closed(text: str) -> bool:
    """Whether yes or no would answer a question; of one from elsewhere this world cannot tell."""
    question = recognise(text)
    return question is not None and normalise(text) == normalise(question.yes_no)


def is_able(world: World, persona: Persona, question: LibraryQuestion) -> bool:
    """Whether the model, asked for the question alone, answers it rightly."""
    if question.fact is not None:
        return world.knows(persona, question.fact)
    name = (world.seed, "depth", persona.name, question.id)
    return draw(*name) < persona.ability(question.depth) and all(
        is_able(world, persona, need)
        or draw(world.seed, "slip", persona.name, need.id) < persona.slips
        for need in question.needs
    )


def right_parts(
    world: World, persona: Persona, question: LibraryQuestion, share: float = 0.0
) -> int:
    """How many parts of its answer are right (a fact is one); `share`: of the answers that it is
    quoted, those that are right."""
    count = max(1, len(question.parts))
    name = (world.seed, persona.name, question.id)
    if is_able(world, persona, question) or draw(*name, "help") < persona.with_context * share:
        return count
    luck = draw(*name, "partial")
    if count > 1 and luck < persona.partial:
        return 1 + int(luck / persona.partial * (count - 1))
    return 0


def answer_in_depth(task: Task) -> str:
    """The reply to a question behind earlier turns, or with questions and answers quoted."""
    quoted, text = task["context"], task["question"]
    if isinstance(text, dict):
        quoted, text = text.get("earlier", ()), text["text"]
    question = recognise(text)
    if question is None:
        return answer_question(replace(task, about={"question": text}))
    world, persona = task.world, task.persona
    right = [is_right(earlier, answer_text) for earlier, answer_text in quoted]
    count = right_parts(world, persona, question, sum(right) / max(1, len(right)))
    if question.fact is not None:
        return answer(world, persona, question.fact, helped=count > 0)
    name = (world.seed, persona.name, question.id)
    chosen = shuffled(range(len(question.parts)), *name, "right parts")[:count]
    texts = [
        part.text if index in chosen else part.stating(pick(part.wrong, *name, index))
        for index, part in enumerate(question.parts)
    ]
    return " ".join(texts)


def is_right(question: str, answer_text: str) -> bool:
    """Whether an answer to a question of this world is right in all parts; False for any other
    question."""
    own_question = recognise(question)
    return own_question is not None and known_score(own_question, answer_text) == 5


def score_of(right: int, parts: int) -> int:
    """Score by rubric (1 … 5) of an answer with so many of its parts right: 1 + ⌊4 ·
    right/parts⌋."""
    return 1 + 4 * right // parts


@lru_cache(maxsize=4096)
def known_score(question: LibraryQuestion, answer_text: str) -> int:
    """The score of an answer by the question's parts."""
    if (fact := question.fact) is not None:
        return 5 if mark(fact, answer_text) == "asserts" else 1
    text = _flat(answer_text)
    return score_of(
        sum(_flat(part.text) in text for part in question.parts), len(question.parts)
    )


def _flat(text: str) -> str:
    return f" {' '.join(text.split()).casefold()} "


def true_score(question: str, reference: str, answer_text: str) -> int:
    """The score (1 … 5) of a judge that does not err: of answers to this world's questions by the
    parts they state, else by how much of the reference they cover, beyond the question: a tenth
    more is a score more."""
    own_question = recognise(question)
    score = known_score(own_question, answer_text) if own_question else 1
    wanted = foreign.content(reference) - foreign.content(question)
    covered = len(wanted & foreign.content(answer_text)) / max(1, len(wanted))
    return score if score > 1 or own_question else min(5, 1 + int(10 * covered))


def rate(task: Task) -> Reply:
    """The rating. With 1 − sensitivity the score of a good answer (4, 5), with 1 − specificity that
    of a bad one (1, 2) is turned round, s → 6 − s, unless the answer is empty; drawn for seed,
    question and answer."""
    question, answer_text, spec = task["question"], task["answer"], task.world.spec
    score = true_score(question, task["reference"], answer_text)
    limit = spec.sensitivity if score > 3 else spec.specificity if score < 3 else 1.0
    luck = draw(spec.seed, "rating", normalise(question), normalise(answer_text))
    if luck >= limit and answer_text.strip():
        score = 6 - score
    return {"reason": TEXTS["deep answer"]["scores"][score - 1], "score": score}


def _classification(task: Task) -> Reply:
    question = recognise(task["question"])
    first_word = task["question"].casefold().partition(" ")[0]
    depth = question.depth if question else _DEPTHS.get(first_word, 1)
    return {"reason": f"A good answer takes what depth {depth} describes.", "depth": depth}


def _reference_answer(task: Task) -> Reply:
    """The reference; of a question from elsewhere the key points, or the question itself."""
    question = recognise(task["question"])
    points = [line.strip().lstrip("-*• ") for line in task["key_points"].splitlines()]
    text = " ".join(point for point in points if point)
    return {"reference": question.reference if question else text or task["question"]}


def _subs(task: Task) -> list[Sub]:
    """What a question rests on; of one from elsewhere, what its reference answer mentions, each
    with the sentence that mentions it."""
    question = recognise(task["question"])
    if question and question.needs:
        return [(need.question, need.reference) for need in question.needs]
    text = task["reference"].strip() or task["question"]
    words = [word for word in foreign.content(text) if len(word) >= _SHORTEST_TERM]
    subs = list[Sub]()
    for word in sorted(words, key=lambda word: (-len(word), word)) or ["the matter"]:
        sentences = [
            sentence for sentence in foreign.sentences(text) if word in sentence.casefold()
        ]
        subs.append(
            (_FRONTS[task["depth"]].format(t=word), sentences[0] if sentences else text)
        )
    return subs


def _deconstruction(task: Task) -> Reply:
    """What a question rests on, in the persona's share of cases with one of two faults: a question
    that yes or no would answer; one that stands there twice."""
    question, count = recognise(task["question"]), min(_MOST, task["count"])
    subs = _subs(task)[:count]
    name = (task.world.seed, "planted", task.persona.name, task["question"])
    if question and question.needs and draw(*name) < task.persona.planted:
        need = question.needs[0]
        if draw(*name, "which") < 0.5:
            subs[0] = need.yes_no, need.reference
        else:
            subs = [*subs[: count - 1], (need.question, need.reference)]
    return {
        "yes_or_no": is_closed(task["question"]),
        "reasoning": (question and question.reasoning) or ("other",),
        "questions": [_as_reply(sub) for sub in subs],
    }


def _augmentation(task: Task) -> Reply:
    """What it rests on and is not asked for yet."""
    used = {_key(line) for line in (*task["kept"], *task["removed"])}
    additions = [_as_reply(sub) for sub in _subs(task) if _key(sub[0]) not in used]
    return {"additions": additions[: min(_MOST, task["count"])]}


def _key(text: str) -> str:
    """One name of a question in all its wordings."""
    question = recognise(text)
    return question.id if question else normalise(text)


def _as_reply(sub: Sub) -> dict[str, object]:
    return {"question": sub[0], "reference": sub[1], "yes_or_no": is_closed(sub[0])}


def _open_question(task: Task) -> Reply:
    question = recognise(task["question"])
    rewritten = question.question if question else f"How far does this hold: {task['question']}"
    return {"rewritten": rewritten, "yes_or_no": False}


def _relation(task: Task) -> Reply:
    """Whether what a question rests on is asked for; nothing gives it away. Of one from elsewhere
    this world cannot tell."""
    parent, listed = recognise(task["question"]), task["predecessors"]
    predecessor_ids = {_key(question) for question, _ in listed}
    unasked = [
        need for need in (parent.needs if parent else ()) if need.id not in predecessor_ids
    ]
    return {
        "comprehensive": "partial" if unasked else "comprehensive",
        "missing": f"It is not asked: {unasked[0].question}" if unasked else "",
        "implicit": [
            {"number": number, "rating": "implicit"} for number in range(1, len(listed) + 1)
        ],
    }


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
