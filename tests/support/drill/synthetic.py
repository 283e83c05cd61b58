"""A drill that never happened, as a schema-valid stream of events, for tests of the screen.

Everything follows from the arguments; nothing is read from a clock or a global generator. The texts are hostile on
purpose: escape sequences, markup, direction overrides, wide and right-to-left scripts, very long questions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import zip_longest
from math import sqrt
from random import Random

from fathom.state.events import (
    DepthClosed,
    DepthPlanned,
    Event,
    Notice,
    Opened,
    ProbeAnswered,
    ProbeAsked,
    ProbeJudged,
    RunFinished,
    RunStarted,
)
from fathom.state.records import Answer, Call, Evidence, Probe, Question, Scored, Unscored, Usage, Verdict
from fathom.state.result import DepthRow, Interval, StopReason
from fathom.state.spec import DrillSpec, WorldSpec
from fathom.state.text import digest
from fathom.state.tiers import TIERS, tier_of

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
CONCEPTS = (
    "Helium",
    "超流動ヘリウム",
    "الهيليوم السائل",
    "[red]Noble gases[/red]",
    "Lambda\x1b[31m point\x1b[0m",
    "\u202eevitcaoidaR\u202c decay",
    "Ionisation energy",
)
QUESTIONS = (
    "At what temperature does liquid {} become superfluid?",
    "Which chemist first isolated {} [bold]in quantity[/bold], and in which year was it announced to the academy?",
    "超流動への転移温度は何ケルビンですか: {}?",
    "ما هي درجة حرارة {}؟",
    "What\r\nis\x07 the \x1b]0;title\x07 boiling point of {}?",
    "Name the isotope of {} " + "with the very long and winding description " * 12 + "that is stable.",
)


@dataclass
class Plan:
    """What a synthetic drill looks like."""

    run_id: str = "20261120T120000-drill-chemical-elements-sim-student-7f3a9c01"
    domain: str = "Chemical elements"
    target: str = "sim:student"
    judge: str = "sim:evaluator"
    n: int = 6
    accuracies: Sequence[float] = (0.9, 0.8, 0.7, 0.6)
    threshold: float = 0.2
    simulated: bool = True
    seed: int = 1
    cost: float | None = 0.0002
    unscored: int = 1
    """Probes per depth that fail at some stage and are replaced."""
    notices: bool = True
    stop_reason: StopReason = "threshold"
    probes: list[Probe] = field(default_factory=list)
    rows: list[DepthRow] = field(default_factory=list)


def spec_of(plan: Plan) -> DrillSpec:
    return DrillSpec(
        domain=plan.domain,
        target=plan.target,
        evaluator="sim:evaluator",
        judge=plan.judge,
        facts=dict.fromkeys(TIERS, ("sim",)),
        n=plan.n,
        as_of=date(2026, 11, 20),
        world=WorldSpec() if plan.simulated else None,
    )


def wilson(correct: int, n: int) -> Interval:
    """Wilson's 95 % interval, written out so that the screen's tests do not lean on the statistics they show."""
    if n == 0:
        return (0.0, 1.0)
    z, share = 1.96, correct / n
    mid = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return (max(0.0, mid - half), min(1.0, mid + half))


def call(plan: Plan, role: str, purpose: str, failure: str | None = None) -> Call:
    model = plan.target if role == "target" else plan.judge
    return Call.model_validate(
        {
            "role": role,
            "purpose": purpose,
            "model": model,
            "usage": Usage() if failure else Usage(input_tokens=120, output_tokens=40),
            "cost_usd": None if failure else plan.cost,
            "latency_s": 0.4,
            "failure": failure,
        }
    )


def probe(plan: Plan, depth: int, slot: int, round_: int, mark: str, parent: Probe | None, rng: Random) -> Probe:
    """One finished probe; `mark` is a verdict or `unscored`."""
    root = parent.root if parent else f"Aspect {slot + 1}"
    concept = rng.choice(CONCEPTS)
    tier, _ = tier_of(depth, 3)
    passage = f"{concept} was described in 1868. Its value is {depth}.{slot} kelvin. [link=x]See[/link] also \x1b[2J."
    evidence = Evidence(
        text=passage,
        title=f"Page of {concept}",
        url=f"https://wiki.example/{depth}/{slot}",
        source="sim",
        tier=tier,
        section=None if depth < 3 else "Properties",
        revision=f"{1000 + depth}",
        published=date(2026, 3, 1) if depth % 2 else None,
        retrieved_at=START,
        digest=digest(passage),
    )
    question = Question(
        text=rng.choice(QUESTIONS).format(concept),
        reference=f"It is {depth}.{slot} kelvin.",
        quote=f"Its value is {depth}.{slot} kelvin.",
        evidence=evidence,
    )
    outcome: Scored | Unscored
    if mark == "unscored":
        outcome = Unscored(stage="judge", kind="timeout", message="The judge did not answer within 60 s.")
    else:
        verdict: Verdict = "correct" if mark == "correct" else "abstained" if mark == "abstained" else "wrong"
        reason = "The answer [b]asserts[/b] the reference value."
        outcome = Scored(verdict=verdict, confidence=0.9, reason=reason, judge=plan.judge)
    return Probe(
        id=f"{plan.run_id}/d{depth:02}.s{slot:02}.r{round_}",
        depth=depth,
        slot=slot,
        round=round_,
        tier=tier,
        root=root,
        parent=parent.id if parent else None,
        chain=(*(parent.chain if parent else (root,)), concept),
        concept=concept,
        origin="answer" if parent else "root",
        question=question,
        answer=Answer(text=f"I think it is {depth}.{slot} kelvin.\nOr so.\x1b[8m", finish="stop", latency_s=0.4),
        outcome=outcome,
        concepts=("Cryogenics",),
        calls=(
            call(plan, "evaluator", "question"),
            call(plan, "target", "answer"),
            call(plan, "judge", "verdict", "timeout" if mark == "unscored" else None),
        ),
        elapsed_s=1.5 + slot / 10,
    )


def _marks(plan: Plan, accuracy: float, rng: Random) -> list[str]:
    correct = round(accuracy * plan.n)
    marks = ["correct"] * correct + ["wrong"] * (plan.n - correct)
    if plan.n - correct > 1:
        marks[-1] = "abstained"
    rng.shuffle(marks)
    return marks


def _row(plan: Plan, depth: int, probes: Sequence[Probe], survival: float) -> DepthRow:
    verdicts = [p.outcome.verdict for p in probes if p.outcome.status == "scored"]
    failed = len(probes) - len(verdicts)
    correct, n = verdicts.count("correct"), len(verdicts)
    tier, tier_pass = tier_of(depth, 3)
    accuracy, bounds = correct / n, wilson(correct, n)
    return DepthRow(
        depth=depth,
        tier=tier,
        tier_pass=tier_pass,
        asked=len(probes),
        scored=n,
        correct=correct,
        wrong=verdicts.count("wrong"),
        abstained=verdicts.count("abstained"),
        unscored={"judge": failed} if failed else {},
        rejected=0,
        duplicates=0,
        tried=n + 2,
        no_evidence=2,
        unfilled=0,
        replaced=failed,
        rounds=2 if failed else 1,
        effective_roots=n / (1 + 0.2 * depth),
        accuracy=accuracy,
        accuracy_ci=bounds,
        accuracy_ci_clustered=None if n < 2 else bounds,
        survival=survival * accuracy,
        survival_ci=(survival * bounds[0], survival * bounds[1]),
    )


def _steps(plan: Plan) -> Iterator[Event]:
    """The events without numbers and times."""
    spec, run, rng = spec_of(plan), plan.run_id, Random(plan.seed)
    yield RunStarted(run_id=run, spec=spec, spec_digest=spec.digest, version="0.1.0", simulated=plan.simulated)
    roots = tuple(f"Aspect {i + 1}" for i in range(plan.n))
    opening = (call(plan, "evaluator", "aspects"),)
    yield Opened(run_id=run, aspects=(*roots, "Aspect \x1b[5mspare"), roots=roots, calls=opening)
    if plan.notices:
        yield Notice(run_id=run, level="warning", message="The judge is of the target's own [bold]family\x1b[1m.")
    survivors: list[Probe] = []
    survival = 1.0
    for depth, accuracy in enumerate(plan.accuracies, start=1):
        tier, tier_pass = tier_of(depth, 3)
        marks = _marks(plan, accuracy, rng)
        failures = ["unscored"] * plan.unscored + marks[plan.unscored :]
        done: list[Probe] = []
        for round_, batch in enumerate((failures, marks[: plan.unscored])):
            if not batch:
                continue
            yield DepthPlanned(
                run_id=run,
                depth=depth,
                round=round_,
                tier=tier,
                tier_pass=tier_pass,
                paths=len(survivors) or plan.n,
                slots=len(batch),
            )
            made = [
                probe(plan, depth, slot, round_, mark, rng.choice(survivors) if survivors else None, rng)
                for slot, mark in enumerate(batch)
            ]
            for p in made:
                assert p.question is not None
                yield ProbeAsked(run_id=run, probe_id=p.id, depth=depth, chain=p.chain, question=p.question.text)
            for p in rng.sample(made, len(made)):
                assert p.answer is not None
                yield ProbeAnswered(run_id=run, probe_id=p.id, depth=depth, text=p.answer.text, latency_s=0.4)
                yield ProbeJudged(run_id=run, probe=p)
            done += made
        row = _row(plan, depth, done, survival)
        plan.probes += done
        plan.rows.append(row)
        survival = row.survival
        survivors = [p for p in done if p.outcome.status == "scored" and p.outcome.correct]
        yield DepthClosed(run_id=run, row=row, evd=sum(r.survival for r in plan.rows))
    evd = sum(r.survival for r in plan.rows)
    yield RunFinished(
        run_id=run,
        status="complete",
        stop_reason=plan.stop_reason,
        evd=evd,
        evd_ci=(evd * 0.8, evd * 1.25),
        cost_usd=cost_of(plan),
        wall_s=75.2,
    )


def events_of(plan: Plan, step_s: float = 0.25) -> list[Event]:
    """The whole stream of one run, numbered from 1, `step_s` seconds apart; fills `plan.probes` and `plan.rows`."""
    plan.probes, plan.rows = [], []
    return [
        event.model_copy(update={"seq": seq, "at": START + timedelta(seconds=step_s * (seq - 1))})
        for seq, event in enumerate(_steps(plan), start=1)
    ]


def interleaved(*streams: Sequence[Event]) -> list[Event]:
    """Several runs as one stream, taking turns."""
    return [event for turn in zip_longest(*streams) for event in turn if event is not None]


def cost_of(plan: Plan) -> float | None:
    return None if plan.cost is None else plan.cost * 3 * len(plan.probes)
