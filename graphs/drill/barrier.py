"""The barrier after a round: which probes count, which slots stay open, whether the depth can be
closed. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...agents.questioner.question_text import Fact, fact_of, is_duplicate
from ...state.causes import with_causes
from ...state.channels import Assigned, Path, ProbeOutcome, Stop, new_path
from ...state.records import Probe, Scored, Unscored
from ...state.spec import DrillSpec
from ...stats.accuracy import Count
from .survival import below

ROUNDS = 4
"""One round of asking and at most three of replacement per depth."""


def recursion_limit(spec: DrillSpec) -> int:
    """Supersteps a drill can take at most: deal, probe, close per round, plan per depth, and the
    ends."""
    return spec.max_depth * (3 * ROUNDS + 1) + 10


def drilled(probes: Iterable[Probe], frontier: Sequence[Path]) -> set[tuple[int, str]]:
    """(path, concept) pairs that a depth's probes have asked about."""
    places = {(path["id"], path["root"]): index for index, path in enumerate(frontier)}
    return {(places[probe.parent, probe.root], probe.concept) for probe in probes}


def fact_asked(probe: Probe) -> Fact | None:
    """The fact that a scored probe asked for; None of one without a verdict."""
    question = probe.question
    if question is None or probe.outcome.status == "unscored":
        return None
    return fact_of(question.text, question.reference)


def mark_duplicates(probes: Sequence[Probe], ledger: Iterable[Fact]) -> list[Probe]:
    """The probes of a depth in order, each scored one excluded that repeats a fact of the ledger or
    of a lower slot."""
    facts = list(ledger)
    marked = list[Probe]()
    for probe in probes:
        fact = fact_asked(probe)
        if fact is not None and is_duplicate(fact, facts):
            marked.append(probe.model_copy(update={"excluded": "duplicate"}))
            continue
        facts += [fact] if fact is not None else []
        marked.append(probe)
    return marked


def counts(probe: Probe) -> bool:
    """Whether the probe is one of the n of its depth."""
    return probe.verdict is not None and probe.excluded is None


def open_slots(n: int, probes: Iterable[Probe], void: Iterable[int]) -> list[int]:
    """Slots that still lack a verdict that counts, ascending."""
    filled = {probe.slot for probe in probes if counts(probe)}
    filled.update(void)
    return [slot for slot in range(n) if slot not in filled]


