"""Decisions by hand: what each verdict takes, and that nothing missing ever passes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.state.decision import ConditionState, Decision, Policy
from fathom.state.errors import UsageError
from fathom.state.rows import Estimate
from fathom.stats.decide import Candidate, Gap, condition_state, decide, parse_condition
from fathom.stats.moderated import Mean

from ..support.decisions import compared

MET = ConditionState(model="a", condition="c", state="met")
FAILED = MET.model_copy(update={"state": "failed", "value": 0.2})
OPEN = MET.model_copy(update={"state": "open"})
C = parse_condition("hallucination_rate <= 10%")


def decision(
    differences: dict[tuple[str, str], tuple[float, float]],
    policy: Policy,
    *candidates: Candidate,
    judge: float | None = None,
) -> Decision:
    """(one, other) → (difference, its standard error at 8 degrees of freedom, over 5 repeats); the
    candidates are the models, the best first, each model's price its place from behind."""
    means = {pair: Mean(*figures, 8.0) for pair, figures in differences.items()}
    labels = [each.label for each in candidates]
    return decide(compared(labels, means, 5, judge), candidates, policy)


A, B, D = (Candidate(name, usd_per_repeat=2.0, repeats=5) for name in ("a", "b", "d"))
MARGIN = Policy(margin=0.5)


@pytest.mark.parametrize(
    ("pair", "policy", "verdict", "model"),
    [
        ((2.0, 0.3), MARGIN, "better_beyond_margin", "a"),  # t of 1.5: 5.0
        ((0.9, 0.3), MARGIN, "better", "a"),  # t of .4: 1.3
        ((0.9, 0.3), Policy(), "better", "a"),
        ((0.1, 0.15), MARGIN, "equal", "b"),  # t of .4: 2.7, p .014; b is the cheaper one
        ((0.3, 0.05), MARGIN, "equal", "b"),  # ahead, and by less than matters
        ((0.3, 0.05), Policy(margin=0.5, prefer="better"), "better", "a"),
        ((0.1, 0.15), Policy(), "not_decided", None),  # without a margin nothing is equal
        ((0.6, 0.5), MARGIN, "not_decided", None),
    ],
)
def test_two_models(
    pair: tuple[float, float], policy: Policy, verdict: str, model: str | None
) -> None:
    found = decision({("a", "b"): pair}, policy, A, B)
    assert (found.verdict, found.model) == (verdict, model)
    assert found.exit_code == (4 if verdict == "not_decided" else 0)


def test_what_it_would_take_and_cost() -> None:
    """σ of one repeat .5·√5 = 1.118; to tell .6 apart with 80%: ((1.960 + .842)·1.118/.6)² = 27.3
    repeats, 23 more than the 5 there are; both models at 2 USD each."""
    found = decision({("a", "b"): (0.6, 0.5)}, Policy(), A, B)
    assert (found.more, found.more_usd) == (23, 92.0)


def test_several_models_are_one_decision() -> None:
    pairs = {
        ("a", "b"): (0.1, 0.1),
        ("a", "d"): (3.0, 0.3),
        ("b", "d"): (2.9, 0.3),
    }
    found = decision(pairs, MARGIN, A, B, D)
    assert (found.verdict, found.model, found.equals) == ("equal", "b", ("a", "b"))


def of(label: str, *states: ConditionState, **more: object) -> Candidate:
    return Candidate(label, conditions=states, usd_per_repeat=2.0, **more)  # type: ignore[arg-type]


CLEAR = {("a", "b"): (2.0, 0.3)}
MUST = Policy(margin=0.5, must=(C,))
UNKNOWN = OPEN.model_copy(update={"condition": C.text})


@pytest.mark.parametrize(
    ("candidates", "verdict", "model", "code"),
    [
        ([of("a", FAILED), of("b", MET)], "meets_conditions", "b", 0),
        ([of("a", FAILED), of("b", FAILED)], "fails_condition", None, 5),
        ([of("a", MET), of("b", FAILED)], "meets_conditions", "a", 0),
        ([of("a", MET), of("b", UNKNOWN)], "better_beyond_margin", "a", 0),
        ([of("a", UNKNOWN), of("b", MET)], "not_decided", None, 4),
        ([of("a", FAILED), of("b", UNKNOWN)], "not_decided", None, 4),
        (
            [of("a", MET), of("b", MET, gaps=(Gap("cut", "resume it"),))],
            "not_certified",
            None,
            5,
        ),
    ],
)
def test_conditions_and_gaps(
    candidates: list[Candidate], verdict: str, model: str | None, code: int
) -> None:
    found = decision(CLEAR, MUST, *candidates)
    assert (found.verdict, found.model, found.exit_code) == (verdict, model, code)


def test_one_model() -> None:
    assert decision({}, Policy(), A).verdict == "not_decided"
    assert decision({}, MUST, of("a", MET)).verdict == "meets_conditions"
    assert decision({}, MUST, of("a", FAILED)).verdict == "fails_condition"


def test_what_more_repeats_would_mend_waits_for_them() -> None:
    few = Candidate("b", gaps=(Gap("few", "repeat", by_repeats=True),))
    cut = Candidate("a", gaps=(Gap("cut", "resume it"),))
    assert decision(CLEAR, Policy(), A, few).waiting == ("b",)
    assert decision(CLEAR, Policy(), cut, few).waiting == ()


def test_lower_limits_are_never_equal() -> None:
    equal = {("a", "b"): (0.1, 0.15)}
    cut = Candidate("b", lower_limit=Gap("it was cut", "go on"))
    assert decision(equal, MARGIN, A, cut).verdict == "not_certified"


def test_an_unchecked_judge_that_could_explain_a_lead_is_no_ground() -> None:
    lead = {("a", "b"): (0.9, 0.3)}
    assert decision(lead, Policy(), A, B, judge=0.4).verdict == "not_certified"
    assert decision(lead, Policy(), A, B, judge=0.05).verdict == "better"
    assert decision(lead, Policy(judge_checked=True), A, B, judge=0.4).verdict == "better"


@given(st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_a_condition_is_met_by_the_whole_interval_or_not(
    low: float, high: float, up: bool
) -> None:
    low, high = min(low, high), max(low, high)
    condition = parse_condition(f"accuracy {'>=' if up else '<='} 50%")
    state = condition_state(condition, "a", Estimate((low + high) / 2, low, high, 9)).state
    met, failed = (low >= 0.5, high < 0.5) if up else (high <= 0.5, low > 0.5)
    assert state == ("met" if met else "failed" if failed else "open")


def test_what_is_missing_is_open() -> None:
    for estimate in (Estimate(None), Estimate(0.0)):
        assert condition_state(C, "a", estimate).state == "open"


@pytest.mark.parametrize(
    "text", ["", "accuracy", "accuracy < 3", "a <= b", "accuracy <= 1.2.3"]
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_condition(text)


def test_a_condition_as_written() -> None:
    found = parse_condition("hallucination_rate[professional]<=10%")
    assert (found.measure, found.tag, found.sense) == (
        "hallucination_rate",
        "professional",
        "<=",
    )
    assert found.bound == pytest.approx(0.1)
