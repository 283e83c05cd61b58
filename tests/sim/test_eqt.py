"""The simulated world as examiner and candidate of Explain-Query-Test, asked by the agents
themselves."""

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

from ..support.in_world import WORLD, InWorld, question, selection

FOREIGN = (
    "Which bridges did Ada Nordström build?",
    ("The Hollow Bridge", "The Low Bridge", "None in Vånga"),
)


async def test_explanations_are_facts_of_the_world() -> None:
    chat = InWorld("novice")
    for concept in WORLD.titles[::16]:
        assert len(facts_in(await explain_concept(chat, concept))) >= 8, concept
    gold = await explain_concept(chat, "gold")
    assert gold.startswith("Gold is written with the chemical symbol Au")
    assert await explain_concept(chat, "mercury") == await explain_concept(
        chat, "Mercury (element)"
    )


async def test_a_concept_from_elsewhere_is_given_another_article_and_says_so() -> None:
    text = await explain_concept(InWorld(), "Supply Chain Management")
    assert text.startswith("About Supply Chain Management nothing is known here")
    assert len(facts_in(text)) >= 8


@pytest.mark.parametrize("count", [2, 10, 26])
async def test_questions_can_be_asked_and_are_marked_as_the_world_is(count: int) -> None:
    chat = InWorld()
    rights: set[int] = set()
    for concept in [*WORLD.titles[::90], "Supply Chain Management"]:
        taken: list[str] = []
        stated = {fact.claim for fact in facts_in(await explain_concept(chat, concept))}
        for number in range(1, 13):
            draft = await question(chat, concept, number, count)
            assert find_choice_fault(draft, count, taken) is None
            taken.append(draft.question)
            for option in draft.options:
                claim = read_claim(option.text)
                assert claim is not None, option.text
                assert claim.true == option.correct == (option.text in stated), option.text
            rights.add(sum(option.correct for option in draft.options))
    assert rights == set(range(1, min(4, count - 1) + 1))


def test_every_claim_is_recognised_and_so_is_every_wrong_one() -> None:
    for fact in WORLD.facts[::17]:
        claim = read_claim(fact.claim)
        assert claim is not None
        assert (claim.fact, claim.true) == (fact, True)
        for text in wrong_claims(WORLD, [fact], 3, ("test",)):
            claim = read_claim(text)
            assert claim is not None
            assert (claim.fact, claim.true) == (fact, False)
            assert mark(fact, text) != "asserts"
    assert read_claim("The Hollow Bridge was finished in 1871.") is None


async def test_paraphrases_pass_for_every_manner_and_round() -> None:
    chat = InWorld()
    stem = (await question(chat, "Gold", 1)).question
    for text in (stem, FOREIGN[0], "Why?"):
        written: list[str] = []
        for number in range(1, 21):
            wording = await paraphrase(chat, text, ["One", "Two"], manner_of(number))
            assert find_fault(text, wording, written) is None, (text, wording)
            written.append(wording)
            assert (await compare_wordings(chat, text, wording, ["One", "Two"])).fault is None
    other = await compare_wordings(chat, stem, FOREIGN[0], ["One", "Two"])
    assert other.fault == "it asks for something else"
    assert (await compare_wordings(chat, stem, stem, [])).fault == "it is hardly reworded"


async def test_what_went_wrong_is_put_down_to_where_it_did() -> None:
    chat = InWorld()
    text = await explain_concept(chat, "Gold")
    fact = next(fact for fact in facts_in(text) if fact.property == "symbol")
    (wrong,) = wrong_claims(WORLD, [fact], 1, ("test",))
    options = [wrong, fact.claim, FOREIGN[1][0]]

    async def cause(right: str) -> str:
        stem = "Which of these would be true?"
        return (await attribute(chat, "Gold", text, stem, options, right, "A")).cause

    assert await cause("B") == "answer"
    assert await cause("B, C") == "answer", "what the world cannot tell is in order"
    assert await cause("A") == await cause("A, B") == await cause("C") == "question"


async def test_a_choice_is_what_the_persona_chose_in_whatever_order() -> None:
    knowing = InWorld("omniscient")
    for number, concept in enumerate(WORLD.titles[::60], start=1):
        draft = await question(knowing, concept, number)
        options = [option.text for option in draft.options]
        right = {
            chr(65 + place) for place, option in enumerate(draft.options) if option.correct
        }
        reply = (await choose(knowing, draft.question, options)).text
        assert selection(reply, options) == right, reply
        turned = (
            await choose(InWorld("expert,accuracy=1"), draft.question, options[::-1])
        ).text
        assert selection(turned, options[::-1]) == {chr(139 - ord(letter)) for letter in right}
        text = await explain_concept(knowing, concept)
        read = (await choose_open_book(knowing, draft.question, options, text)).text
        assert selection(read, options) == right


async def test_a_question_from_elsewhere_is_answered_always_alike() -> None:
    stem, options = FOREIGN
    chosen = set()
    for order in (options, options[::-1]):
        reply = (await choose(InWorld("accuracy=1"), stem, order)).text
        letters = selection(reply, order)
        chosen.add(frozenset(order[ord(letter) - 65] for letter in letters or ()))
    assert len(chosen) == 1
    assert chosen != {frozenset()}
