"""One path, question by question, with all its evidence, and nothing of it able to act on the terminal."""

from itertools import pairwise

import pytest

from fathom.reports.page.figures import place
from fathom.reports.views.drill.trace import find_probe, path_to, path_trace
from fathom.state.errors import UsageError
from fathom.state.records import Probe, Rejected, Scored

from ...support.drill.synthetic import Plan
from ...support.drill.synthetic_result import result_of
from ...support.screen import active_characters, shown
from ...support.snapshot import assert_snapshot

PROBES = result_of(Plan(n=6)).probes
DEEPEST = max(PROBES, key=lambda probe: probe.depth)


def trace(probes: tuple[Probe, ...], text: str, width: int = 100) -> str:
    return shown(path_trace(probes, text), width)


def test_from_the_root_to_the_probe() -> None:
    path = path_to(PROBES, DEEPEST.id)
    assert [probe.depth for probe in path] == [1, 2, 3, 4]
    assert path[0].parent is None
    assert all(child.parent == parent.id for parent, child in pairwise(path))
    text = trace(PROBES, DEEPEST.id)
    assert_snapshot("path_100", text)
    assert not active_characters(text)
    flat = " ".join(text.split())
    for probe in path:
        assert probe.question is not None
        assert probe.answer is not None
        evidence = probe.question.evidence
        for piece in (evidence.url, f"revision {evidence.revision}", probe.question.reference, probe.question.quote):
            assert piece in flat


@pytest.mark.parametrize("text", [DEEPEST.id, place(DEEPEST.id), DEEPEST.id[-12:]])
def test_a_probe_may_be_named_in_three_ways(text: str) -> None:
    assert find_probe(PROBES, text) is DEEPEST


def test_an_unknown_or_ambiguous_name_is_refused() -> None:
    with pytest.raises(UsageError, match=r"No probe of this run is called 'd99\.s00\.r0'.*d01\.s00\.r0"):
        find_probe(PROBES, "d99.s00.r0")
    with pytest.raises(UsageError, match=r"could be any of \d+ probes"):
        find_probe(PROBES, "r0")
    with pytest.raises(UsageError):
        find_probe(PROBES, "")


def test_the_quote_is_highlighted_in_the_passage() -> None:
    text = shown(path_trace(PROBES[:1], PROBES[0].id), 200, colour=True)
    question = PROBES[0].question
    assert question is not None
    assert f"\x1b[1;4m{question.quote}" in text


def test_an_unscored_probe_says_where_and_why() -> None:
    unscored = next(probe for probe in PROBES if probe.outcome.status == "unscored")
    assert "unscored at: judge: timeout. The judge did not answer within 60 s." in trace(PROBES, unscored.id)


def test_what_does_not_count_and_what_was_thrown_away_is_said() -> None:
    scored = next(probe for probe in PROBES if isinstance(probe.outcome, Scored))
    rejected = (Rejected(text="Which?\x1b[2J", reason="not self-contained", asked=True),)
    probe = scored.model_copy(update={"excluded": "duplicate", "rejected": rejected, "spare": True})
    text = trace((probe,), probe.id)
    assert "does not count (duplicate)" in text
    assert "rejected after it was asked: Which?␛[2J (not self-contained)" in text
    assert "a spare" in text


def test_a_quote_spelled_otherwise_is_shown_beside() -> None:
    probe = PROBES[0]
    assert probe.question is not None
    other = probe.model_copy(update={"question": probe.question.model_copy(update={"quote": "It’s else"})})
    assert "quote (spelled otherwise in the passage): It’s else" in trace((other,), other.id)


def test_a_missing_parent_is_named() -> None:
    text = trace((DEEPEST,), DEEPEST.id)
    assert "is not there" in text
    assert place(str(DEEPEST.parent)) in text


def test_a_probe_without_question_or_answer() -> None:
    bare = PROBES[0].model_copy(update={"question": None, "answer": None})
    text = trace((bare,), bare.id)
    assert "question:" not in text
    assert "depth 1" in text


def test_a_slot_alone_means_its_last_round() -> None:
    slots = {(p.depth, p.slot): p.round for p in sorted(PROBES, key=lambda p: p.round)}
    assert max(slots.values()) > 0  # some slot was asked again
    for (depth, slot), last in slots.items():
        assert find_probe(PROBES, f"d{depth:02d}.s{slot:02d}").round == last
