"""The simulated evaluator builds graphs: what it writes, the faults it plants, and that they can be
mended."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.agents.explainer.reference import write_reference
from fathom.agents.judge.rating import rate_relation
from fathom.agents.questioner.deconstruction import augment, classify, deconstruct
from fathom.sim.depthqa.library import LibraryQuestion, framed, library, recognise
from fathom.sim.depthqa.tasks import PURPOSES, is_closed, plain, with_fault
from fathom.sim.embeddings import vector
from fathom.sim.evaluator import Evaluator
from fathom.sim.personas import persona_of
from fathom.state.depthqa.build import DepthQABuildResult
from fathom.state.depthqa.spec import DepthQABuildSpec
from fathom.state.question_graph import REASONINGS, SubQuestion
from fathom.tools.files.source_questions import read_questions
from fathom.tools.models.embeddings import near
from fathom.tools.similarity import Pairs

from ...support.depthqa.elements import strategies
from ...support.depthqa.toy import BuildRun
from ...support.in_world import WORLD, InWorld, reply_of
from ...support.paths import EXAMPLES

ELEMENTS = EXAMPLES / "depthqa_elements.csv"
SOUND = "evaluator,planted=0"
FOREIGN = (
    "Why do suspension bridges sway?",
    "Wind sheds vortices from the deck. Tacoma Narrows fell in 1940.",
)
Sub = tuple[str, str]


class ByEmbeddings:
    """The measure of the simulated embeddings, without the wire."""

    name = "sim:embedding"

    async def pairs(self, texts: Sequence[str], least: float) -> Pairs:
        return {
            (one, other): cosine
            for one, other, cosine in near([np.array([vector(t) for t in texts])], least)
        }


def similarity(one: str, other: str) -> float:
    return float(np.dot(vector(one), vector(other)))


async def test_a_sound_evaluator_takes_a_question_apart_into_what_it_rests_on() -> None:
    chat = InWorld(SOUND)
    for root in strategies(10, 3):
        assert (await classify(chat, root.question, ""))[0] == 3
        assert await write_reference(chat, root.question, "") == root.reference
        parts = await deconstruct(chat, root.question, root.reference, 2, 4)
        assert parts.reasoning == tuple(name for name in REASONINGS if name in root.reasoning)
        assert [(sub.question, sub.reference) for sub in parts.questions] == [
            plain(need) for need in root.needs
        ]
        for step in root.needs:
            assert (await classify(chat, step.question, step.reference))[0] == 2
            facts = (await deconstruct(chat, step.question, step.reference, 1, 4)).questions
            assert [(sub.question, sub.reference) for sub in facts] == [
                plain(need) for need in step.needs
            ]
            assert (await classify(chat, facts[0].question, ""))[0] == 1
    assert set(chat.purposes) == {"classification", "reference_answer", "deconstruction"}


def faults(parent: LibraryQuestion, depth: int, count: int = 4) -> list[Sub]:
    return with_fault(
        1, persona_of("evaluator,planted=1"), parent, depth, parent.needs[:count], count
    )


def test_every_fault_is_planted() -> None:
    found: set[str] = set()
    for root in strategies(40, 2):
        for parent, depth in ((root, 2), *((step, 1) for step in root.needs)):
            sound, subs = [plain(need) for need in parent.needs], faults(parent, depth)
            assert len(subs) <= 4
            assert subs != sound
            (fault,) = [sub for sub in subs if sub not in sound]
            found.add(
                name_of(
                    fault, parent, depth, [question for question, _ in subs if question != fault[0]]
                )
            )
            known = recognise(fault[0])
            assert known is not None
            assert known.reference == fault[1]
    assert found == {"yes or no", "repeated", "like a deeper", "like a shallower"}


def name_of(fault: Sub, parent: LibraryQuestion, depth: int, beside: list[str]) -> str:
    """What is wrong with a question, as the builder would find it."""
    question, known = fault[0], recognise(fault[0])
    assert known is not None
    if is_closed(question):
        return "yes or no"
    if known.id == parent.id and depth == 1:
        assert 0.8 <= similarity(question, parent.question) < 0.9, question
        return "like a deeper"
    original = known.question
    assert similarity(question, original) >= 0.9
    if known.depth < depth:
        return "like a shallower"
    assert original in beside
    return "repeated"


async def test_what_is_planted_can_be_mended() -> None:
    chat, step = InWorld("evaluator,planted=1"), library()["d2.liquid-range.iron"]
    opened = Evaluator(WORLD).do("open_question", {"question": step.yes_no})
    assert opened == {"rewritten": step.question, "yes_or_no": False}
    kept, removed = step.needs[0].question, framed("Briefly, ", step.needs[0].question)
    (more,) = await augment(
        chat, step.question, step.reference, 1, 1, kept=[kept], removed=[removed]
    )
    assert (more.question, more.reference) == plain(step.needs[1])
    everything = [need.question for need in step.needs]
    further = await augment(chat, step.question, step.reference, 1, 3, kept=everything, removed=[])
    assert len(further) == 3
    assert all((found := recognise(sub.question)) and found.depth == 1 for sub in further)
    root = library()["d3.foundry.iron.zinc"]
    (deeper,) = await augment(
        chat,
        root.question,
        root.reference,
        2,
        1,
        kept=[need.question for need in root.needs],
        removed=[],
    )
    found = recognise(deeper.question)
    assert found is not None
    assert found.depth == 2
    assert found.id not in {need.id for need in root.needs}


async def test_a_graph_of_the_examples_is_built() -> None:
    questions = read_questions(ELEMENTS).questions
    assert len({recognise(source.question) for source in questions} - {None}) == 10
    for source in questions:
        known = recognise(source.question)
        assert known is not None
        assert source.reference == known.reference or source.key_points
    result = await build(questions, "evaluator")
    assert {gone.reason for gone in result.removed} >= {
        "repeated",
        "merged",
        "like a shallower",
        "like a deeper",
    }
    assert result.rewritten
    assert result.augmented
    # each gap is filled once: what a question that was written for one has lost itself stays open
    lost = [gone for gone in result.removed if gone.node.rpartition(".")[0] in result.augmented]
    assert result.unfilled == sum(gone.reason not in ("merged", "orphan") for gone in lost) == 1
    assert result.graph is not None
    assert len([node for node in result.graph.nodes if node.depth == 3]) == 10
    for node in result.graph.nodes:
        assert not is_closed(node.question)
        known = recognise(node.question)
        assert known is not None
        assert (known.depth, known.reference) == (node.depth, node.reference)
    sound = await build(questions, SOUND)
    assert {gone.reason for gone in sound.removed} == {"merged"}
    assert not sound.rewritten
    assert not sound.augmented


async def build(questions: Sequence[object], model: str) -> DepthQABuildResult:
    run = BuildRun(InWorld(model, Evaluator(WORLD)))  # type: ignore[arg-type]
    run.similarity = ByEmbeddings()
    name = run.model.name
    values = {
        "name": "elements",
        "questions": questions,
        "evaluator": name,
        "similarity": "sim:embedding",
    }
    return await run.play(DepthQABuildSpec.model_validate(values))


async def test_questions_from_elsewhere_are_taken_apart_too() -> None:
    chat = InWorld()
    question, reference = FOREIGN
    assert (await classify(chat, question, ""))[0] == 3
    assert (await classify(chat, "How is a bridge tested?", ""))[0] == 2
    assert (await classify(chat, "What is a deck?", ""))[0] == 1
    steps = await deconstruct(chat, question, reference, 2, 4)
    facts = await deconstruct(chat, steps.questions[0].question, steps.questions[0].reference, 1, 4)
    more = await augment(
        chat, question, reference, 2, 2, kept=[s.question for s in steps.questions], removed=[]
    )
    texts = [sub.question for sub in (*steps.questions, *facts.questions, *more)]
    assert len(texts) == len(set(texts)) == 10
    assert not [text for text in texts if is_closed(text)]
    assert await write_reference(chat, question, "- wind sheds vortices\n- the deck is light") == (
        "Wind sheds vortices. The deck is light."
    )
    relation = await rate_relation(
        chat, question, reference, [SubQuestion(question="Why?", reference=reference)]
    )
    assert relation.comprehensive == "comprehensive"
    opened = reply_of(WORLD, "open_question", {"question": "Is it long?"})
    assert not is_closed(str(opened["rewritten"]))


@settings(max_examples=30)
@given(
    text=st.text(max_size=60),
    reference=st.text(max_size=120),
    depth=st.sampled_from((1, 2)),
    purpose=st.sampled_from(sorted(PURPOSES)),
)
def test_no_text_upsets_it(text: str, reference: str, depth: int, purpose: str) -> None:
    about = {"question": text, "reference": reference, "answer": reference, "depth": depth}
    listed = [(text, reference), ("What?", "That.")]
    reply = Evaluator(WORLD).do(purpose, about | {"count": 3, "predecessors": listed})
    if isinstance(reply, str):
        return
    for sub in [*_listed(reply, "questions"), *_listed(reply, "additions")]:
        assert sub["question"].strip()
        assert sub["reference"].strip() or not (text.strip() or reference.strip())


def _listed(reply: dict[str, object], key: str) -> list[dict[str, str]]:
    found = reply.get(key, [])
    assert isinstance(found, list)
    return found
