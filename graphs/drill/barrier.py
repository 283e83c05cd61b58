"""The barrier after a round: which probes count, which slots stay open, whether the depth can be
closed. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from ...state.causes import with_causes
from ...state.channels import Assigned, Path, ProbeOutcome, Row, Stop
from ...state.records import Unscored
from ...state.spec import DrillSpec
from .outcome import Fact, fact_of, is_duplicate
from .survival import below

ROUNDS = 4
"""One round of asking and at most three of replacement per depth."""


def recursion_limit(spec: DrillSpec) -> int:
    """Supersteps a drill can take at most: assign, top-up, assign, probe, close per round, plan per
    depth, and the ends."""
    return spec.max_depth * (5 * ROUNDS + 1) + 10


def in_order(fresh: Iterable[ProbeOutcome]) -> list[ProbeOutcome]:
    """Slot order within rounds, whatever the order of completion."""

    def place(outcome: ProbeOutcome) -> tuple[int, int, int]:
        row = outcome["row"]
        return row["depth"], row["round"], row["slot"]

    return sorted(fresh, key=place)


def ledger_of(rows: Iterable[Row]) -> list[Fact]:
    """The facts that have been asked for: those of every probe with a verdict."""
    return [
        fact_of(r["question"], r["reference"])
        for r in rows
        if r["question"] and r["reference"] and is_scored(r)
    ]


def is_scored(row: Row) -> bool:
    return row["status"] != "unscored"


def mark_duplicates(rows: Sequence[Row], earlier: Iterable[Row]) -> list[Row]:
    """The rows of a depth in order, each scored one that repeats a fact of an earlier row or lower
    slot excluded."""
    ledger = ledger_of(earlier)
    marked: list[Row] = []
    for row in rows:
        if is_scored(row) and row["question"] and row["reference"]:
            fact = fact_of(row["question"], row["reference"])
            if is_duplicate(fact, ledger):
                marked.append({**row, "excluded": "duplicate"})
                continue
            ledger.append(fact)
        marked.append(row)
    return marked


def drilled(rows: Iterable[Row], frontier: Sequence[Path]) -> set[tuple[int, str]]:
    """(path, concept) pairs that a depth's probes have asked about."""
    places = {(path["id"], path["root"]): index for index, path in enumerate(frontier)}
    pairs = set[tuple[int, str]]()
    for row in rows:
        place = places[row["parent"], row["root"]]
        pairs.add((place, row["concept"]))
    return pairs


def counts(row: Row) -> bool:
    """Whether the row is one of the n of its depth."""
    return is_scored(row) and row["excluded"] is None


def open_slots(n: int, rows: Iterable[Row], void: Iterable[int]) -> list[int]:
    """Slots that still lack a verdict that counts, ascending."""
    filled = {row["slot"] for row in rows if counts(row)}
    filled.update(void)
    return [slot for slot in range(n) if slot not in filled]


def _lost_at_target(row: Row) -> bool:
    """Whether the call to the target failed or its answer was cut off: what the target itself could
    have brought about. A question that the evaluator withdrew, or that was asked twice, is none of
    its doing."""
    return row["stage"] == "answer"


