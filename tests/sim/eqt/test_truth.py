"""The known figures of simulated answers: by enumeration, by drawing, and as the world itself shows
them."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.agents.prober.answer import with_options
from fathom.sim.answering import wrong_claims
from fathom.sim.eqt.choices import choose, choose_open_book, known_question
from fathom.sim.eqt.examining import choice, explain, facts_of
from fathom.sim.evaluator import Evaluator
from fathom.sim.foreign import read_shown
from fathom.sim.personas import PERSONAS, persona_of
from fathom.sim.world import World
from fathom.state.eqt.items import KINDS
from fathom.state.spec import WorldSpec
from fathom.state.tiers import Tier

from ...support.truth import (
    question_accuracy,
    question_open_book,
    true_accuracy,
    true_acs,
    true_acs_normalised,
    true_different,
    true_open_book,
)

WORLD = World(WorldSpec(seed=11))
EXAMINER = Evaluator(WORLD)
SETTINGS = [(0.7, 0.2), (0.4, 0.6), (0.0, 0.3), (1.0, 0.5), (0.9, 1.0), (0.55, 0.0)]


def enumerated(accuracy: float, instability: float, askings: int, options: int) -> float:
    """E|U| over every base set and every course of the askings; set 0 is the right one."""
    settle = [accuracy] + [(1 - accuracy) / options] * options
    total = 0.0
    for base, base_chance in enumerate(settle):
        show = [
            instability * chance + (1 - instability) * (place == base)
            for place, chance in enumerate(settle)
        ]
        for course in product(range(options + 1), repeat=askings):
            chance = base_chance
            for shown in course:
                chance *= show[shown]
            total += chance * len(set(course))
    return total


@pytest.mark.parametrize(("accuracy", "instability"), SETTINGS)
@pytest.mark.parametrize(("askings", "options"), [(1, 3), (2, 2), (3, 4), (4, 3), (5, 5)])
def test_the_closed_form_is_what_enumeration_gives(
    accuracy: float, instability: float, askings: int, options: int
) -> None:
    different = true_different(accuracy, instability, askings, options)
    assert different == pytest.approx(enumerated(accuracy, instability, askings, options), abs=1e-9)
    acs = true_acs(accuracy, instability, askings, options)
    assert acs == pytest.approx(1 - (different - 1) / askings)
    if askings > 1:
        normalised = true_acs_normalised(accuracy, instability, askings, options)
        assert normalised == pytest.approx((acs - 1 / askings) * askings / (askings - 1))


@given(st.floats(0, 1), st.floats(0, 1), st.integers(2, 12), st.integers(2, 26))
def test_consistency_stays_in_its_range(
    accuracy: float, instability: float, askings: int, options: int
) -> None:
    assert 1 / askings - 1e-9 <= true_acs(accuracy, instability, askings, options) <= 1 + 1e-9
    assert -1e-9 <= true_acs_normalised(accuracy, instability, askings, options) <= 1 + 1e-9
    assert true_acs(accuracy, 0.0, askings, options) == pytest.approx(1)
    assert true_acs(1.0, instability, askings, options) == pytest.approx(1)


@cache
def questions(count: int = 300) -> list[tuple[str, list[str]]]:
    """Two questions for each of the first articles: stems and options."""
    return [*_questions(count)]


def _questions(count: int) -> Iterator[tuple[str, list[str]]]:
    for title in WORLD.titles[: count // 2]:
        text = explain(WORLD, title)
        for kind in KINDS[:2]:
            order = {
                "concept": title,
                "explanation": text,
                "kind": kind,
                "point": "anywhere",
                "count": "10",
            }
            made: Any = EXAMINER.do("choice_question", order)
            yield made["question"], [option["text"] for option in made["options"]]


def asked(model: str, askings: int = 4) -> list[list[frozenset[str] | None]]:
    """What a model chooses each time it is asked each question, in other words and another
    order."""
    persona = persona_of(model)
    found = []
    for stem, options in questions():
        texts = (
            with_options(f"{stem} ({turn})", options[turn:] + options[:turn])
            for turn in range(askings)
        )
        shown = [(read_shown(text), text) for text in texts]
        found.append(
            [choose(WORLD, persona, read, text) for read, text in shown if read is not None]
        )
    return found


def right_of(options: list[str]) -> frozenset[str]:
    right = known_question(frozenset(options)).right
    assert right is not None
    return right


@pytest.mark.parametrize(
    "model", ["accuracy=0.7,instability=0.2", "accuracy=0.35,instability=0.6", "student", "novice"]
)
def test_the_world_shows_what_is_true(model: str) -> None:
    persona = persona_of(model)
    answers = asked(model)
    right = [
        fmean(each == right_of(options) for each in one)
        for one, (_, options) in zip(answers, questions(), strict=True)
    ]
    truth = [question_accuracy(persona, options) for _, options in questions()]
    assert abs(fmean(right) - fmean(truth)) < 4 * stdev(right) / len(right) ** 0.5
    scores = [1 - (len(set(one)) - 1) / 4 for one in answers]
    expected = [true_acs(accuracy, persona.instability, 4, 10) for accuracy in truth]
    assert abs(fmean(scores) - fmean(expected)) < 4 * stdev(scores) / len(scores) ** 0.5
    if "=" in model:
        assert set(truth) == {persona.chance(Tier.COMMON)}
    else:
        assert set(truth) == {persona.chance(Tier.COMMON), persona.chance(Tier.TEXTBOOK)}


def test_wrong_sets_are_one_option_off_and_each_as_likely() -> None:
    places = [0] * 10
    for (_, options), one in zip(questions(), asked("accuracy=0,instability=1"), strict=True):
        for chosen in one:
            assert chosen is not None
            (odd,) = chosen ^ right_of(options)
            places[sorted(options).index(odd)] += 1
    assert sum(places) == 4 * len(questions())
    assert all(0.065 < place / sum(places) < 0.135 for place in places)


def test_without_instability_all_askings_agree_and_with_it_alone_they_part() -> None:
    assert all(len(set(one)) == 1 for one in asked("accuracy=0.5"))
    assert sum(len(set(one)) > 1 for one in asked("accuracy=0.5,instability=0.4")) > 100


def test_open_book_errs_a_fifth_as_often_and_on_its_own() -> None:
    persona = persona_of("accuracy=0.4")
    closed, opened = [], []
    for (stem, options), (chosen,) in zip(questions(), asked("accuracy=0.4", 1), strict=True):
        shown = read_shown(with_options(stem, options))
        assert shown is not None
        opened.append(choose_open_book(WORLD, persona, shown) == right_of(options))
        closed.append(chosen == right_of(options))
        assert question_open_book(persona, options) == true_open_book(persona)
    truth = true_open_book(persona)
    assert truth == pytest.approx(0.88)
    assert abs(fmean(opened) - truth) < 4 * (truth * (1 - truth) / len(opened)) ** 0.5
    after_right = fmean(o for o, c in zip(opened, closed, strict=True) if c)
    after_wrong = fmean(o for o, c in zip(opened, closed, strict=True) if not c)
    assert abs(after_right - after_wrong) < 0.13


def test_unreadable_answers_and_a_favourite_letter_lower_accuracy_as_told() -> None:
    model = "accuracy=0.8,instability=1,unreadable=0.3,favourite=0.4"
    persona, answers = persona_of(model), asked(model)
    mute = fmean(chosen is None for one in answers for chosen in one)
    assert mute == pytest.approx(0.3, abs=0.04)
    right = fmean(
        c == right_of(options)
        for (_, options), one in zip(questions(), answers, strict=True)
        for c in one
    )
    assert right == pytest.approx(
        fmean(question_accuracy(persona, options) for _, options in questions()), abs=0.04
    )
    assert true_accuracy(persona) == pytest.approx(0.7 * 0.6 * 0.8)
    assert true_accuracy(persona, alone=0.1) == pytest.approx(0.7 * (0.6 * 0.8 + 0.4 * 0.1))


def test_models_and_worlds_choose_apart_from_one_another() -> None:
    texts = [with_options(stem, options) for stem, options in questions()[:60]]

    def said(world: World, model: str) -> list[str]:
        return [choice(world, persona_of(model), text).casefold() for text in texts]

    def right(world: World, model: str) -> list[bool]:
        shown = [(read_shown(text), text) for text in texts]
        found = [
            choose(world, persona_of(model), read, text) for read, text in shown if read is not None
        ]
        return [
            one == right_of(options) for one, (_, options) in zip(found, questions(), strict=False)
        ]

    other = World(WorldSpec(seed=12))
    assert said(WORLD, "accuracy=0.5") == said(World(WorldSpec(seed=11)), "accuracy=0.5")
    patterns = [
        right(world, model)
        for world in (WORLD, other)
        for model in ("accuracy=0.5", "accuracy=0.501")
    ]
    for place, one in enumerate(patterns):
        for another in patterns[:place]:
            assert 10 < sum(a != b for a, b in zip(one, another, strict=True)) < 50


def test_the_hardest_right_option_is_the_tier_of_a_question() -> None:
    common, textbook = (
        next(fact for fact in facts_of("Gold") if fact.tier is tier)
        for tier in (Tier.COMMON, Tier.TEXTBOOK)
    )
    (wrong,) = wrong_claims(WORLD, [textbook], 1, ("test",))
    assert known_question(frozenset({common.claim, textbook.claim})).tier is Tier.TEXTBOOK
    assert known_question(frozenset({common.claim, wrong})).tier is Tier.COMMON
    assert known_question(frozenset({common.claim, wrong})).right == frozenset({common.claim})


def test_what_is_not_of_this_world_has_no_known_figure() -> None:
    with pytest.raises(ValueError, match="does not know"):
        question_accuracy(PERSONAS["student"], [*questions()[0][1][:9], "The Hollow Bridge"])
