"""What past runs of DepthQA tell: how long texts are, how long replies take, how much is asked twice, how wide graphs
are."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ...state.depthqa.build import Classified, Deconstructed
from ...state.depthqa.items import Depth, DepthAnswer, DepthItem
from ...state.events import Event, ItemFinished, RunFinished, RunStarted
from ...state.spec import DepthQABuildSpec, DepthQASpec
from ...tools.runs.folders import read_events
from ..run.past import MOST_EVENTS, read_past, step_means
from ..run.past import StepMeans as StepMeans
from ..run.rates import Step

ANSWER, CONTEXT = Step("target", "depth_answer"), Step("target", "depth_with_context")
RATING = Step("judge", "rating")
CLASSIFY, REFERENCE = Step("evaluator", "classification"), Step("evaluator", "reference_answer")
PARTS, OPEN = Step("evaluator", "deconstruction"), Step("evaluator", "open_question")
MORE, RELATION = Step("evaluator", "augmentation"), Step("evaluator", "relation")


@dataclass(frozen=True, slots=True)
class PastDepthQA:
    """What one finished run tells."""

    spec: DepthQASpec | DepthQABuildSpec
    steps: Mapping[Step, StepMeans]
    lost: int = 0
    """Steps that came to nothing; what would have followed them was never asked."""
    lengths: Mapping[Depth, float] = field(default_factory=dict)
    """Of an asked graph: characters of an answer, by depth."""
    per_character: float | None = None
    """Tokens out per character of an answer, those of hidden reasoning included."""
    kept: float | None = None
    """Of a build that classifies: share of its questions that are of depth 3."""
    per_question: Mapping[Step, float] = field(default_factory=dict)
    """Of a build that was read whole: calls per question that was deconstructed."""


@dataclass(frozen=True, slots=True)
class DepthQAPriors:
    """Past runs of one of the two methods, the newest first."""

    runs: Sequence[PastDepthQA] = ()
    unreadable: int = 0


def read_depthqa_priors(runs_dir: Path, method: str) -> DepthQAPriors:
    """The newest finished runs of a folder by `depthqa` or `depthqa_build`. What cannot be read is counted and left
    out."""
    return DepthQAPriors(
        *read_past(runs_dir, method, lambda path: past_depthqa(islice(read_events(path), MOST_EVENTS)))
    )


def past_depthqa(events: Iterator[Event]) -> PastDepthQA | None:
    """What a run's events tell; None when nothing was finished."""
    started: RunStarted | None = None
    items: dict[str, DepthItem] = {}
    whole = False
    for event in events:
        if isinstance(event, RunStarted):
            started = event
        elif isinstance(event, ItemFinished) and isinstance(event.item, DepthItem):
            items[event.item.id] = event.item  # what was done again has its earlier calls, too
        whole = isinstance(event, RunFinished)
    if started is None or not items:
        return None
    done, lost = list(items.values()), sum(item.fault is not None for item in items.values())
    if isinstance(started.spec, DepthQABuildSpec):
        kept, per_question = _of_build(started.spec, done, whole=whole)
        return PastDepthQA(started.spec, step_means(done), lost, kept=kept, per_question=per_question)
    if not isinstance(started.spec, DepthQASpec) or started.material is None:
        return None
    depths = {node.id: node.depth for node in started.material.graph.nodes}
    answers = [item for item in done if isinstance(item, DepthAnswer)]
    lengths, per_character = _of_answers(answers, depths)
    return PastDepthQA(started.spec, step_means(done), lost, lengths, per_character)


def _of_answers(answers: Sequence[DepthAnswer], depths: Mapping[str, Depth]) -> tuple[dict[Depth, float], float | None]:
    """Characters of an answer by depth, and tokens out per character."""
    told = [item for item in answers if item.answer is not None and item.calls and item.answer.text.strip()]
    total, number = Counter[Depth](), Counter[Depth]()
    spent = characters = 0
    for item in told:
        assert item.answer is not None  # said above
        depth = depths[item.nodes[0]]
        total[depth] += len(item.answer.text)
        number[depth] += 1
        spent += item.calls[-1].usage.output_tokens
        characters += len(item.answer.text)
    lengths = {depth: total[depth] / number[depth] for depth in sorted(number)}
    return lengths, spent / characters if spent else None


def _of_build(
    spec: DepthQABuildSpec, items: Sequence[DepthItem], *, whole: bool
) -> tuple[float | None, dict[Step, float]]:
    """The share of questions of depth 3, and calls per question that was deconstructed."""
    classified = [item.depth for item in items if isinstance(item, Classified) and item.depth is not None]
    kept = classified.count(3) / len(classified) if classified else None
    sources = {source.id for source in spec.questions}
    roots = sum(isinstance(item, Deconstructed) and not item.gap and item.node in sources for item in items)
    if not whole or not roots:
        return kept, {}
    calls = Counter(Step(call.role, call.purpose) for item in items for call in item.calls)
    return kept, {step: calls[step] / roots for step in (PARTS, OPEN, MORE, RELATION)}
