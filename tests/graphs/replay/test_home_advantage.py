"""Home advantage over rows of replays: by drill and on average, and the interval that the roots
allow."""

from random import Random

import pytest

from fathom.graphs.replay.measures import home_advantage
from fathom.graphs.replay.rows import DRILLED
from fathom.state.rows import AnswerRow


def asked(name: str, rights: dict[str, str], roots: str) -> list[AnswerRow]:
    """`rights`: model → `1` right, `0` not, ` ` no verdict, a sign per question, first the drilled
    one; `roots`: a letter per question."""
    home = next(iter(rights))
    return [
        AnswerRow(
            run=f"{name} {model}",
            method="replay",
            model=model,
            domain="X",
            group=root,
            item=f"{name} {place}",
            condition=DRILLED if model == home else "depth 1",
            score=None if sign == " " else float(sign),
            verdict={" ": "unscored", "1": "right", "0": "wrong"}[sign],  # type: ignore[arg-type]
            settings={"source_run": name},
        )
        for model, signs in rights.items()
        for place, (sign, root) in enumerate(zip(signs, roots, strict=True))
    ]


def test_home_advantage_is_the_own_minus_the_mean_of_the_others() -> None:
    found = home_advantage(asked("A", {"a": "1110", "b": "1000", "c": "1100"}, "wxyz"))
    assert (found.n, found.value) == (4, 0.375)  # 3/4 − (1/4 + 2/4)/2


def test_only_questions_that_all_have_a_verdict_on_are_compared() -> None:
    found = home_advantage(asked("A", {"a": "1110", "b": "1 00", "c": "110 "}, "wxyz"))
    assert (found.n, found.value) == (2, 0.5)
    without_c = home_advantage(asked("A", {"a": "10", "b": "00", "c": "  "}, "wx"))
    assert (without_c.n, without_c.value) == (2, 0.5)


@pytest.mark.parametrize(
    "rights", [{"a": "10"}, {"a": "  ", "b": "10"}, {"a": "1 ", "b": " 1"}]
)
def test_what_cannot_be_compared_has_no_value(rights: dict[str, str]) -> None:
    assert home_advantage(asked("A", rights, "wx")).value is None


def test_what_does_not_vary_has_no_interval() -> None:
    alike = asked("A", {"a": "1111", "b": "0000"}, "wxyz")
    single = asked("B", {"b": "1100", "a": "1010"}, "wwww")
    assert home_advantage(alike).interval is None
    assert home_advantage([*alike, *single]).interval is None


def test_the_interval_is_the_roots_scatter() -> None:
    """Ten roots, half of them with an advantage of 1 and half of 0, two questions each: sums ± 1,
    V = 10/9·10/400 = .0278, t_{.975, 9} = 2.262: .5 ± .377. Roots of their own say more."""
    rights = {"a": "11" * 10, "b": "00" * 5 + "11" * 5}
    one = home_advantage(asked("A", rights, "".join(2 * letter for letter in "abcdefghij")))
    assert one.interval == pytest.approx((0.123, 0.877), abs=1e-3)
    many = home_advantage(asked("A", rights, "abcdefghijklmnopqrst")).interval
    assert many is not None
    assert many[1] - many[0] < 0.6


def simulated(advantage: float, rng: Random) -> list[AnswerRow]:
    """Three models of unequal skill, each at home once; 20 roots of three questions that share an
    easiness."""
    skill = {"a": 0.45, "b": 0.55, "c": 0.65}
    rows: list[AnswerRow] = []
    for home in skill:
        signs = dict.fromkeys((home, *skill), "")
        for _ in range(20):
            easy = rng.uniform(-0.15, 0.15)
            for model, share in (*skill.items(),) * 3:
                gain = advantage if model == home else 0
                signs[model] += "01"[rng.random() < share + easy + gain]
        rows += asked(home, signs, "".join(3 * letter for letter in "abcdefghijklmnopqrst"))
    return rows


@pytest.mark.parametrize("advantage", [0.0, 0.15])
def test_the_mean_finds_the_advantage_whoever_knows_more(advantage: float) -> None:
    rng, held, total, runs = Random(f"home:{advantage}"), 0, 0.0, 60
    for _ in range(runs):
        found = home_advantage(simulated(advantage, rng))
        assert found.value is not None
        assert found.interval is not None
        total += found.value
        held += found.interval[0] <= advantage <= found.interval[1]
    assert total / runs == pytest.approx(advantage, abs=0.019)
    assert 0.89 <= held / runs <= 0.995
