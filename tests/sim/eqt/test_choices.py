"""The simulated world as examiner and candidate of Explain-Query-Test, asked by the agents
themselves."""

import re
from itertools import combinations

import pytest

from fathom.agents.explainer.explain import explain_concept
from fathom.agents.judge.verdict import attribute
from fathom.agents.paraphraser.paraphrase import (
    compare_wordings,
    find_fault,
    manner_of,
    paraphrase,
)
from fathom.agents.prober.answer import choose, choose_open_book
from fathom.agents.questioner.choice_question import find_choice_fault
from fathom.sim.answering import facts_in, mark, read_claim, wrong_claims
from fathom.sim.eqt.examining import MOST_FACTS, say

from ...support.in_world import WORLD, InWorld, question, selection

FOREIGN = (
    "Which bridges did Ada Nordström build?",
    ("The Hollow Bridge", "The Low Bridge", "None in Vånga"),
)


async def test_explanations_are_facts_of_the_world() -> None:
    chat = InWorld("novice")
    for concept in WORLD.titles[::4]:
        text = await explain_concept(chat, concept)
        assert len(facts_in(text)) == MOST_FACTS
        assert 6 <= len(text.split("\n\n")) <= 9
    assert (await explain_concept(chat, "gold")).startswith(
        "Gold is written with the chemical symbol Au"
    )
    assert await explain_concept(chat, "mercury") == await explain_concept(
        chat, "Mercury (element)"
    )
    assert set(chat.purposes) == {"explanation"}


async def test_a_concept_from_elsewhere_is_given_another_article_and_says_so() -> None:
    chat = InWorld()
    names = ["Supply Chain Management", "Habeas corpus", "Entropy", "Object permanence", "Mitosis"]
    texts = [await explain_concept(chat, name) for name in names]
    for name, text in zip(names, texts, strict=True):
        assert text.startswith(f"About {name} nothing is known here")
        assert len(facts_in(text)) == MOST_FACTS
    assert len({text.split("\n\n", 1)[1] for text in texts}) > 1
    assert texts == [await explain_concept(InWorld("student"), name) for name in names]


@pytest.mark.parametrize("count", [2, 5, 10, 26])
async def test_questions_can_be_asked_and_are_marked_as_the_world_is(count: int) -> None:
    chat = InWorld()
    rights: set[int] = set()
    for concept in [*WORLD.titles[:: 90 if count == 26 else 45], "Supply Chain Management"]:
        taken: list[str] = []
        options: set[frozenset[str]] = set()
        stated = {fact.claim for fact in facts_in(await explain_concept(chat, concept))}
        for number in range(1, 13):
            draft = await question(chat, concept, number, count)
            assert find_choice_fault(draft, count, taken) is None
            taken.append(draft.question)
            options.add(frozenset(option.text for option in draft.options))
            for option in draft.options:
                claim = read_claim(option.text)
                assert claim is not None, option.text
                assert claim.true == option.correct == (option.text in stated), option.text
            right = sum(option.correct for option in draft.options)
            assert 1 <= right <= min(4, count - 1)
            rights.add(right)
        assert len(options) == 12
    assert rights == set(range(1, min(4, count - 1) + 1))
    assert set(chat.purposes) == {"explanation", "choice_question"}


def test_every_claim_is_recognised_and_so_is_every_wrong_one() -> None:
    for fact in WORLD.facts[::17]:
        claim = read_claim(fact.claim)
        assert claim is not None
        assert (claim.fact, claim.true) == (fact, True)
        for text in wrong_claims(WORLD, [fact], 3, ("test",)):
            claim = read_claim(text)
            assert claim is not None
            assert (claim.fact, claim.true) == (fact, False)
            assert not mark(fact, WORLD.pool(fact), text).correct
    assert read_claim("The Hollow Bridge was finished in 1871.") is None


async def test_malformed_questions_are_as_many_as_set() -> None:
    chat = InWorld("student,malformed_questions=0.3")
    some = [find_choice_fault(await question(chat, f"Concept {i}", 2), 10) for i in range(200)]
    assert 0.18 < sum(fault is not None for fault in some) / 200 < 0.42