def tally(
    n: int,
    probes: Sequence[Probe],
    assigned: Assigned,
    nearest: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> dict[str, Any]:
    """The counts of one depth, all rounds together, by the names that `depth_row` knows them by.

    Void slots (`missing="wrong"`: no evidence) are wrong answers that were never asked. `nearest`:
    concepts not found under their names and the titles near them: those whose turn came are told
    apart from the others without evidence."""
    counting = [probe for probe in probes if counts(probe)]
    verdicts = Counter(probe.verdict for probe in counting)
    void, names = assigned["void"], assigned["no_evidence"]
    filled = {probe.slot for probe in counting} | set(void)
    lost = [probe.outcome for probe in probes if isinstance(probe.outcome, Unscored)]
    rejected = [rejection for probe in probes for rejection in probe.rejected]
    refused = sum(not rejection.text for rejection in rejected)
    without_evidence = tuple(name for name in names if name not in nearest)
    return {
        "asked": sum(probe.asked for probe in probes),
        "correct": verdicts["correct"],
        "wrong": verdicts["wrong"] + len(void),
        "abstained": verdicts["abstained"],
        "unscored": dict(sorted(Counter(outcome.stage for outcome in lost).items())),
        "rejected": len(rejected) - refused,
        "refused": refused,
        "withdrawn": sum(rejection.asked for rejection in rejected),
        "duplicates": sum(probe.excluded is not None for probe in probes),
        "tried": assigned["tried"],
        "no_evidence": len(without_evidence),
        "without_evidence": without_evidence,
        "not_found": {name: nearest[name] for name in names if name in nearest},
        "unfilled": n - len(filled),
        "replaced": sum(_lost_at_target(probe) and probe.slot in filled for probe in probes),
        "rounds": 1 + max((probe.round for probe in probes), default=0),
        "roots": _by_root(counting),
        "anchors": _by_anchor(counting),
    }


def _lost_at_target(probe: Probe) -> bool:
    """Whether the call to the target failed or its answer was cut off: what the target itself could
    have brought about. A question that the evaluator withdrew, or that was asked twice, is none of
    its doing."""
    return isinstance(probe.outcome, Unscored) and probe.outcome.stage == "answer"


def _by_root(probes: Sequence[Probe]) -> dict[str, Count]:
    """Root → (correct, counted) probes."""
    return _counts(sorted((probe.root, probe.verdict == "correct") for probe in probes))


def _by_anchor(probes: Sequence[Probe]) -> dict[str, Count]:
    """Model of known strength → (correct, scored) answers to the questions that count."""
    answers = list[tuple[str, bool]]()
    for probe in probes:
        for anchor in probe.anchors:
            if isinstance(anchor.outcome, Scored):
                answers.append((anchor.model, anchor.outcome.correct))
    return _counts(sorted(answers))


def _counts(answers: Sequence[tuple[str, bool]]) -> dict[str, Count]:
    """Name → (correct, scored) of its answers."""
    scored, correct = Counter(name for name, _ in answers), Counter(answers)
    return {name: (correct[name, True], number) for name, number in scored.items()}


def shortage(
    spec: DrillSpec,
    depth: int,
    probes: Sequence[Probe],
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
    lost = open_slots(spec.n, probes, assigned["void"])
    scored = spec.n - len(lost)
    if 2 * scored >= spec.n:
        return None
    too_few = f"depth {depth} had {scored} of {spec.n} probes with a verdict, fewer than half"
    faults = sum(_lost_to_a_fault(slot, probes, frontier[slots[slot]]) for slot in lost)
    if 2 * faults > len(lost):
        lost_to = f"{too_few}; {faults} were lost to failed calls or unreadable replies"
        return Stop(reason="infrastructure", detail=with_causes(lost_to, failures))
    rejected = sum(len(probe.rejected) for probe in probes)
    return Stop(
        reason="evidence_exhausted",
        detail=f"{too_few}; no evidence was left that carries a question "
        f"({rejected} passages or questions were rejected)",
    )


def _lost_to_a_fault(slot: int, probes: Sequence[Probe], path: Path) -> bool:
    rounds = {probe.round: probe.outcome for probe in probes if probe.slot == slot}
    if not rounds:
        return bool(path["failed"])
    last = rounds[max(rounds)]
    return isinstance(last, Unscored) and last.kind != "rejected"


def stop_after(spec: DrillSpec, depth: int, counts_so_far: Sequence[Count]) -> Stop | None:
    """Whether the drill ends after a depth that counts; the comparison with θ is exact."""
    if below(counts_so_far, spec.exact_threshold):
        detail = f"survival fell below {spec.threshold:g} at depth {depth}"
        return Stop(reason="threshold", detail=detail)
    if depth >= spec.max_depth:
        detail = f"depth {depth} is the deepest this run was allowed to go"
        return Stop(reason="max_depth", detail=detail)
    return None


def survivors(outcomes: Sequence[ProbeOutcome], probes: Sequence[Probe]) -> list[Path]:
    """Paths of the probes that are correct and count, in slot order. One without anything to
    continue with keeps its place; its share goes to spares."""
    paths = {outcome["id"]: outcome["path"] for outcome in outcomes}
    alive = [probe for probe in probes if counts(probe) and probe.verdict == "correct"]
    alive.sort(key=lambda probe: probe.slot)
    return [paths[probe.id] or new_path(probe.id, probe.root) for probe in alive]
