"""Runs of one method set against each other, by the measure of the method."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from ..state.comparison import Comparison
from ..state.deepquestion.result import DeepQuestionResult
from ..state.depthqa.items import QuestionGraph
from ..state.depthqa.result import DepthQAResult
from ..state.eqt.result import EqtResult
from ..state.replay import ReplayResult
from .drill.comparison import compare_drills
from .items import Scored, compare_items
from .side_by_side import ending, given_twice, labels_of

Score = tuple[Hashable, Hashable, float]
"""(question, group, score)."""
_TRACED = {
    "fathom": "version of Fathom",
    "prompts": "wording of prompts",
    "models": "name that a model gives itself",
    "fingerprints": "state of the sources",
}
"""Parts of the provenance → what they tell."""
BY_CONCEPT = "the models were not asked the same questions, as each wrote its own: compared is the accuracy per concept"


def compare(method: str, results: Sequence[Any], graphs: Mapping[str, QuestionGraph]) -> Comparison:
    """Results of one method of `METHODS`, each run once. `graphs`: run id → the graph of a DepthQA run. Raises
    ValueError without any result."""
    runs = list({result.run_id: result for result in results}.values())
    if method == "drill":
        compared = compare_drills(results)
        return compared.model_copy(update={"notes": (*compared.notes, *changes(runs))})
    labels = labels_of([(run.run_id, run.spec) for run in runs], lambda spec: [f"seed {getattr(spec, 'seed', '')}"])
    partly = (f"{run.run_id}: {ending(run)}" for run in runs if run.status != "complete")
    notes = [*given_twice(results), *partly, *changes(runs)]
    scores = _SCORES[method]
    if method == "eqt" and len({_questions(run) for run in runs}) > 1:
        scores, notes = _concepts, [*notes, BY_CONCEPT]
    measure, span = ("score", (1.0, 5.0)) if method == "depthqa" else ("accuracy", (0.0, 1.0))
    held = [
        Scored(label, run.run_id, {key: (group, value) for key, group, value in scores(run, graphs)})
        for label, run in zip(labels, runs, strict=True)
    ]
    return compare_items(method, measure, held, simulated=any(run.simulated for run in runs), span=span, notes=notes)


def changes(runs: Sequence[Any]) -> list[str]:
    """A note for each run after another of the same target about the same: what is not as it was, by what both say of
    themselves."""
    earlier: dict[tuple[str, Any], Any] = {}
    found = []
    for run in sorted(runs, key=lambda run: str(run.run_id)):
        about = run.spec.target, getattr(run.spec, "domain", None)
        before = earlier.get(about)
        if before is not None and (what := [*_spec_changes(before, run), *_made_with(before, run)]):
            found.append(f"since {before.run_id}, {run.run_id} has another {'; another '.join(what)}")
        earlier[about] = run
    return found


def _spec_changes(before: Any, after: Any) -> list[str]:
    """Fields of the spec with their old and new value, where these are short."""
    found = []
    for name in type(after.spec).model_fields:
        old, new = getattr(before.spec, name), getattr(after.spec, name, None)
        if old != new and name not in ("pool_seed", "repeat"):
            short = all(isinstance(value, str | int | float) for value in (old, new))
            found.append(f"{name} ({old} → {new})" if short else name)
    return found


def _made_with(before: Any, after: Any) -> list[str]:
    """What a model calls itself, prompts, sources and the program's version, where they are not as they were."""
    found = []
    for part, words in _TRACED.items():
        old, new = before.provenance.get(part), after.provenance.get(part)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            differ = sorted(str(name) for name in {*old, *new} if old.get(name) != new.get(name))
            found += [f"{words} ({', '.join(differ)})"] if differ else []
        elif old != new:
            found.append(f"{words} ({old} → {new})")
    return found


def _questions(result: EqtResult) -> frozenset[tuple[str, str]]:
    return frozenset((row.concept, question.text) for row in result.concepts for question in row.questions)


def _answers(result: EqtResult, _: Any) -> Iterator[Score]:
    """Every closed-book answer, grouped by concept."""
    for row in result.concepts:
        for place, question in enumerate(row.questions):
            for answer in question.answers:
                if answer.correct is not None:
                    concept = row.category, row.concept
                    yield (*concept, place, answer.paraphrase), concept, float(answer.correct)


def _concepts(result: EqtResult, _: Any) -> Iterator[Score]:
    """The accuracy on each concept."""
    for row in result.concepts:
        if row.numbers.all.accuracy is not None:
            yield (row.category, row.concept), (row.category, row.concept), row.numbers.all.accuracy


def _scores(result: DepthQAResult, graphs: Mapping[str, QuestionGraph]) -> Iterator[Score]:
    """The score of each question in each mode, grouped by tree."""
    tree_of = graphs[result.run_id].tree_of
    for asked in result.answers:
        if asked.score is not None:
            for node in asked.nodes:
                yield (asked.mode, asked.conversation, node), tree_of[node], float(asked.score)


def _problems(result: DeepQuestionResult, _: Any) -> Iterator[Score]:
    """Each original and each scenario, grouped by problem."""
    for row in result.problems:
        for task, answer in [("original", row.original), *row.solved.items()]:
            if answer is not None and answer.mark != "unscored":
                yield (row.id, task), row.id, float(answer.mark == "right")


def _pairs(result: ReplayResult, _: Any) -> Iterator[Score]:
    """Each question of the drill, grouped by sub-topic."""
    for pair in result.pairs:
        if pair.target is not None:
            yield (result.source.run_id, pair.id), pair.root, float(pair.target == "correct")


_SCORES: Mapping[str, Callable[[Any, Mapping[str, QuestionGraph]], Iterator[Score]]] = {
    "eqt": _answers,
    "depthqa": _scores,
    "deepquestion": _problems,
    "replay": _pairs,
}
METHODS = frozenset({"drill", *_SCORES})
"""Those whose runs can be compared."""
