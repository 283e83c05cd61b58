"""Whether a model favours a letter: shares over letters, and no letter named for what chance can
do."""

from collections.abc import Sequence
from math import sqrt
from random import Random

import pytest
from scipy import stats as scipy_stats

from fathom.state.eqt.items import EqtItem
from fathom.state.eqt.result import LetterBias
from fathom.stats.eqt.figures import tables_of
from fathom.stats.eqt.items import by_concept
from fathom.stats.eqt.letters import letter_bias

from ...support.eqt import items as made
from ...support.eqt.items import asked, spec_of


def bias_of(items: Sequence[EqtItem]) -> LetterBias:
    return letter_bias(by_concept(items).values(), 4)


def same_order(*questions: Sequence[tuple[str, str]]) -> list[EqtItem]:
    """Per question (right, chosen) of each asking, options shown in the order of their identity."""
    items: list[EqtItem] = []
    for number, answers in enumerate(questions, 1):
        items.append(made.question(number, answers[0][0]))
        items += [
            made.choice(said, number, nth, right=right) for nth, (right, said) in enumerate(answers)
        ]
    return items


def test_letters() -> None:
    # right is b throughout. Shown as A D C B (b last): chosen a at A and b at D. Shown b a c d:
    # chosen b at A. Of three choices two fall on A and one on D; of two right options one stood at
    # D and one at A: ½·(|2/3 − 1/2|·2) = 1/6
    items: list[EqtItem] = [
        made.explanation(),
        made.question(1, "b"),
        made.paraphrase(1, 1),
        made.paraphrase(1, 2),
        made.choice("ab", right="b", order="adcb"),
        made.choice("b", 1, 1, right="b", order="bacd"),
        made.choice("?", 1, 2, right="b"),  # no selection, no letter
        made.choice("b", right="b", open_book=True),  # with the text at hand
    ]
    bias = tables_of(spec_of(), items, {0}).letters
    assert bias.answers == 2
    assert [(row.letter, row.chosen, row.right) for row in bias.letters] == [
        ("A", 2, 1),
        ("B", 0, 0),
        ("C", 0, 0),
        ("D", 1, 1),
    ]
    assert bias.distance == pytest.approx(1 / 6)
    assert bias.largest is None, "of one question there is no saying"


def test_no_letter_stands_out_without_answers_or_errors() -> None:
    assert tables_of(spec_of(), asked(0, ["?", "-"]), {0}).letters.distance is None
    always_right = tables_of(spec_of(), asked(0, ["a", "a"], ["a", "a"]), {0}).letters
    assert (always_right.distance, always_right.largest) == (0, None)


def test_a_favourite_letter_is_named_once_there_is_enough_of_it() -> None:
    # right stands at A, B, C, D in turn and A is chosen throughout: c = 1 and r = 1/4 at A, excess
    # 3/4
    def always_a(questions: int) -> LetterBias:
        return bias_of(same_order(*[[("abcd"[n % 4], "a")] for n in range(questions)]))

    assert [always_a(n).letters[0].chosen for n in (4, 40)] == [4, 40]
    assert always_a(4).distance == always_a(40).distance == pytest.approx(0.75)
    assert always_a(4).largest is None
    assert always_a(40).largest == "A"


def test_the_bound_by_hand() -> None:
    # K questions, of each one right option and one choice; A is chosen in all but two and right in
    # a fourth: at A, c = (K − 2)/K and r = 1/4. A question adds u = (x − c)/K − (y − r)/K;
    # K/(K−1)·Σu² against p(1 − p)(2/K)
    def excess_and_bound(k: int) -> tuple[float, float]:
        c, r = (k - 2) / k, 1 / 4
        # the two questions that chose otherwise have their right option at B and C, those of A all
        # chose A
        u = [(1 - c) - (1 - r)] * (k // 4) + [(1 - c) + r] * (k - k // 4 - 2) + [-c + r] * 2
        robust = k / (k - 1) * sum(part**2 for part in u) / k**2
        p = (c + r) / 2
        quantile = float(scipy_stats.t.ppf(1 - 0.05 / 4, k - 1))
        return c - r, quantile * sqrt(max(robust, p * (1 - p) * 2 / k))

    def found(k: int) -> str | None:
        rows = [["abcd"[n % 4], "a"] for n in range(k)]
        rows[1][1] = rows[2][1] = "d"
        return bias_of(same_order(*[[(right, said)] for right, said in rows])).largest

    for k in (8, 12, 16, 20, 24):
        excess, beyond = excess_and_bound(k)
        assert found(k) == ("A" if excess > beyond else None)
    assert [found(k) for k in (8, 24)] == [None, "A"]


def test_answers_to_one_question_are_not_independent() -> None:
    # six questions and 120 answers: as many as would do if each stood for itself
    rights = "abcdbc"
    many = same_order(
        *[[(right, "a")] * 20 for right in rights[:4]],
        *[[(right, right)] * 20 for right in rights[4:]],
    )
    spread = same_order(
        *[[(right, "a")] for right in rights[:4] * 20], *[[(r, r)] for r in rights[4:] * 20]
    )
    one, other = bias_of(many), bias_of(spread)
    assert one.answers == other.answers == 120
    assert one.letters == other.letters
    assert (one.largest, other.largest) == (None, "A")


def test_questions_that_happen_to_be_alike_prove_nothing() -> None:
    # three times right at B and chosen A: no variance between the questions, p = 1/2 and V =
    # 1/4·(1/3 + 1/3) is left
    assert bias_of(same_order(*[[("b", "a")]] * 3)).largest is None


def test_a_letter_is_seldom_named_where_none_is_favoured() -> None:
    """Options are shuffled, half of the answers are right, the others anything: of 60 runs 3 may
    name a letter."""
    rng, named = Random(11), 0
    for _ in range(60):
        items: list[EqtItem] = []
        for number in range(1, 21):
            right = "".join(rng.sample("abcd", rng.randint(1, 2)))
            items.append(made.question(number, right))
            for nth in range(2):
                said = right if rng.random() < 0.5 else rng.choice("abcd")
                order = "".join(rng.sample("abcd", 4))
                items.append(made.choice(said, number, nth, right=right, order=order))
        named += bias_of(items).largest is not None
    assert named <= 3
