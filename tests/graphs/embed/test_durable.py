"""A run in a host whose checkpointer outlives the process: cut off, it goes on where it was, or is
refused."""

import asyncio
import json
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from fathom.graphs.embed.serializer import safe_serializer
from fathom.graphs.run.deps import WITHOUT_JOURNAL
from fathom.state.errors import RunFailed
from fathom.state.events import Event, ItemFinished, ProbeJudged

from ...support.embedded import EMBEDDINGS, METHODS, asked, bound, given_to, host, picture

CONFIG: Any = {"configurable": {"thread_id": "one"}}
SIZE: dict[str, dict[str, Any]] = {
    "drill": {"n": 4, "max_depth": 4, "threshold": 0.001},
    "depthqa": {"modes": "multi-turn"},
}
CUTS = {
    "drill": (1, 3, 5), "eqt": (1, 3, 6), "depthqa": (2, 4, 3), "depthqa_build": (1, 2, 1), "deepquestion": (3, 9, 15)
}  # fmt: skip
"""How many parts are finished in a session before it ends."""
every_method = pytest.mark.parametrize("method", METHODS)


class Host:
    """An app with a model and, unless it has none, a journal; `finished`: what was finished in all
    of its sessions."""

    def __init__(self, method: str, journal: Path | None = None) -> None:
        self.method, self.journal, self.toy = method, journal, EMBEDDINGS[method].toy("toy")
        self.finished: list[str] = []

    async def sit(self, saver: Any = None, given: Any = None, end_after: int = 0) -> Any:
        """One session, which ends when so many parts are finished in it (0: with the run), and its
        output. What is given is begun with, where the saver knows nothing."""
        before = len(self.finished)

        def listen(event: Event) -> None:
            if isinstance(event, ItemFinished | ProbeJudged):
                self.finished.append(
                    (event.item if isinstance(event, ItemFinished) else event.probe).id
                )
                if len(self.finished) - before == end_after:
                    running.cancel()

        async with bound(
            self.method, self.toy, journal=self.journal, listeners=[listen]
        ) as embedded:
            begins = saver is None or saver.get(CONFIG) is None
            given = (
                (given or given_to(embedded, self.method, **SIZE.get(self.method, {})))
                if begins
                else None
            )
            running = asyncio.ensure_future(host(embedded.graph, saver).ainvoke(given, CONFIG))
            if end_after:
                with pytest.raises(asyncio.CancelledError):
                    await running
                return None
            return await running


@every_method
async def test_a_run_that_is_cut_off_three_times_ends_like_one_that_is_not(
    method: str, tmp_path: Path
) -> None:
    whole, broken = Host(method), Host(method, tmp_path / "journal.jsonl")
    expected, saver = await whole.sit(), InMemorySaver(serde=safe_serializer())
    for cut in CUTS[method]:
        await broken.sit(saver, end_after=cut)
    output = await broken.sit(saver)
    assert picture(output["result"]) == picture(expected["result"])
    assert len(broken.finished) == len(set(broken.finished)) == len(whole.finished), (
        "what was finished is not repeated"
    )
    if method == "drill":
        assert len(asked(broken.toy)) - len(asked(whole.toy)) <= 3 * 4 * 3


@every_method
async def test_the_same_input_again_goes_on_where_the_journal_ends(
    method: str, tmp_path: Path
) -> None:
    """As a server does that tries a run again which was cut off, or whose own memory is older than
    the journal."""
    whole, broken = Host(method), Host(method, tmp_path / "journal.jsonl")
    async with bound(method, whole.toy) as embedded:
        given = given_to(embedded, method, **SIZE.get(method, {}))
    expected = await whole.sit(given=given)
    await broken.sit(given=given, end_after=CUTS[method][1])
    calls = len(asked(broken.toy))
    for _ in range(2):  # the second time it has its result already
        output = await broken.sit(given=given)
        assert picture(output["result"]) == picture(expected["result"])
        assert len(broken.finished) == len(set(broken.finished)) == len(whole.finished)
    assert sum(request.purpose == "aspects" for request in asked(broken.toy)) == (
        method == "drill"
    )
    assert calls < len(asked(broken.toy))
    kinds = [
        json.loads(line)["type"]
        for line in (tmp_path / "journal.jsonl").read_text().splitlines()
    ]
    assert (kinds.count("run_started"), kinds[-1]) == (1, "run_finished")


@every_method
async def test_without_a_journal_it_is_refused_before_anything_is_asked(method: str) -> None:
    broken, saver = Host(method), InMemorySaver(serde=safe_serializer())
    await broken.sit(saver, end_after=CUTS[method][1])
    calls = len(asked(broken.toy))
    with pytest.raises(RunFailed, match=r"whose memory is gone.* give embed"):
        await broken.sit(saver)
    assert len(asked(broken.toy)) == calls


def test_a_checkpoint_that_names_a_program_does_not_run_it(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    call = ormsgpack.Ext(0, ormsgpack.packb(("os", "system", f"touch {proof}")))
    safe_serializer().loads_typed(("msgpack", ormsgpack.packb({"planted": call})))
    assert not proof.exists()


class Kept(InMemorySaver):
    """A checkpointer that outlives the process, as a database does."""


@pytest.mark.parametrize("journal", [False, True])
async def test_a_checkpointer_that_is_kept_without_a_journal_is_warned_about_at_the_first_step(
    journal: bool, tmp_path: Path
) -> None:
    events: list[Event] = []
    kept = {"journal": tmp_path / "journal.jsonl"} if journal else {}
    async with bound(
        "drill", EMBEDDINGS["drill"].toy("toy"), listeners=[events.append], **kept
    ) as embedded:
        given = given_to(embedded, "drill", n=4, max_depth=1)
        await host(embedded.graph, Kept(serde=safe_serializer())).ainvoke(given, CONFIG)
    warnings = [
        event.message for event in events if event.type == "notice" and event.level == "warning"
    ]
    assert (WITHOUT_JOURNAL in warnings) is not journal


async def test_a_journal_drops_the_runs_that_have_ended(tmp_path: Path) -> None:
    toy, journal, cut = (
        EMBEDDINGS["drill"].toy("toy"),
        tmp_path / "j.jsonl",
        list[asyncio.Task[Any]](),
    )

    def stop(event: Event) -> None:
        if isinstance(event, ProbeJudged) and cut:
            cut.pop().cancel()

    async with bound("drill", toy, journal=journal, listeners=[stop]) as embedded:
        size = SIZE["drill"]
        await embedded.graph.ainvoke(given_to(embedded, "drill", **size))
        unfinished = given_to(embedded, "drill", **size)
        running = asyncio.ensure_future(embedded.graph.ainvoke(unfinished))
        cut.append(running)
        with pytest.raises(asyncio.CancelledError):
            await running
    async with bound("drill", toy, journal=journal) as embedded:
        done = len(embedded.deps.sink.probes(unfinished["run_id"]))
        assert done > 0
        assert (await embedded.graph.ainvoke(unfinished))["result"]["status"] == "complete"
