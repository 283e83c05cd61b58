"""A simulated evaluator that errs on purpose: the truth about its questions is known, so the checks
can be measured."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from fathom.commands.options.spec import parse_sim
from fathom.sim import drill as questioning
from fathom.sim.corpus import corpus
from fathom.sim.drill import fact_of, verdict
from fathom.sim.evaluator import Evaluator
from fathom.sim.faulty import Flaw, Wording, leak, lists, read_question
from fathom.sim.personas import PERSONAS
from fathom.sim.search import all_documents
from fathom.sim.values import draw
from fathom.sim.world import Task, World
from fathom.state.records import Probe
from fathom.state.spec import WorldSpec
from fathom.state.text import normalise
from fathom.state.tiers import Tier
from fathom.state.worlds import ERROR_RATES, EVALUATOR_ERRORS

from ..support.drill.drills import drill, sim_spec
from ..support.in_world import reply_of
from ..support.truth import planted

ERRING = World(WorldSpec(seed=7, leak=0.15, drift=0.1, lists=0.1, refuses=0.1, few=0.3))
REPEATED = ("this fact was asked for before", "its own line has said it")
"""Reasons to reject a question that are no fault of its own."""


def spoilt_questions() -> Iterator[tuple[str, Wording]]:
    facts = corpus().facts
    for fact, other in zip(facts[::90], facts[1::90], strict=False):
        yield leak(fact), Wording(fact, "leak")
        yield lists(fact, other), Wording(fact, "lists")


def given_of(place: int) -> dict[str, str]:
    """A document as the evaluator would be given it, with the concept it is about."""
    document = all_documents()[place]
    return {
        "passage": document.text,
        "title": document.title,
        "concept": document.subject,
    }


def written(world: World, places: range) -> dict[int, tuple[str, Flaw | None]]:
    """What is written about documents, and the truth about it."""
    found: dict[int, tuple[str, Flaw | None]] = {}
    for place in places:
        given = given_of(place)
        reply = reply_of(world, "question", {"passages": [given], "tier": "SPECIALIST"})
        question = str(reply["question"])
        found[place] = (
            question,
            planted(world, question, given["concept"], given["title"], given["passage"]),
        )
        assert bool(question) != bool(reply["refused"])
        assert normalise(str(reply["quote"])) in normalise(given["passage"])
    return found


def test_an_error_comes_as_often_as_told_and_by_the_passage_whatever_came_before() -> None:
    places = range(0, len(all_documents()), 4)
    forth, back = written(ERRING, places), written(ERRING, places[::-4])
    assert back.items() <= forth.items()
    share = Counter("refuses" if not q else kind or "none" for q, kind in forth.values())
    whole = len(places)
    assert share["refuses"] / whole == pytest.approx(0.1, abs=0.02)
    assert share["drift"] / whole == pytest.approx(0.09, abs=0.03), "of the others"
    assert share["lists"] / whole == pytest.approx(0.08, abs=0.02)
    assert share["leak"] / whole == pytest.approx(0.11, abs=0.02)
    calm = written(World(WorldSpec(seed=7)), places[::2])
    assert {kind for _, kind in calm.values()} == {None}
    good = [place for place in calm if forth[place][0] and forth[place][1] is None]
    assert all(calm[place] == forth[place] for place in good), (
        "the others are what they would have been"
    )


def test_every_planted_question_is_known_again_and_answered_as_it_deserves() -> None:
    evaluator, nobody, student = Evaluator(ERRING), PERSONAS["ignorant"], PERSONAS["student"]
    for asked, made in spoilt_questions():
        assert read_question(asked) == made
        persona = nobody if made.fault == "leak" else student
        said = str(evaluator.do("answer", {"question": asked}, persona))
        given = {"question": asked, "reference": made.fact.claim, "answer": said}
        judged = verdict(Task(ERRING, persona, given))
        right = judged["verdict"] == "asserts"
        assert right == (made.fault == "leak" or ERRING.knows(student, made.fact)), asked
    assert all(read_question(fact.question) == Wording(fact) for fact in corpus().facts)


def test_a_passage_that_only_mentions_the_concept_is_refused_and_of_others_it_asks_about_the_concept() -> (
    None
):
    world = World(WorldSpec())
    gold, copper = (world.look_up(name).page for name in ("Gold", "Copper"))
    assert gold is not None
    assert copper is not None
    passage = f"{gold.lead} {copper.lead}"
    for concept, title in (("Copper", "Metals"), ("Gold", "Metals"), ("Aurum", "Metals")):
        given = {"passage": passage, "concept": concept, "title": title}
        asked = reply_of(world, "question", {"passages": [given]})
        fact = fact_of(str(asked["question"]))
        assert fact is not None
        assert world.names(f"{fact.subject} {fact.claim}", concept)
    given = {"passage": gold.lead, "concept": "Uranium", "title": "Gold"}
    silver = reply_of(world, "question", {"passages": [given]})
    assert str(silver["refused"]).startswith("['1: in passing: ")
    assert (silver["question"], silver["reference"], silver["quote"]) == ("", "", "")


def test_a_question_at_another_level_is_known_again_and_answered_and_read_as_one() -> None:
    world = World(WorldSpec(seed=7, level=-2))
    evaluator, student = Evaluator(world), PERSONAS["student"]
    for fact in [fact for fact in world.facts[::301] if fact.tier is Tier.SPECIALIST]:
        given = {"passage": fact.sentence, "title": fact.page, "concept": fact.page}
        asked = str(reply_of(world, "question", {"passages": [given]})["question"])
        assert read_question(asked) == Wording(fact, "level", -2)
        said = str(evaluator.do("answer", {"question": asked}, student))
        judged = reply_of(
            world, "verdict", {"question": asked, "reference": fact.claim, "answer": said}
        )
        easier = draw(7, "knows", "student", fact.id) < student.chance(Tier.TEXTBOOK)
        assert (judged["verdict"] == "asserts") == easier
        reading = reply_of(world, "check", {**given, "question": asked})
        assert (reading["answerable"], reading["level"]) == (True, "textbook")


def test_settings_are_read_and_left_out_of_specs_that_have_none() -> None:
    pairs = [f"{key}=0.1" for key in ERROR_RATES]
    erring, _ = parse_sim([*pairs, "level=-2", "level_said=2"])
    assert [getattr(erring, key) for key in ERROR_RATES] == [0.1] * 8
    assert (erring.level, erring.level_said) == (-2, 2)
    assert WorldSpec.model_validate_json(erring.model_dump_json()) == erring
    assert set(WorldSpec().model_dump()) == {"seed", "sensitivity", "specificity", "faults"}, (
        "digests stay"
    )
    assert set(EVALUATOR_ERRORS) <= set(
        WorldSpec.model_json_schema(mode="serialization")["properties"]
    )


Truth = Flaw | None


async def fates(
    seed: int, monkeypatch: pytest.MonkeyPatch, target: str = "sim:expert"
) -> dict[Truth, Counter[str]]:
    """For each kind of fault (None: good questions) what became of the questions in a drill."""
    world = World(WorldSpec(seed=seed, leak=0.25, drift=0.15, lists=0.15))
    truths: dict[str, list[Truth]] = defaultdict(list)
    write = questioning.write

    def overheard(task: Task) -> dict[str, object]:
        reply = write(task)
        if reply["question"]:
            question = str(reply["question"])
            truths[question].append(
                planted(world, question, task["concept"], task["title"], task["passage"])
            )
        return reply

    with monkeypatch.context() as patch:
        patch.setattr(questioning, "write", overheard)
        spec = sim_spec(n=6, passes=1, max_depth=4, seed=seed, world=world.spec, target=target)
        report = await drill(spec)
    assert report.result is not None
    found: dict[Truth, Counter[str]] = defaultdict(Counter)
    for probe in report.result.probes:
        if probe.question is not None:
            truth = truth_of(world, probe)
            truths[probe.question.text].remove(truth)
            found[truth][probe.outcome.status] += 1
    for rejected in (
        one for probe in report.result.probes for one in probe.rejected if one.text
    ):
        found[truths[rejected.text].pop()][rejected.reason] += 1
    return found


def truth_of(world: World, probe: Probe) -> Truth:
    assert probe.question is not None
    evidence = probe.question.evidence
    return planted(world, probe.question.text, probe.concept, evidence.title, evidence.text)


async def test_what_the_checks_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    found = await fates(1, monkeypatch)
    told = [counts for truth, counts in found.items() if truth == "leak"]
    strayed = [counts for truth, counts in found.items() if truth and truth != "leak"]
    assert sum(counts.total() for counts in told) > 5
    assert sum(counts["scored"] for counts in told) == 0
    assert sum(counts["scored"] for counts in strayed) == 0
    faultless = found[None]
    rejected = sum(
        n for fate, n in faultless.items() if fate not in ("scored", "unscored", *REPEATED)
    )
    assert rejected <= 0.02 * faultless.total()