async def test_paraphrases_pass_for_every_manner_and_round() -> None:
    examiner = InWorld()
    stems = [
        (await question(examiner, title, i)).question
        for i, title in enumerate(WORLD.titles[::120], start=1)
    ]
    longest = (
        "x".join(["Which of the two hundred and eleven named causes of 1789 and 1848 apply"] * 8)
        + "?"
    )
    for stem in (*stems, FOREIGN[0], "Why?", longest):
        written: list[str] = []
        for number in range(1, 41):
            found = await paraphrase(examiner, stem, ["One", "Two"], manner_of(number))
            assert find_fault(stem, found, written) is None, (stem, found)
            written.append(found)
            comparison = await compare_wordings(examiner, stem, found, ["One", "Two"])
            assert comparison.fault is None, found
        other = await compare_wordings(
            examiner, stem, stems[0] if stem != stems[0] else stems[1], ["One", "Two"]
        )
        assert other.fault == "it asks for something else"
        assert (await compare_wordings(examiner, stem, stem, [])).fault == "it is hardly reworded"
    assert set(examiner.purposes) == {
        "explanation",
        "choice_question",
        "paraphrase",
        "same_question",
    }


async def test_what_went_wrong_is_put_down_to_where_it_did() -> None:
    chat = InWorld()
    text = await explain_concept(chat, "Gold")
    fact = next(fact for fact in facts_in(text) if fact.property == "symbol")
    (wrong,) = wrong_claims(WORLD, [fact], 1, ("test",))
    options = [wrong, fact.claim, FOREIGN[1][0]]

    async def cause(explanation: str, right: str) -> str:
        stem = "Which of these would be true?"
        return (await attribute(chat, "Gold", explanation, stem, options, right, "A")).cause

    assert await cause(text, "B") == "answer"
    assert await cause(text, "B, C") == "answer", "what the world cannot tell is in order"
    assert (
        await cause(text, "A") == await cause(text, "A, B") == await cause(text, "C") == "question"
    )
    assert set(chat.purposes) == {"explanation", "attribution"}


async def test_a_choice_is_what_the_persona_chose_in_whatever_form() -> None:
    knowing = InWorld("omniscient")
    forms: set[str] = set()
    for number, concept in enumerate(WORLD.titles[::16], start=1):
        draft = await question(knowing, concept, number)
        options = [option.text for option in draft.options]
        right = {chr(65 + place) for place, option in enumerate(draft.options) if option.correct}
        said = (await choose(knowing, draft.question, options)).text
        assert selection(said, options) == right, said
        again = (await choose(InWorld("expert,accuracy=1"), draft.question, options[::-1])).text
        assert selection(again, options[::-1]) == {
            chr(65 + 9 - (ord(letter) - 65)) for letter in right
        }, again
        text = await explain_concept(knowing, concept)
        read = (await choose_open_book(knowing, draft.question, options, text)).text
        assert selection(read, options) == right
        forms.add(re.sub(r"\b[A-J]\b|\b[a-j]\b", "x", said))
    assert len(forms) >= 10
    assert {"choice", "open_book"} < set(knowing.purposes)


@pytest.mark.parametrize("count", [2, 4, 10, 26])
def test_what_is_said_is_read_as_what_was_chosen(count: int) -> None:
    options = [f"The atomic number of gold is {i}." for i in range(count)]
    for size in range(min(count, 4) + 1):
        for number, places in enumerate(combinations(range(count), size)):
            said = say(options, frozenset(options[place] for place in places), number)
            letters = {chr(65 + place) for place in places}
            assert selection(said, options) == (letters or None), said
            if number == 100:
                break
    for number in range(20):
        assert selection(say(options, None, number), options) is None


async def test_a_question_from_elsewhere_is_answered_always_alike() -> None:
    stem, options = FOREIGN
    chat = InWorld("accuracy=1")
    chosen = set()
    for words in (stem, "Ada Nordström: which bridges?", "Name her bridges."):
        for order in (options, options[::-1]):
            letters = selection((await choose(chat, words, order)).text, order)
            chosen.add(frozenset(order[ord(letter) - 65] for letter in letters or ()))
    assert len(chosen) == 1
    assert chosen != {frozenset()}
