"""Cross-examination: home advantage by set and on average, and the interval that the roots
allow."""

from random import Random

import pytest

from fathom.stats.replay.crossed import QuestionSet, cross


def question_set(name: str, home: str, rights: dict[str, str], roots: str) -> QuestionSet:
    """`rights`: model → `1` right, `0` not, ` ` no verdict, a sign per question; `roots`: a letter
    per question."""
    verdicts = {
        model: {f"q{i}": sign == "1" for i, sign in enumerate(signs) if sign != " "}
        for model, signs in rights.items()
    }
    return QuestionSet(name, home, {f"q{i}": root for i, root in enumerate(roots)}, verdicts)


def test_home_advantage_is_the_own_minus_the_mean_of_the_others() -> None:
    one = question_set("A", "a", {"a": "1110", "b": "1000", "c": "1100"}, "wxyz")
    (row,) = cross([one]).advantages
    # 3/4 − (1/4 + 2/4)/2
    assert (row.questions, row.own, row.others, row.advantage) == (4, 0.75, 0.375, 0.375)


def test_only_questions_that_all_have_a_verdict_on_are_compared() -> None:
    one = question_set("A", "a", {"a": "1110", "b": "1 00", "c": "110 "}, "wxyz")
    (row,) = cross([one]).advantages
    assert (row.questions, row.own, row.others) == (2, 1.0, 0.5)


def test_a_model_without_any_verdict_takes_nothing_away() -> None:
    one = question_set("A", "a", {"a": "10", "b": "00", "c": "  "}, "wx")
    (row,) = cross([one]).advantages
    assert (row.questions, row.advantage) == (2, 0.5)


@pytest.mark.parametrize("rights", [{"a": "10"}, {"a": "  ", "b": "10"}, {"a": "1 ", "b": " 1"}])
def test_a_set_that_cannot_be_compared_is_left_out(rights: dict[str, str]) -> None:
    found = cross([question_set("A", "a", rights, "wx")])
    assert (found.advantages, found.mean, found.interval, found.balanced) == ((), None, None, False)


def test_what_does_not_vary_has_no_interval() -> None:
    alike = question_set("A", "a", {"a": "1111", "b": "0000"}, "wxyz")
    single = question_set("B", "b", {"a": "1010", "b": "1100"}, "wwww")
    found = cross([alike, single])
    assert [row.interval for row in found.advantages] == [None, None]
    assert found.interval is None


def test_the_interval_is_the_roots_scatter() -> None:
    """Ten roots, half of them with an advantage of 1 and half of 0, two questions each: sums ± 1,
    V = 10/9·10/400 = .0278, t_{.975, 9} = 2.262: .5 ± .377. Roots of their own say more."""
    rights = {"a": "11" * 10, "b": "00" * 5 + "11" * 5}
    one = question_set("A", "a", rights, "".join(2 * letter for letter in "abcdefghij"))
    assert cross([one]).advantages[0].interval == pytest.approx((0.123, 0.877), abs=1e-3)
    many = cross([question_set("A", "a", rights, "abcdefghijklmnopqrst")]).advantages[0].interval
    assert many is not None
    assert many[1] - many[0] < 0.6


def test_balance() -> None:
    rights = {"a": "10", "b": "01"}
    a, b = question_set("A", "a", rights, "wx"), question_set("B", "b", rights, "wx")
    assert cross([a, b]).balanced
    assert not cross([a]).balanced
    assert not cross([a, question_set("C", "a", rights, "wx")]).balanced
    assert not cross([a, question_set("B", "b", {**rights, "c": "11"}, "wx")]).balanced


def simulated(advantage: float, rng: Random) -> list[QuestionSet]:
    """Three models of unequal skill, each at home once; 20 roots of three questions that share an
    easiness."""
    skill = {"a": 0.45, "b": 0.55, "c": 0.65}
    sets = []
    for home in skill:
        verdicts: dict[str, dict[str, bool]] = {model: {} for model in skill}
        roots = {}
        for root in range(20):
            easy = rng.uniform(-0.15, 0.15)
            for question in (f"{root}.{nth}" for nth in range(3)):
                roots[question] = str(root)
                for model, share in skill.items():
                    verdicts[model][question] = rng.random() < share + easy + (
                        advantage if model == home else 0
                    )
        sets.append(QuestionSet(f"set of {home}", home, roots, verdicts))
    return sets


@pytest.mark.parametrize("advantage", [0.0, 0.15])
def test_the_mean_finds_the_advantage_whoever_knows_more(advantage: float) -> None:
    rng, held, total, runs = Random(f"home:{advantage}"), 0, 0.0, 150
    for _ in range(runs):
        found = cross(simulated(advantage, rng))
        assert found.balanced
        assert found.mean is not None
        assert found.interval is not None
        total += found.mean
        held += found.interval[0] <= advantage <= found.interval[1]
    assert total / runs == pytest.approx(advantage, abs=0.012)
    assert 0.89 <= held / runs <= 0.995
