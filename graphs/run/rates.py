"""How often calls are made, how long their texts are and how long they take: from past runs, else
by default."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...agents.prompts import PROMPTS_OF
from ...agents.skill import override
from ...sim.faults import Timing
from ...state.records import Role
from ...state.spec import Spec, WorldSpec, is_simulated
from .due import NOTHING, Calls, PlannedCall
from .past import Means, PastRun
from .spread import ZERO, Spread, around, fixed, total
from .usual import USUAL

CHARACTERS = 4
"""Of a text, per token."""
AGAIN = Spread(0.85, 1.0, 1.6)
"""Calls per call that is due: what follows a step that came to nothing is never asked; what is cut
off, empty or malformed is asked for once more."""
SLOWEST = Spread(1.2, 1.7, 3.0)
"""How much longer the slowest of the calls that are made at once takes than a usual one."""
Kind = tuple[Role, str]
"""Who is asked, and by which prompt."""


@dataclass(slots=True)
class Load:
    """All calls of one kind that a run makes."""

    role: Role
    purpose: str
    model: str
    calls: Spread = ZERO
    expected: Spread = ZERO
    """Calls, each part with what is expected of it: a range only where it is not known how many
    parts there are."""
    known: float = 0.0
    """Characters known beforehand, of all expected calls together."""
    limit: int = 0
    """Tokens of a reply at most."""
    input_tokens: Spread = ZERO
    output_tokens: Spread = ZERO
    """Of all of them together."""
    seconds: Spread = ZERO
    """Of one call."""

    def add(self, due: PlannedCall, often: Spread) -> None:
        """So many calls more; `often`: of the part they belong to."""
        self.calls = self.calls.plus(due.number.times(often))
        self.expected = self.expected.plus(often.times(due.number.mid))
        self.known += due.known * due.number.mid * often.mid
        self.limit = max(self.limit, due.limit)


class Rates:
    """What calls are like. `calls`: what a run of the method asks."""

    def __init__(
        self, calls: Callable[[Spec, object], Calls], past: Sequence[PastRun], timing: Timing
    ) -> None:
        self._calls, self._past, self._timing = calls, past, timing
        self._declared: dict[int, Mapping[Kind, float]] = {}

    def fill(self, spec: Spec, load: Load) -> None:
        """Tokens, seconds, and the calls that are made again."""
        means = [
            run.means[load.purpose, load.model]
            for run in self._past
            if (load.purpose, load.model) in run.means
        ]
        tokens_each = _past_tokens(means) if means else _usual_tokens(spec, load)
        load.calls = _often(load, self._ratio(spec, (load.role, load.purpose)), calm=_is_calm(spec))
        load.input_tokens, load.output_tokens = (load.calls.times(tokens) for tokens in tokens_each)
        load.seconds = self.seconds(load.purpose, load.model, [means.seconds for means in means])

    def seconds(self, purpose: str, model: str, past: Sequence[float] = ()) -> Spread:
        """Of one call, or of a look-up of the source `model`. A simulated world takes as long as it
        is told to."""
        if is_simulated(model):
            return fixed(self._wait)
        return around(_mean(past), 1.5) if past else around(USUAL[purpose].seconds, 3)

    def slowest(self, spec: Spec) -> Spread:
        """How much longer the slowest of what is done at once takes."""
        if not all(map(is_simulated, spec.asked)):
            return SLOWEST
        return fixed(
            (self._timing.latency_s + self._timing.jitter_s) / self._wait if self._wait else 1.0
        )

    @property
    def _wait(self) -> float:
        return self._timing.latency_s + self._timing.jitter_s / 2

    def _ratio(self, spec: Spec, kind: Kind) -> float | None:
        """Calls per call that was due, in past runs of the method with the same model in the role
        and the same world. What stands in the journal of another run of its launch, as the opening
        of a drill does, tells nothing."""
        calls_made = calls_due = 0.0
        for run in self._past:
            if run.calls and (run.spec.method, run.spec.world) == (spec.method, spec.world):
                same_model = run.spec.models.get(kind[0]) == spec.models.get(kind[0])
                if same_model and (kind in run.calls or kind[1] != "aspects"):
                    calls_made, calls_due = (
                        calls_made + run.calls.get(kind, 0),
                        calls_due + self._due_of(run).get(kind, 0.0),
                    )
        return calls_made / calls_due if calls_due else None

    def _due_of(self, run: PastRun) -> Mapping[Kind, float]:
        """The calls that were due of a past run."""
        if id(run) not in self._declared:
            calls, numbers = self._calls(run.spec, run.material), defaultdict[Kind, float](float)
            for part, often in calls.parts([run]):
                for due in calls.due(part, NOTHING):
                    numbers[due.role, due.purpose] += due.number.mid * often.mid
            self._declared[id(run)] = numbers
        return self._declared[id(run)]


def _often(load: Load, ratio: float | None, *, calm: bool) -> Spread:
    """Calls, those made again included. Where it is certain how many are due, past runs only tell
    how many there may be at most; else they tell how many of those that are expected come about."""
    certain = load.calls == load.expected
    if calm and (certain or ratio is None):
        return load.calls
    if ratio is None:
        return load.calls.times(AGAIN)
    if certain:
        return load.calls.times(Spread(AGAIN.low, 1.0, 1.1 * max(1.0, ratio)))
    low, high = load.calls.low * AGAIN.low, load.calls.high * AGAIN.high
    return Spread(
        *(min(high, max(low, calls)) for calls in load.expected.times(around(ratio, 1.25)))
    )


def _past_tokens(means: Sequence[Means]) -> tuple[Spread, Spread]:
    """Tokens in and out of one call."""
    into, out = (_mean(mean[index] for mean in means) for index in (0, 1))
    return around(into, 1.1), around(out, 1.25)


def _usual_tokens(spec: Spec, load: Load) -> tuple[Spread, Spread]:
    """Tokens in and out of one call: the prompt's own text, what is known, and what is usual."""
    usual, simulated = USUAL[load.purpose], is_simulated(load.model)
    prompts, changed = PROMPTS_OF[spec.method], getattr(spec, "prompts", {})
    if changed:
        prompts = override(dict(prompts), changed)
    prompt = prompts[load.purpose].text
    calls = load.expected.mid
    beforehand = around(load.known / calls / CHARACTERS if calls else 0.0, 1.25)
    if simulated:
        read = around(usual.simulated_read, 1.5)
        written = around(usual.simulated_said, 1.5)
    else:
        read = around(usual.read, 2)
        written = usual.said
    into = total([fixed(len(prompt) / CHARACTERS), beforehand, read])
    out = (min(tokens, load.limit) for tokens in written)
    return into, Spread(*out)


def _is_calm(spec: Spec) -> bool:
    """Whether all is of a simulated world in which nothing goes wrong."""
    world = spec.world
    return (
        all(map(is_simulated, spec.models.values()))
        and world is not None
        and world == WorldSpec(seed=world.seed)
    )


def _mean(figures: Iterable[float]) -> float:
    values = list(figures)
    return sum(values) / len(values)
