"""The simulated evaluator's five tasks, on pages of its world and on others."""

from typing import Any

import pytest

from fathom.sim.corpus import corpus
from fathom.sim.drill import fact_of
from fathom.sim.evaluator import Evaluator
from fathom.sim.personas import PERSONAS
from fathom.sim.world import World
from fathom.state.spec import WorldSpec
from fathom.state.text import contains, normalise

WORLD = World(WorldSpec(seed=7))

FOREIGN = (
    "The Hollow Bridge was finished in 1871 by the engineer Ada Nordström. "
    "It is built of red granite from the quarries of Vånga. Thousands cross it every day."
)


def judge(world: World, question: str, reference: str, answer: str) -> dict[str, Any]:
    return ask(
        Evaluator(world), "verdict", question=question, reference=reference, answer=answer
    )


@pytest.fixture
def evaluator() -> Evaluator:
    return Evaluator(WORLD)


def ask(evaluator: Evaluator, purpose: str, **about: Any) -> dict[str, Any]:
    reply = evaluator.do(purpose, about)
    assert isinstance(reply, dict)
    return reply


def test_aspects_are_pages_of_the_domain_and_none_twice(evaluator: Evaluator) -> None:
    first = ask(evaluator, "aspects", domain="Chemical elements", count=38, named=[])["aspects"]
    assert len(set(first)) == 38
    more = ask(evaluator, "aspects", domain="Chemical elements", count=120, named=first)[
        "aspects"
    ]
    assert len(more) == 120
    assert not set(first) & set(more)
    assert all(WORLD.look_up(name).page for name in first + more)
    for domain in ("Noble gases", "Alkali metals", "Transition metals", "Lanthanides"):
        found = ask(evaluator, "aspects", domain=domain, count=38, named=[])["aspects"]
        assert len(found) == 38, domain
        assert domain not in found
    assert (
        ask(evaluator, "aspects", domain="Baroque opera", count=38, named=[])["aspects"] == []
    )


def test_a_question_rests_on_the_passage_and_is_a_fact_of_this_world(
    evaluator: Evaluator,
) -> None:
    for page in list(corpus().pages.values())[:30]:
        if page.disambiguation:
            continue
        written = ask(
            evaluator,
            "question",
            passages=[{"passage": page.lead, "title": page.title, "concept": page.title}],
            tier="COMMON",
        )
        assert normalise(written["quote"]) in normalise(page.lead)
        assert fact_of(written["question"]) is not None
        assert not contains(written["question"], written["reference"])
        check = ask(evaluator, "check", passage=page.lead, question=written["question"])
        assert check["answerable"] is True
        verdict = ask(
            evaluator,
            "verdict",
            question=written["question"],
            reference=written["reference"],
            answer=check["answer"],
        )
        assert verdict["verdict"] == "asserts"
    other = ask(
        evaluator, "check", passage=FOREIGN, question="What is the chemical symbol of gold?"
    )
    assert (other["answerable"], other["answer"]) == (False, "")


def test_concepts_come_from_the_answer_and_aspects_from_the_page(evaluator: Evaluator) -> None:
    said = (
        "The chemical symbol of gold is Au. Closely connected with this are copper, group 11 and "
        "Mercury."
    )
    found = ask(
        evaluator,
        "concepts",
        answer=said,
        domain="Chemical elements",
        concept="Gold",
        drilled=["Copper"],
        count=5,
    ) | {"question": "What is the chemical symbol of gold?"}
    names = {concept["name"] for concept in found["concepts"]}
    assert {"Group 11", "Mercury"} <= names
    assert not {"Gold", "Copper"} & {*names, *found["aspects"]}
    assert len(found["aspects"]) == 5
    assert not any(contains(said, name) for name in found["aspects"])


def test_it_works_on_passages_of_another_world(evaluator: Evaluator) -> None:
    written = ask(
        evaluator,
        "question",
        passages=[{"passage": FOREIGN, "title": "Hollow Bridge", "concept": "bridges"}],
        tier="COMMON",
    )
    assert normalise(written["quote"]) in normalise(FOREIGN)
    assert not contains(written["question"], written["reference"])
    assert (
        ask(evaluator, "check", passage=FOREIGN, question=written["question"])["answerable"]
        is True
    )
    right = str(evaluator.do("answer", {"question": written["question"]}))
    marked = judge(WORLD, written["question"], written["reference"], right)
    assert marked["verdict"] == "asserts"
    ignorant = str(
        evaluator.do("answer", {"question": written["question"]}, PERSONAS["ignorant"])
    )
    marked = judge(WORLD, written["question"], written["reference"], ignorant)
    assert marked["verdict"] == "abstains"
    found = ask(evaluator, "concepts", answer=FOREIGN, question=written["question"], count=5)
    assert "Ada Nordström" in [concept["name"] for concept in found["concepts"]]


def test_figures_decide_about_foreign_answers() -> None:
    question, reference = (
        "When was the Hollow Bridge finished?",
        "The Hollow Bridge was finished in 1871.",
    )
    assert judge(WORLD, question, reference, "In 1871, I think.")["verdict"] == "asserts"
    wrong = judge(WORLD, question, reference, "It was finished in 1905.")
    assert wrong["verdict"] == "contradicts"


def test_the_judge_errs_as_often_as_told_and_always_alike() -> None:
    sensitivity, specificity = 0.9, 0.7
    world = World(WorldSpec(seed=7, sensitivity=sensitivity, specificity=specificity))
    evaluator = Evaluator(world)
    student = PERSONAS["student"]
    accepted: dict[bool, list[bool]] = {True: [], False: []}
    for fact in world.facts[::16]:
        said = str(evaluator.do("answer", {"question": fact.question}, student))
        verdict = judge(world, fact.question, fact.claim, said)
        assert verdict == judge(world, fact.question, fact.claim, said)
        if verdict["verdict"] != "abstains":
            accepted[world.knows(student, fact)].append(verdict["verdict"] == "asserts")
    assert sum(accepted[True]) / len(accepted[True]) == pytest.approx(sensitivity, abs=0.05)
    assert 1 - sum(accepted[False]) / len(accepted[False]) == pytest.approx(
        specificity, abs=0.05
    )


def test_the_judge_takes_a_wrong_reference_for_true() -> None:
    question = "What is the boiling point of gold?"
    for answer, verdict in (("It is 2836 °C.", "contradicts"), ("It is 1564 °C.", "asserts")):
        assert judge(WORLD, question, "1564 °C", answer)["verdict"] == verdict