def _share(rows: Iterable[Row], root: str) -> tuple[int, int]:
    mine = [row["status"] == "correct" for row in rows if row["root"] == root]
    return sum(mine), len(mine)


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one depth, all rounds together."""

    asked: int
    correct: int
    wrong: int
    abstained: int
    unscored: dict[str, int]
    rejected: int
    refused: int
    withdrawn: int
    duplicates: int
    tried: int
    no_evidence: int
    without_evidence: tuple[str, ...]
    not_found: dict[str, tuple[str, ...]]
    """Concepts not found under their names → the titles nearest to them; none of the above."""
    unfilled: int
    replaced: int
    rounds: int
    roots: dict[str, tuple[int, int]]
    """Root → (correct, counted) probes."""
    anchors: dict[str, tuple[int, int]]
    """Model of known strength → (correct, scored) answers to the questions that count."""

    @property
    def scored(self) -> int:
        """n of the depth."""
        return self.correct + self.wrong + self.abstained

    def figures(self) -> dict[str, Any]:
        """The counts by name, as `depth_row` takes them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def tally(
    n: int,
    rows: Sequence[Row],
    assigned: Assigned,
    nearest: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Tally:
    """Count a depth. Void slots (`missing="wrong"`: no evidence) are wrong answers that were never
    asked. `nearest`: concepts not found under their names and the titles near them: those whose
    turn came are told apart from the others without evidence."""
    lacking = assigned["no_evidence"]
    without_evidence = tuple(name for name in lacking if name not in nearest)
    counted = [row for row in rows if counts(row)]
    verdicts = Counter(row["status"] for row in counted)
    void = len(assigned["void"])
    filled = {row["slot"] for row in counted} | set(assigned["void"])
    replaced = [row for row in rows if counts(row) or row["slot"] in filled]
    return Tally(
        asked=sum(row["asked"] for row in rows),
        correct=verdicts["correct"],
        wrong=verdicts["wrong"] + void,
        abstained=verdicts["abstained"],
        unscored=dict(
            sorted(Counter(row["stage"] or "facts" for row in rows if not is_scored(row)).items())
        ),
        rejected=sum(row["rejected"] for row in rows),
        refused=sum(row["refused"] for row in rows),
        withdrawn=sum(row["retracted"] for row in rows),
        duplicates=sum(row["excluded"] == "duplicate" for row in rows),
        tried=assigned["tried"],
        no_evidence=len(without_evidence),
        without_evidence=without_evidence,
        not_found={name: nearest[name] for name in lacking if name in nearest},
        unfilled=n - len(filled),
        replaced=sum(map(_lost_at_target, replaced)),
        rounds=1 + max((row["round"] for row in rows), default=0),
        roots={root: _share(counted, root) for root in sorted({row["root"] for row in counted})},
        anchors=_anchors(counted),
    )


def _anchors(counted: Sequence[Row]) -> dict[str, tuple[int, int]]:
    answers = list[tuple[str, bool]]()
    for row in counted:
        answers += row.get("anchors", {}).items()
    scored = Counter(model for model, _ in answers)
    correct = Counter(answers)
    return {model: (correct[model, True], number) for model, number in sorted(scored.items())}


def shortage(
    spec: DrillSpec,
    depth: int,
    rows: Sequence[Row],
    assigned: Assigned,
    slots: Sequence[int],
    frontier: Sequence[Path],
    failures: Sequence[Unscored] = (),
) -> Stop | None:
    """Why a depth does not count: fewer than N/2 verdicts. None when it counts. `failures`: what
    befell its look-ups and probes.

    Each slot without a verdict is laid to what befell it last: a call that failed or a reply that
    could not be read, or else the want of a passage that carries a question. The greater part names
    the reason.
    """
    done = tally(spec.n, rows, assigned)
    if 2 * done.scored >= spec.n:
        return None
    lost = open_slots(spec.n, rows, assigned["void"])
    faults = sum(_lost_to_a_fault(slot, rows, frontier[slots[slot]]) for slot in lost)
    lacking = f"depth {depth} had {done.scored} of {spec.n} probes with a verdict, fewer than half"
    if 2 * faults > len(lost):
        lost_to = f"{lacking}; {faults} were lost to failed calls or unreadable replies"
        return Stop(reason="infrastructure", detail=with_causes(lost_to, failures))
    refused = f"{done.refused} passages were refused" if done.refused else ""
    rejected = f"{done.rejected} questions were rejected" if done.rejected else ""
    why = f" ({', '.join(filter(None, (refused, rejected)))})" if refused or rejected else ""
    return Stop(
        reason="evidence_exhausted",
        detail=f"{lacking}; no evidence was left that carries a question{why}",
    )


def _lost_to_a_fault(slot: int, rows: Sequence[Row], path: Path) -> bool:
    own = [row for row in rows if row["slot"] == slot]
    if not own:
        return bool(path["failed"])
    last = max(own, key=lambda row: row["round"])
    return not is_scored(last) and last["kind"] != "rejected"


def stop_after(
    spec: DrillSpec, depth: int, counts_so_far: Sequence[tuple[int, int]]
) -> Stop | None:
    """Whether the drill ends after a depth that counts; the comparison with θ is exact."""
    theta: Fraction = spec.exact_threshold
    if below(counts_so_far, theta):
        return Stop(
            reason="threshold", detail=f"survival fell below {spec.threshold:g} at depth {depth}"
        )
    if depth >= spec.max_depth:
        return Stop(
            reason="max_depth", detail=f"depth {depth} is the deepest this run was allowed to go"
        )
    return None


def survivors(fresh: list[ProbeOutcome], correct: set[str]) -> list[Path]:
    """Paths of the probes that are correct and count, in slot order."""
    alive = [f for f in fresh if f["row"]["id"] in correct]
    alive.sort(key=lambda f: f["row"]["slot"])
    return [f["path"] or _bare(f) for f in alive]


def _bare(fresh: ProbeOutcome) -> Path:
    """A correct probe without anything to continue with keeps its place; its share goes to
    spares."""
    row = fresh["row"]
    return Path(
        id=row["id"],
        root=row["root"],
        chain=[],
        concepts=[],
        said={},
        found={},
        failed={},
    )
