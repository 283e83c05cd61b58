"""Runs as flat rows for spreadsheets and data frames: one per item, per depth, per run, with
columns that stay.

A row is what a key finds in a record, as everywhere in the pages (`blocks.value_of`); texts stand
uncut.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..state.results import Result
from .page.blocks import value_of

Row = dict[str, Any]
Columns = Mapping[str, str]
"""Name of a column → key in the record."""
RUN: Columns = {
    "run_id": "run_id",
    "method": "method",
    "simulated": "simulated",
    "domain": "spec.domain",
    "target": "spec.target",
    "evaluator": "spec.evaluator",
    "judge": "spec.judge",
    "seed": "spec.seed",
}
"""Before every row, whatever its table."""
_ENDED: Columns = {
    **{name: name for name in ("status", "stop_reason", "stop_detail")},
    **{name: name for name in ("evd", "evd_ci", "evd_se", "censored", "depth_reached")},
    "accuracy": "accuracy",
    "accuracy_ci": "accuracy_ci",
    "acs": "numbers.consistency.acs",
    "acs_ci": "numbers.consistency.acs_ci",
    **{name: name for name in ("calls", "cached", "input_tokens", "output_tokens")},
    "cost_usd": "cost_usd",
    "wall_s": "wall_s",
    "fathom": "provenance.fathom",
}
"""Of a run. What a method does not measure is empty."""
_ACCURACY: Mapping[str, tuple[str, str]] = {
    "eqt": ("numbers.all.accuracy", "numbers.all.ci_clustered"),
    "deepquestion": ("original.share", "original.ci"),
    "replay": ("target_tally.accuracy", "target_tally.accuracy_ci"),
}
"""Where a method keeps its accuracy and its interval, if not under these names."""
_DEPTHS: Columns = {
    name: name
    for name in (
        *(
            "depth",
            "tier",
            "asked",
            "scored",
            "correct",
            "wrong",
            "abstained",
            "rejected",
            "duplicates",
        ),
        *("no_evidence", "unfilled", "replaced", "effective_roots", "accuracy", "accuracy_ci"),
        *("accuracy_ci_clustered", "survival", "survival_ci"),
    )
}
_OUTCOME: Columns = {
    "status": "outcome.status",
    "verdict": "outcome.verdict",
    "reason": "outcome.reason",
    "unscored_stage": "outcome.stage",
    "unscored_kind": "outcome.kind",
    "unscored_message": "outcome.message",
}
_PROBES: Columns = {
    **{
        name: name
        for name in ("id", "depth", "tier", "slot", "round", "root", "parent", "concept", "origin")
    },
    "question": "question.text",
    "reference": "question.reference",
    "passage": "question.evidence.text",
    "source_title": "question.evidence.title",
    "source_url": "question.evidence.url",
    "answer": "answer.text",
    **_OUTCOME,
    "excluded": "excluded",
    "elapsed_s": "elapsed_s",
    **{name: f"check.{name}" for name in ("level", "step", "doubtful")},
}
_CHOICES: Columns = {
    "id": "answer.id",
    "category": "concept.category",
    "concept": "concept.concept",
    "question": "question.text",
    "kind": "question.kind",
    "paraphrase": "answer.paraphrase",
    "asked": "answer.asked",
    "letters": "answer.letters",
    "reading": "answer.reading",
    "correct": "answer.correct",
    "answer": "answer.said",
    "options": "options",
    "reference": "right",
    "unscored": "answer.unscored",
}
_RATED: Columns = {
    name: name
    for name in (
        "id",
        "mode",
        "nodes",
        "conversation",
        "answer",
        "refused",
        "score",
        "reason",
        "unscored",
    )
}
_SOLVED: Columns = {
    "id": "answer.id",
    "problem": "problem.id",
    "domain_of_problem": "problem.domain",
    "task": "task",
    "question": "question",
    "reference": "problem.answer",
    "answer": "answer.said",
    "read": "answer.read",
    "mark": "answer.mark",
    "reason": "answer.reason",
}


def _choices(result: Any) -> Iterator[Row]:
    for concept in result.concepts:
        for question in concept.questions:
            for answer in question.answers:
                shown = [
                    (chr(ord("A") + at), question.options[place])
                    for at, place in enumerate(answer.order)
                ]
                options = [f"{letter}: {option.text}" for letter, option in shown]
                right = [letter for letter, option in shown if option.correct]
                yield {
                    "concept": concept,
                    "question": question,
                    "answer": answer,
                    "options": options,
                    "right": right,
                }


def _solved(result: Any) -> Iterator[Row]:
    for problem in result.problems:
        tasks = [("original", problem.question, problem.original)]
        tasks += [
            (load, problem.scenarios.get(load, ""), answer)
            for load, answer in problem.solved.items()
        ]
        for task, question, answer in tasks:
            if answer is not None:
                yield {"problem": problem, "task": task, "question": question, "answer": answer}


ITEMS: Mapping[str, tuple[Columns, Callable[[Any], Iterator[Any]]]] = {
    "drill": (_PROBES, lambda result: iter(result.probes)),
    "replay": (_PROBES, lambda result: iter(result.probes)),
    "eqt": (_CHOICES, _choices),
    "depthqa": (_RATED, lambda result: iter(result.answers)),
    "deepquestion": (_SOLVED, _solved),
}
"""Method → the columns of its items, and where they are."""
TABLES = ("items", "depths", "runs")


def rows_of(table: str, results: Sequence[Result]) -> list[Row]:
    """The rows of a table of `TABLES`, all with the same columns in the same order: intervals as
    two (`_low`, `_high`), lists as one text. A method without such a table (depths are a drill's)
    has no row in it."""
    rows = [row for result in results for row in _ROWS[table](result)]
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]


def _items(result: Any) -> Iterator[Row]:
    if result.method in ITEMS:
        columns, found = ITEMS[result.method]
        for item in found(result):
            yield _flat(RUN, result) | _flat(columns, item)


def _depths(result: Any) -> Iterator[Row]:
    for row in getattr(result, "depths", ()):
        yield _flat(RUN, result) | _flat(_DEPTHS, row)


def _runs(result: Any) -> Iterator[Row]:
    accuracy = dict(
        zip(("accuracy", "accuracy_ci"), _ACCURACY.get(result.method, ()), strict=False)
    )
    used = {name: sum(getattr(role, name) for role in result.usage.values()) for name in _USED}
    yield _flat(RUN, result) | _flat({**_ENDED, **accuracy}, result) | used


_USED = ("calls", "cached", "input_tokens", "output_tokens")
_ROWS: Mapping[str, Callable[[Any], Iterator[Row]]] = {
    "items": _items,
    "depths": _depths,
    "runs": _runs,
}


def _flat(columns: Columns, record: Any) -> Row:
    found: Row = {}
    for name, key in columns.items():
        value = value_of(record, key)
        if "_ci" in name:
            of = name.replace("_ci", "")
            found[f"{of}_low"], found[f"{of}_high"] = value if value is not None else (None, None)
        else:
            found[name] = (
                "; ".join(map(str, value)) if isinstance(value, tuple | list) else _plain(value)
            )
    return found


def _plain(value: Any) -> Any:
    """An enumeration as its value."""
    return getattr(value, "value", value)
