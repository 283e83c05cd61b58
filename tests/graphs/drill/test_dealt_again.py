"""A run that is cut off within a depth deals it from its journal, whatever has become of the
pages."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.drill.barrier import recursion_limit
from fathom.graphs.drill.graph import build_graph
from fathom.graphs.drill.resumed import passages_of
from fathom.state.channels import Candidate
from fathom.state.events import Event, PassagesFound, ProbeJudged
from fathom.state.records import Evidence, Unscored
from fathom.state.result import DrillResult
from fathom.tools.facts.base import FactQuery
from fathom.tools.runs.event_file import events_with_places
from fathom.tools.runs.journal import Journal

from ...support.drill.drills import lasting
from ...support.drill.toy import (
    START,
    ToyChat,
    ToySource,
    code_of,
    field,
    share,
    toy_deps,
    toy_spec,
)


class Changed(ToySource):
    """Every page that was read says something else."""

    def __init__(self, source: ToySource) -> None:
        super().__init__(per_page=source.per_page, missing=source.missing, twins=True)
        self.read = set(source.asked)

    def _passage(self, query: FactQuery, index: int) -> Evidence:
        before = super()._passage(query, index)
        if query not in self.read:
            return before
        subject = f"{query.concept}.new{index}"
        text = f"Item {subject} bears the code {code_of(subject)}."
        return before.model_copy(update={"text": text, "digest": text})


class LastPassage(ToyChat):
    """Writes from the last of the passages that it is shown."""

    def write(self, text: str) -> dict[str, str]:
        return super().write(text[text.rindex("<passage>") :])


def name_of(concept: str) -> str:
    """What the source calls it."""
    return f"c{int(concept[1:]) + 400}"


class Renamed(ToySource):
    """Has most concepts under another name, and says which when it is asked."""

    async def nearest(self, title: str, language: str) -> list[str]:
        return [name_of(title), "c1"] if share("near", title) < 0.9 else []


class Explainer(LastPassage):
    """Knows of half of the names what they mean."""

    def titles(self, text: str) -> dict[str, object]:
        names = [line.partition(":")[0] for line in field(text, "names").splitlines()]
        known = [name for name in names if share("meant", name) < 0.5]
        return {"meant": [{"name": name, "title": name_of(name)} for name in known]}


def is_renamed(concept: str) -> bool:
    return 10 <= int(concept[1:]) < 400 and share("missing", concept) < 0.7


def falters(purpose: str, text: str) -> bool:
    return purpose in ("question", "check", "answer") and share(purpose, text) < 0.1


def is_missing(concept: str) -> bool:
    return share("missing", concept) < 0.5


async def sit(
    file: Path, source: ToySource, max_depth: int, cut_after: int = 0
) -> DrillResult | None:
    """One session, ended when so many probes of the deepest depth are finished in it."""
    finished = 0

    def listen(event: Event) -> None:
        nonlocal finished
        if isinstance(event, ProbeJudged) and event.probe.depth == max_depth:
            finished += 1
            if finished == cut_after:
                running.cancel()

    journal = Journal(file, lambda: START, [listen])
    journal.reload()
    spec = toy_spec(max_depth=max_depth, threshold=0.001)
    chat = Explainer(skill=0.8, fault=falters, shuffle=7)
    graph = build_graph(toy_deps(chat, source, journal))
    given: Any = {"spec": spec.model_dump(mode="json"), "run_id": "toy-run-1"}
    config: Any = {"recursion_limit": recursion_limit(spec)}
    running = asyncio.ensure_future(graph.ainvoke(given, config))
    try:
        return DrillResult.model_validate((await running)["result"])
    except asyncio.CancelledError:
        return None
    finally:
        journal.close()


@pytest.mark.parametrize(("max_depth", "cut_after"), [(1, 4), (3, 4)])
async def test_a_page_that_changed_changes_nothing_that_was_dealt_from(
    tmp_path: Path, max_depth: int, cut_after: int
) -> None:
    whole = await sit(
        tmp_path / "whole.jsonl",
        ToySource(per_page=2, missing=is_missing, twins=True),
        max_depth,
    )
    cut, source = tmp_path / "cut.jsonl", ToySource(per_page=2, missing=is_missing, twins=True)
    assert await sit(cut, source, max_depth, cut_after) is None
    again = await sit(cut, Changed(source), max_depth)
    assert whole is not None
    assert again is not None
    assert lasting(again) == lasting(whole)
    kept = [event for event, *_ in events_with_places(cut) if isinstance(event, PassagesFound)]
    rounds = [(event.depth, event.round) for event in kept]
    assert len(rounds) == len(set(rounds))
    assert max_depth == 1 or any(nth is not None for _, nth in rounds), "one was topped up"


async def test_what_names_mean_that_were_not_found_is_asked_for_once(tmp_path: Path) -> None:
    whole = await sit(tmp_path / "whole.jsonl", Renamed(missing=is_renamed, twins=True), 4)
    cut = tmp_path / "cut.jsonl"
    assert await sit(cut, Renamed(missing=is_renamed, twins=True), 4, 3) is None
    again = await sit(cut, Renamed(missing=is_renamed, twins=True), 4)
    assert whole is not None
    assert again is not None
    assert lasting(again) == lasting(whole)
    events = [event for event, *_ in events_with_places(tmp_path / "whole.jsonl")]
    told = [event for event in events if isinstance(event, PassagesFound)]
    assert again.usage["evaluator"].calls == whole.usage["evaluator"].calls
    assert {call.purpose for event in told for call in event.calls} == {"titles"}
    entries = [entry for event in told for entry in event.concepts if entry.nearest]
    assert {(bool(entry.passages), entry.unmeant) for entry in entries} == {
        (True, False),
        (False, True),
        (False, False),
    }
    near = {name: titles for row in whole.depths for name, titles in row.not_found.items()}
    assert all(titles == (name_of(name), "c1") for name, titles in near.items())
    assert near
    for row in whole.depths:
        assert row.no_evidence == len(row.without_evidence)
        assert not set(row.without_evidence) & set(row.not_found)
    assert sum(row.no_evidence for row in whole.depths) > 0


async def test_the_passages_that_a_finished_probe_used_up_are_those_it_names(
    tmp_path: Path,
) -> None:
    whole = await sit(tmp_path / "whole.jsonl", ToySource(per_page=6), 1)
    assert whole is not None
    probe = next(each for each in whole.probes if each.question and not each.rejected)
    assert probe.question is not None
    own = probe.question.evidence
    passages = [{"digest": digest} for digest in ("first", "second", own.digest)]
    dealt = [
        Candidate(
            path=0,
            concept=probe.concept,
            origin="root",
            root=probe.root,
            parent=None,
            chain=[],
            spare=False,
            passages=passages,
        )
    ]
    assert passages_of(probe, dealt) == [own.digest]
    lost = Unscored(stage="question", kind="server", message="")
    assert passages_of(probe.model_copy(update={"question": None, "outcome": lost}), dealt) == [
        "first"
    ]
