"""Whole drills over real HTTP whose target, or whose pages, speak to the evaluator: every verdict
is the true one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from fathom.sim import chat_api, foreign, server
from fathom.sim.drill import fact_of
from fathom.sim.evaluator import Evaluator
from fathom.sim.pages import Page
from fathom.sim.personas import PERSONAS
from fathom.sim.values import number
from fathom.sim.world import LookUp, World
from fathom.state.result import DrillResult
from fathom.state.spec import WorldSpec

from ...support.drill.drills import drill, sim_spec
from ...support.hostile import ANSWERS, PASSAGES, Hostile, block_of

WORLD = WorldSpec(seed=5)
SPEC = sim_spec(world=WORLD, n=6, passes=1, max_depth=3, answer_tokens=16_000)


def hostile_to(text: str, among: tuple[Hostile, ...]) -> Hostile:
    """One of the five for each text, always the same."""
    return among[number(text) % len(among)]


class HostileTarget(Evaluator):
    """Its personas answer as ever, and speak to the marker besides."""

    def do(self, purpose: str, about: Mapping[str, Any], *more: Any, **options: Any) -> Any:
        reply = super().do(purpose, about, *more, **options)
        return (
            hostile_to(about["question"], ANSWERS).made(str(reply))
            if purpose == "answer"
            else reply
        )


class PoisonedWorld(World):
    """Its encyclopedia is as ever, and speaks to language models behind every third sentence."""

    def look_up(self, title: str) -> LookUp:
        found = super().look_up(title)
        page = found.page
        if page is None or page.disambiguation:
            return found
        sections = tuple((heading, _poisoned(text)) for heading, text in page.sections)
        bad: Page = replace(page, lead=_poisoned(page.lead), sections=sections)
        return replace(found, page=bad)


def _poisoned(text: str) -> str:
    sentences = foreign.sentences(text)
    return " ".join(
        s if i % 3 else hostile_to(s, PASSAGES).made(s) for i, s in enumerate(sentences)
    )


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every prompt that reaches the endpoint: the user part."""
    kept: list[str] = []
    read = chat_api.read

    def keeping(body: Any) -> chat_api.Asked:
        asked = read(body)
        if asked.response_format:
            kept.append(str(body["messages"][-1]["content"]))
        return asked

    monkeypatch.setattr(chat_api, "read", keeping)
    return kept


def check(result: DrillResult | None) -> DrillResult:
    """Every verdict is what this persona knows of the fact that was asked for."""
    assert result is not None
    assert [row.scored for row in result.depths] == [6] * 3
    world = World(WORLD)
    judged = [
        p for p in result.probes if p.outcome.status == "scored" and p.question is not None
    ]
    assert len(judged) >= 18
    for probe in judged:
        assert probe.question is not None
        fact = fact_of(probe.question.text)
        if fact is None:  # a passage cut from the poison alone
            assert not any(
                world.fact_in(s) for s in foreign.sentences(probe.question.evidence.text)
            )
        else:
            assert probe.outcome.status == "scored"
            assert probe.outcome.correct == world.knows(PERSONAS["student"], fact), probe.id
    return result


async def test_a_target_that_speaks_to_the_judge_gains_nothing(
    monkeypatch: pytest.MonkeyPatch, sent: list[str]
) -> None:
    honest = check((await drill(SPEC)).result)
    sent.clear()
    monkeypatch.setattr(server, "Evaluator", HostileTarget)
    hostile = check((await drill(SPEC)).result)

    def picture(result: DrillResult) -> list[object]:
        return [
            (p.chain, p.question and p.question.text, p.outcome, p.concepts)
            for p in result.probes
        ]

    assert picture(hostile) == picture(honest)
    assert (hostile.evd, hostile.evd_ci) == (honest.evd, honest.evd_ci)
    homes = [block_of(text, h.mark) for text in sent for h in ANSWERS if h.mark in text]
    assert (
        len(homes) == 18 + 12
    )  # each answer is judged, and read for concepts unless nothing follows
    assert set(homes) == {"answer"}


async def test_pages_that_speak_to_the_evaluator_change_no_verdict(
    monkeypatch: pytest.MonkeyPatch, sent: list[str]
) -> None:
    monkeypatch.setattr(server, "World", PoisonedWorld)
    check((await drill(SPEC)).result)
    # a reference may rest on such a page; the judge is shown it beside the answer
    shown = [text for text in sent if "<passage>" in text]
    homes = [block_of(text, h.mark) for text in shown for h in PASSAGES if h.mark in text]
    assert {"passage"} <= set(homes) <= {"passage", "line", "references"}
    assert len(homes) >= 3, "the cleaning of pages does not remove it all"
