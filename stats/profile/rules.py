"""What in a model's profile does not go together: each rule a line of a table, each limit a name.

A rule looks at the ends of the intervals, never at the figures alone: what chance could have made
is no contradiction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from ...state.deepquestion.items import LOADS
from ...state.depthqa.items import HIGH as GOOD_SCORE
from ...state.profile import Contradiction, Ground, ProfileRow, Side

HIGH = 0.8
"""A share whose lower end reaches this is high."""
LOW = 0.5
"""A share whose upper end does not pass this is low."""
DEEP_TIERS = 2
"""An EVD whose lower end reaches so many tiers is deep: beyond COMMON and TEXTBOOK."""
SHALLOW_TIERS = 1
"""An EVD whose upper end does not pass so many tiers is shallow: within COMMON."""
POOR_SCORE = 3.0
"""A mean score of 1 … 5 whose upper end does not pass this is poor."""
GAP = 0.1
"""A discrepancy whose lower end reaches this is large: 0.4 of a point of score, averaged over all
that is eligible. Above 0 alone would say nothing: no node counts below 0, so that scatter in the
scores lifts the average."""
NONE = 0.0
"""A drop whose lower end lies above this is one."""
FAR = 0.2
"""A distance to Q2I whose lower end reaches this is large; it is between two tasks, so that some is
to be expected."""
LEVEL = 0.05
"""A p-value below this is significant."""

Source = tuple[str, ...]
"""The runs behind a row."""


@dataclass(frozen=True, slots=True)
class Condition:
    """That one of the measures has its whole interval beyond the limit. `limit`: of an EVD in
    tiers."""

    measures: tuple[str, ...]
    side: Side
    limit: float
    significant: bool = False
    """Whether the p-value has to be below the level too: a score interval can leave 0 out where an
    exact test does not, and the more loads there are the sooner one of them does."""

    def limit_for(self, row: ProfileRow) -> float:
        """The limit in the row's unit."""
        return self.limit * (row.tier_depths or 1)

    def holds(self, row: ProfileRow) -> bool:
        """Whether it is met. A row without an interval never meets any, nor a lower limit an upper
        one."""
        if row.measure not in self.measures or row.ci is None:
            return False
        if self.significant and (row.p is None or row.p >= LEVEL):
            return False
        low, high = row.ci
        if self.side == "at most":
            return not row.lower_limit and high <= self.limit_for(row)
        return low > self.limit_for(row) if self.side == "more than" else low >= self.limit_for(row)


@dataclass(frozen=True, slots=True)
class Rule:
    """A contradiction that there is when all conditions are met, by one run or by runs of one
    domain."""

    name: str
    says: str
    means: str
    conditions: tuple[Condition, ...]


DEEP = Condition(("evd",), "at least", DEEP_TIERS)
SHALLOW = Condition(("evd",), "at most", SHALLOW_TIERS)
EXAM_PASSED = Condition(("eqt_accuracy",), "at least", HIGH)
EXAM_FAILED = Condition(("eqt_accuracy",), "at most", LOW)
COMMON_KNOWN = Condition(("tier_common",), "at least", HIGH)
COMMON_UNKNOWN = Condition(("tier_common",), "at most", LOW)
CONSISTENT = Condition(("acs_normalised",), "at least", HIGH)
INCONSISTENT = Condition(("acs_normalised",), "at most", LOW)
STRATEGIC = Condition(("depthqa_d3",), "at least", GOOD_SCORE)
NOT_STRATEGIC = Condition(("depthqa_d3",), "at most", POOR_SCORE)
SOLVES = Condition(("original",), "at least", HIGH)
NOT_POSED = Condition(("q2i",), "at most", LOW)

