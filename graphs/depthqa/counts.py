"""The calls that asking a DepthQA graph takes: those due by the protocol, each with the texts it sends. Pure.

Requests that are the same to the letter are one call: runs of one launch share their replies. So the first turn of a
conversation is the zero-shot question, conversations that begin alike share their beginnings, and an answer that is
shared is rated once for each reference.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from ...agents.prompt_template import Prompt
from ...state.depthqa.items import Depth, Material, Mode, QuestionGraph
from ...state.depthqa.spec import DepthQASpec
from ..run.rates import TAGS, Step, bare_length
from .past import ANSWER, CONTEXT, RATING
from .protocol import PlannedQuestion, planned_questions

QUOTED = 14
"""Characters around a question and an answer that are quoted."""


@dataclass(slots=True)
class Due:
    """All calls of one kind that are due."""

    calls: int = 0
    least: int = 0
    """Of ratings: those left when all answers to one question are the same to the letter."""
    characters: int = 0
    """Of all prompts together, without answers of the target."""
    quoted: Counter[Depth] = field(default_factory=Counter)
    """Answers of the target in these prompts, by the depth of their questions."""
    answers: Counter[Depth] = field(default_factory=Counter)
    """Answers that are asked for, by depth."""


@dataclass(slots=True)
class Asked:
    """What asking a graph takes."""

    due: dict[Step, Due]
    by_mode: dict[Mode, tuple[int, int]]
    """Answers and ratings that the protocol asks for in each mode, repeats included."""
    repeats: int = 0
    """Calls left out because the same has been asked before."""


class Counted:
    """Counts run after run of one launch; what an earlier one has asked is not counted again."""

    def __init__(self, material: Material, prompts: Mapping[str, Prompt]) -> None:
        self._material, self._graph = material, material.graph
        blocks = {ANSWER: 0, CONTEXT: 1, RATING: 3}
        self._lengths = {step: bare_length(prompts[step.purpose]) + TAGS * tags for step, tags in blocks.items()}
        self._seen: set[Hashable] = set()
        self._rated: set[Hashable] = set()

    def of(self, spec: DepthQASpec) -> Asked:
        """The calls of this run that are not made already."""
        found = Asked({}, {})
        modes: dict[Mode, list[int]] = {}
        for planned in (planned for tree in planned_questions(spec, self._material) for planned in tree):
            answers = modes.setdefault(planned.mode, [0, 0])
            key = (spec.target, spec.seed, _request_of(planned, self._graph))
            if planned.given is None:
                answers[0] += 1
                due = self._due(found, CONTEXT if _quotes(planned) else ANSWER, key)
                if due is not None:
                    self._ask(due, planned)
            if planned.scored and not _silent(planned):
                answers[1] += 1
                node = self._graph.by_id[planned.node]
                due = self._due(found, RATING, (spec.judge, node.question, node.reference, key))
                if due is not None:
                    self._rate(due, planned, spec.judge)
        found.by_mode = {mode: (answers, ratings) for mode, (answers, ratings) in modes.items()}
        return found

    def _due(self, found: Asked, step: Step, key: Hashable) -> Due | None:
        """Where a call is to be counted; None when the same has been asked before."""
        if key in self._seen:
            found.repeats += 1
            return None
        self._seen.add(key)
        due = found.due.setdefault(step, Due())
        due.calls += 1
        due.characters += self._lengths[step]
        return due

    def _rate(self, due: Due, planned: PlannedQuestion, judge: str) -> None:
        node = self._graph.by_id[planned.node]
        about = (judge, node.question, node.reference)
        due.least += about not in self._rated
        self._rated.add(about)
        due.characters += len(node.question) + len(node.reference)
        if planned.given is None:
            due.quoted[node.depth] += 1
        else:
            due.characters += len(planned.given)

    def _ask(self, due: Due, planned: PlannedQuestion) -> None:
        node = self._graph.by_id[planned.node]
        due.characters += len(node.question)
        due.answers[node.depth] += 1
        for before in planned.before:
            other = self._graph.by_id[before]
            due.characters += len(other.question) + (QUOTED if _quotes(planned) else 0)
            if planned.mode == "prompt-gold":
                due.characters += len(other.reference)
            else:
                due.quoted[other.depth] += 1


def _quotes(planned: PlannedQuestion) -> bool:
    """Whether the prompt quotes other questions; in a conversation they are turns."""
    return bool(planned.before) and planned.conversation is None


def _silent(planned: PlannedQuestion) -> bool:
    """Whether it is known to be without a word: nobody is asked to rate that."""
    return planned.given is not None and not planned.given.strip()


def _request_of(planned: PlannedQuestion, graph: QuestionGraph) -> Hashable:
    """What tells the request for an answer from others to the same model."""
    question = graph.by_id[planned.node].question
    before = [graph.by_id[node] for node in planned.before]
    if planned.given is not None:
        return planned.given
    if not _quotes(planned):
        return (*(node.question for node in before), question)
    if planned.mode == "prompt-gold":
        return (planned.mode, question, *((node.question, node.reference) for node in before))
    return (planned.mode, question, *(node.question for node in before))


def longest_talk(spec: DepthQASpec, graph: QuestionGraph) -> Sequence[Step]:
    """The calls of a run's longest chain, one after the other."""
    if spec.given:
        return (RATING,)
    turns = max(len(node.predecessors) + (not graph.successors[node.id]) for node in graph.nodes)
    ways: Mapping[Mode, tuple[Step, ...]] = {
        "zero-shot": (ANSWER,),
        "prompt-gold": (CONTEXT,),
        "prompt-pred": (ANSWER, CONTEXT),
        "multi-turn": turns * (ANSWER,),
    }
    return (*max((ways[mode] for mode in spec.modes), key=len), RATING)
