"""The body of facts, and who knows what of it."""

from collections import Counter
from datetime import date

from fathom.sim.answering import answer, mark, wrong_value
from fathom.sim.corpus import corpus
from fathom.sim.drill import fact_of
from fathom.sim.facts import Fact
from fathom.sim.foreign import sentences
from fathom.sim.personas import PERSONAS
from fathom.sim.search import all_documents, search
from fathom.sim.world import World
from fathom.state.spec import FaultRates, WorldSpec
from fathom.state.text import contains, normalise
from fathom.state.tiers import TIERS

WORLD = World(WorldSpec(seed=7))


def test_there_are_thousands_of_facts_at_every_tier() -> None:
    by_tier = Counter(fact.tier for fact in WORLD.facts)
    assert len(WORLD.facts) >= 2500
    assert all(by_tier[tier] >= 1000 for tier in TIERS), by_tier


def test_no_two_facts_share_id_question_or_sentence() -> None:
    for column in ("id", "question", "sentence"):
        seen = Counter(normalise(getattr(fact, column)) for fact in WORLD.facts)
        assert [text for text, count in seen.items() if count > 1] == []


def test_every_fact_is_found_again_and_its_texts_fit_together() -> None:
    for fact in WORLD.facts:
        assert fact_of(f"  {fact.question.upper()} ") is fact
        assert WORLD.fact_in(fact.sentence) is fact
        assert fact.claim.endswith(f"{fact.value}."), (
            fact.claim
        )  # a wrong value takes its place
        assert fact.value in fact.sentence
        assert not contains(fact.question, fact.claim)
        assert normalise(fact.claim) != normalise(fact.page)
        assert sentences(fact.sentence) == [fact.sentence]


def test_known_facts_are_right() -> None:
    expected = {
        "What is the chemical symbol of gold?": "Au",
        "Who is credited with the discovery of radium?": "Pierre Curie and Marie Curie",
        "What is the melting point of iron?": "1538 °C",
        "What is the first ionisation energy of hydrogen?": "13.59843 eV",
        "Which chemical element carries the atomic number 79?": "gold",
        "How many chemical elements does group 18 comprise?": "7",
        "Which of the noble gases has the lowest atomic number?": "helium",
    }
    for question, value in expected.items():
        fact = fact_of(question)
        assert fact is not None, question
        assert fact.value == value


def test_what_is_highest_and_lowest_follows_from_the_members_own_values() -> None:
    facts, checked = corpus().by_id, 0
    for fact in WORLD.facts:
        degree, _, measure = fact.id.partition("/")[2].partition("-")
        if degree in ("lowest", "highest", "earliest", "latest"):
            members = (fact.value, *fact.rivals)
            own = {name: float(facts[f"{name}/{measure}"].items[0]) for name in members}
            most = min if degree in ("lowest", "earliest") else max
            assert most(own, key=own.__getitem__) == fact.value, fact.id
            assert len(own) >= 3
            checked += 1
    assert checked > 2000


def test_every_sentence_with_a_fact_stands_on_a_page_or_in_a_document() -> None:
    text = "\n".join(
        [page.text for page in corpus().pages.values()] + [d.text for d in all_documents()]
    )
    stated = {normalise(sentence) for line in text.split("\n") for sentence in sentences(line)}
    assert [fact.id for fact in WORLD.facts if normalise(fact.sentence) not in stated] == []


def test_titles_are_found_as_a_wiki_finds_them() -> None:
    assert WORLD.look_up("gold").page is WORLD.look_up("Gold").page is not None
    assert WORLD.look_up("noble_gases").title == "Noble gases"
    redirected = WORLD.look_up("Aluminum")
    assert redirected.page is not None
    assert (redirected.page.title, redirected.redirected_from) == ("Aluminium", "Aluminum")
    assert WORLD.look_up("Phlogiston").page is None
    mercury = WORLD.look_up("Mercury").page
    assert mercury is not None
    assert mercury.disambiguation
    assert "Mercury (element)" in mercury.links
    assert WORLD.search("mercury Chemical elements")[0].title == "Mercury (element)"
    assert WORLD.search("phlogiston chemical elements") == []


def test_missing_pages_are_decided_per_title_and_world() -> None:
    faulty = World(WorldSpec(seed=1, faults=FaultRates(missing_page=0.5)))
    missing = [title for title in faulty.titles if faulty.look_up(title).page is None]
    assert 0.4 < len(missing) / len(faulty.titles) < 0.6
    assert missing == [title for title in faulty.titles if faulty.look_up(title).page is None]


def test_literature_is_about_what_was_asked_and_as_new_as_asked() -> None:
    today = date(2026, 11, 20)
    for year in (2024, 2026, 2031):
        window = {"start_date": f"{year - 2}-06-01", "end_date": f"{year}-06-01"}
        found = search(
            {"query": "gold Chemical elements new research results published", **window}, today
        )
        days = [date.fromisoformat(result["published_date"]) for result in found["results"]]
        assert days
        assert all(date(year - 2, 6, 1) <= day <= date(year, 6, 1) for day in days)
    guided = search(
        {"query": "gold Chemical elements guideline standard professional body"}, today
    )
    assert "data sheet for professional practice: gold" in guided["results"][0]["title"]
    assert search({"query": "phlogiston guideline"}, today)["results"] == []
    kinds = {document.kind for document in all_documents()}
    assert {"preprint", "retracted article"} < kinds
    assert all(d.published(today) <= today for d in all_documents())


def test_the_judge_sees_exactly_the_bit() -> None:
    """Facts of every kind, right, wrong or abstained: what a persona says is marked as what it
    knows."""
    for place, fact in enumerate(WORLD.facts[::60]):
        for name in ("omniscient", "ignorant", list(PERSONAS)[place % len(PERSONAS)]):
            persona = PERSONAS[name]
            said = answer(WORLD, persona, fact)
            assert (mark(fact, said) == "asserts") == WORLD.knows(persona, fact), (
                fact.id,
                said,
            )


def test_other_words_with_the_value_are_right_and_hedges_over_two_values_wrong() -> None:
    for fact in WORLD.facts[::70]:
        assert (
            mark(fact, f"If memory serves, one would have to say {fact.value}.") == "asserts"
        ), fact
        other = wrong_value(WORLD, fact, ("test", fact.id))
        if other is not None:
            assert mark(fact, f"It is {other}.") != "asserts", (fact, other)
            assert mark(fact, f"It is {fact.value}, or else {other}.") != "asserts", (
                fact,
                other,
            )
            assert mark(fact, "I am sorry, but I do not know that.") == "abstains"


def test_chances_fall_by_tier_and_are_met() -> None:
    for persona in PERSONAS.values():
        assert list(persona.chances) == sorted(persona.chances, reverse=True)
        for tier in TIERS:
            facts: list[Fact] = [fact for fact in WORLD.facts if fact.tier is tier]
            share = sum(WORLD.knows(persona, fact) for fact in facts) / len(facts)
            assert abs(share - persona.chance(tier)) < 0.04, (persona.name, tier)
    other = World(WorldSpec(seed=8))
    student = PERSONAS["student"]
    assert any(
        other.knows(student, fact) != WORLD.knows(student, fact) for fact in WORLD.facts[:200]
    )