RULES: tuple[Rule, ...] = (
    Rule(
        "deep_inconsistent",
        "deep but inconsistent",
        "It answers far into the drill, yet the same question in other words gets another answer.",
        (DEEP, INCONSISTENT),
    ),
    Rule(
        "consistent_wrong",
        "consistent but wrong",
        "It gives the same answer however it is asked, and mostly not the right one.",
        (CONSISTENT, EXAM_FAILED),
    ),
    Rule(
        "exam_without_common",
        "passes the exam, lacks common knowledge",
        "It answers questions on an explanation, and not those that are checked against sources: "
        "what it agrees with"
        " may not be so.",
        (EXAM_PASSED, COMMON_UNKNOWN),
    ),
    Rule(
        "common_without_exam",
        "has common knowledge, fails the exam",
        "It answers what is checked against sources, and not questions on an explanation.",
        (COMMON_KNOWN, EXAM_FAILED),
    ),
    Rule(
        "lacks_ground",
        "answers deep questions, lacks what they rest on",
        "Where it answers the deeper questions it does worse on the shallower ones that lead to "
        "them: it may know the"
        " answers by heart.",
        (Condition(("backward",), "at least", GAP),),
    ),
    Rule(
        "strategic_but_shallow",
        "good at strategic questions, shallow in the drill",
        "It answers questions of depth 3, and follow-up questions stop it within the COMMON tier.",
        (STRATEGIC, SHALLOW),
    ),
    Rule(
        "deep_but_not_strategic",
        "deep in the drill, poor at strategic questions",
        "It knows facts far down, and does not put them together to answer questions of depth 3.",
        (DEEP, NOT_STRATEGIC),
    ),
    Rule(
        "lost_in_scenario",
        "solves bare problems, loses some in a scenario",
        "The same problem inside a scenario is solved less often.",
        (
            SOLVES,
            Condition(tuple(f"drop_{load}" for load in LOADS), "more than", NONE, significant=True),
        ),
    ),
    Rule(
        "solves_not_poses",
        "solves problems, cannot pose them",
        "It solves problems of a kind that it cannot write to an instruction.",
        (SOLVES, NOT_POSED, Condition(("distance",), "at least", FAR)),
    ),
)


def contradictions(rows: Sequence[ProfileRow], *, one_domain: bool) -> tuple[Contradiction, ...]:
    """What the rows of one model contradict each other in, in the order of the rules.

    Rows of one method count together only within a run. Rows of several methods count together when
    their domains have the same name, or when all are taken as `one_domain`. One line per rule and
    combination of runs.
    """
    return tuple(found for rule in RULES for found in _found(rule, rows, one_domain))


def _found(rule: Rule, rows: Sequence[ProfileRow], one_domain: bool) -> Iterator[Contradiction]:
    met = [_by_source(condition, rows) for condition in rule.conditions]
    for sources in product(*met):
        held = [grounds[source] for grounds, source in zip(met, sources, strict=True)]
        if comparable([grounds[0].row for grounds in held], one_domain=one_domain):
            every = tuple(ground for grounds in held for ground in grounds)
            yield Contradiction(rule=rule.name, says=rule.says, means=rule.means, grounds=every)


def checkable(rule: Rule, rows: Sequence[ProfileRow], *, one_domain: bool) -> bool:
    """Whether there are figures with intervals for each condition of a rule, which may be set
    against each other."""
    estimates = [row for row in rows if row.ci is not None]
    figures = [
        [row for row in estimates if row.measure in condition.measures]
        for condition in rule.conditions
    ]
    return any(comparable(combination, one_domain=one_domain) for combination in product(*figures))


def _by_source(condition: Condition, rows: Sequence[ProfileRow]) -> dict[Source, list[Ground]]:
    found: dict[Source, list[Ground]] = {}
    for row in rows:
        if condition.holds(row):
            limit = condition.limit_for(row)
            ground = Ground(
                row=row, side=condition.side, limit=limit, significant=condition.significant
            )
            found.setdefault(row.run_ids, []).append(ground)
    return found


def comparable(rows: Sequence[ProfileRow], *, one_domain: bool) -> bool:
    """Whether rows can be set against each other: of one run, or of several methods and one
    domain."""
    sources = {row.run_ids for row in rows}
    if len(sources) == 1:
        return True
    if len({row.method for row in rows}) < len(sources):
        return False
    return one_domain or len({plain(row.domain) for row in rows}) == 1


def plain(domain: str) -> str:
    """A domain's name as it is compared."""
    return " ".join(domain.split()).casefold()
