"""Several models set against each other: who is ahead, by how much, and how sure that is."""

from typing import Literal

from .benchmark import BenchmarkComparison
from .records import Record
from .result import Interval

Test = Literal["paired_t", "item_swap"]
"""How pairs are told apart: drills by a moderated paired t; the answers to the same questions by
swapping them at random, group by group."""


class ComparedModel(Record):
    """One model of a comparison."""

    label: str
    """The target, told apart by what else differs where one is there twice."""
    run_ids: tuple[str, ...]
    """Of the runs that count; of another program's log its path."""
    estimate: float | None
    """In the unit of the measure; of several domains the mean. None where nothing counts."""
    interval: Interval | None
    """95%."""
    at_least: bool = False
    """Whether the estimate is only a lower limit."""
    rank: tuple[int, int] | None = None
    """Best and worst rank that the pairs allow: 1 + those significantly better … all − those
    significantly worse."""
    group: str = ""
    """Letters; two models that share one cannot be told apart."""
    usd_per_100: float | None = None
    """Of drills: what 100 answers of the model itself cost, those from the cache at their price;
    None: not known."""
    latency_s: float | None = None
    """Of drills: median seconds that an answer of the model took."""
    ended: str | None = None
    """How its runs ended, where none counts: `failed`, `interrupted`, `partial`, `unfinished`."""


class ComparedPair(Record):
    """Two models, the one ahead first."""

    one: str
    """The model that is ahead."""
    other: str
    """The other one."""
    difference: float | None
    """By how much `one` is ahead: its estimate minus that of `other`, or the reverse where less is
    better; None where they share nothing to be compared on."""
    interval: Interval | None = None
    """Of the difference, by the same test: it leaves 0 out exactly where the adjusted p is below .05.
    Of a single pair 95%, of several as much wider as Holm adjusts."""
    p: float | None = None
    """Two-sided; None where the test cannot be made, and `note` says why."""
    p_adjusted: float | None = None
    """Holm's adjustment over all pairs tested."""
    se: float | None = None
    """Of drills: the standard error of the difference, and the degrees of freedom of its t."""
    df: float | None = None
    depth: int | None = None
    """Of drills: the depth down to which the two are compared, the least of several domains, where
    one was cut short or allowed no further; None: over their whole EVDs."""
    over: int = 0
    """Domains, repeats or questions that the two have in common."""
    note: str | None = None
    """Why there is no test."""

    @property
    def separated(self) -> bool:
        """Whether the adjusted p is below .05."""
        return self.p_adjusted is not None and self.p_adjusted < 0.05


class ComparedCell(Record):
    """One model in one domain, or in one category of concepts."""

    domain: str
    """The domain, or the category."""
    label: str
    """The model, as among the models."""
    estimate: float | None
    """Of several repeats the mean; None where no drill counts."""
    interval: Interval | None
    """95%; of one drill, or of three repeats and more."""
    at_least: bool
    """Whether the estimate is only a lower limit."""
    runs: int
    """Drills that count."""
    ended: tuple[str, ...] = ()
    """How the others ended: `failed`, `interrupted`, `partial` (its budget was used up),
    `unfinished`."""


class Comparison(Record):
    """A comparison of models by one measure."""

    method: Literal["comparison"] = "comparison"
    of: str
    """The method of the runs; of logs of other programs these (`inspect`, `lm-eval`)."""
    measure: str
    """`EVD` (in depths), `accuracy` (0 … 1), `score` (1 … 5); of other programs' logs the metric's
    own name."""
    span: Interval | None = None
    """Lowest and highest score that the intervals allow for; None of drills, whose EVD has no upper
    end."""
    less_is_better: bool = False
    """Whether the measure is an error or a perplexity: the best model has the least."""
    simulated: bool
    """True when any part is the simulated world: the numbers measure no real model."""
    test: Test
    """How the pairs were tested."""
    domains: tuple[str, ...]
    """Over which drills are compared; empty for other methods."""
    models: tuple[ComparedModel, ...]
    """The best first."""
    pairs: tuple[ComparedPair, ...]
    """All of them."""
    cells: tuple[ComparedCell, ...] = ()
    """Of drills: each model in each domain in which it was drilled, whether the drill counts or
    not; of Explain-Query-Tests each model in each category."""
    benchmark: BenchmarkComparison | None = None
    """Explain-Query-Tests beside a benchmark."""
    decisive: bool | None
    """Whether every pair is told apart; None where no pair was tested."""
    repeats_needed: tuple[float, int] | None = None
    """(difference, repeats): how many repeats of each would tell the first two apart, did they differ
    by so much, in four cases of five, where this comparison cannot."""
    judge_points: float | None = None
    """Of drills: how far, in EVD, two points more right answers wrongly rejected of one model than
    of another set the two apart."""
    judge: str = ""
    """Of a comparison without the judge's errors: by whose labels, and what its errors are."""
    corrected: "Comparison | None" = None
    """Of drills that people have reviewed: the same without the judge's errors."""
    changes: tuple[str, ...] = ()
    """Of each two runs, or groups of repeats, of one model: what is not as it was, by what they say
    of themselves."""
    notes: tuple[str, ...] = ()
    """What was left out, and what keeps the figures from meaning the same."""
