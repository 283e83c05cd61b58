"""The methods inside other LangGraph apps: as a subgraph, with a host's own models, callbacks and
prompts."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_openai import ChatOpenAI

from fathom.graphs.method import METHODS as TABLE
from fathom.graphs.method import prompts_of
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim.server import RunningWorld, start
from fathom.state.errors import UsageError
from fathom.state.events import EVENT, ItemFinished, RunStarted
from fathom.state.spec import WorldSpec
from fathom.tools.models.chat import ChatReply, ChatRequest
from fathom.tools.models.clients import Limits
from fathom.tools.models.langchain import LangChainChat

from ...support.embedded import EMBEDDINGS, METHODS, asked, bound, given_to, host, picture

every_method = pytest.mark.parametrize("method", METHODS)
two_methods = pytest.mark.parametrize("method", ["drill", "deepquestion"])
"""One that looks things up, and one of which all roles are asked."""
STREAMED: Any = {"stream_mode": ["custom", "values"], "subgraphs": True, "version": "v2"}

FINISHED = {
    "drill": {"probe_judged": 8, "probe_asked": 8, "probe_answered": 8},
    "eqt": {"explanation": 2, "question": 4, "paraphrase": 4, "choice": 12},
    "depthqa": {"depth_answer": 8, "rating": 8},  # nine nodes, two of them with one question
    "depthqa_build": {"reference": 2, "deconstructed": 6, "sifted": 2},
    "deepquestion": {
        "prompt_draft": 6, "prompt_score": 6, "scenario": 2, "scenario_check": 2, "distractors": 2, "instruction": 2,
        "instruction_check": 2, "created": 2, "met": 2, "solution": 12, "comparison": 6,
    },  # two kinds, three drafts each
}  # fmt: skip
PARTS = {"eqt": "concept", "depthqa": "root", "deepquestion": "problem"}
CLOSED: dict[str, list[Any]] = {
    "drill": [1, 2], "eqt": ["Gold", "Iodine"], "depthqa": ["c", "f"], "depthqa_build": [], "deepquestion": ["p2", "p3"]
}  # fmt: skip
ASKED = {
    "drill": {"target": "answer", "evaluator": "aspects question check concepts", "judge": "verdict"},
    "eqt": {
        "target": "choice open_book", "examiner": "explanation choice_question paraphrase", "judge": "same_question"
    },
    "depthqa": {"target": "depth_answer", "judge": "rating"},
    "depthqa_build": {"evaluator": "deconstruction reference_answer"},
    "deepquestion": {
        "target": "solution created_question",
        "evaluator": "prompt_score scenario_check independent_solution instruction_check instruction_met",
        "generator": "prompt_draft prompt_redraft scenario distractors instruction",
        "judge": "comparison",
    },
}  # fmt: skip
"""Of each role the purposes it is asked for."""


def numbers_of(method: str, result: dict[str, Any]) -> Any:
    """A few of the result's numbers."""
    looked_at: dict[str, Callable[[], Any]] = {
        "drill": lambda: (result["depth_reached"], [row["scored"] for row in result["depths"]]),
        "eqt": lambda: (*(result["numbers"]["all"][name] for name in ("scored", "correct")),
                        result["numbers"]["consistency"]["acs"]),
        "depthqa": lambda: [result["modes"][0]["discrepancies"]["forward"]["D2 → D3"][name]
                            for name in ("eligible", "average")],
        "depthqa_build": lambda: len(result["graph"]["nodes"]),
        "deepquestion": lambda: (result["original"]["count"], [row["accuracy"]["count"] for row in result["q2s"]],
                                 result["spec"]["judge"]),
    }  # fmt: skip
    return looked_at[method]()


NUMBERS = {
    "drill": (2, [4, 4]), "eqt": (8, 8, 1.0), "depthqa": [2, 0.375],  # c: (5 - 2)/4 = .75, f: 0
    "depthqa_build": 2 * (1 + 2 + 4), "deepquestion": (2, [2, 2], "judge"),
}  # fmt: skip


@every_method
async def test_a_run_as_a_subgraph_streams_its_events_with_namespaces(method: str) -> None:
    models, heard = (
        {role: EMBEDDINGS[method].toy(role) for role in EMBEDDINGS[method].roles},
        list[str](),
    )
    if method == "depthqa":
        models["judge"].scores = {"c": 2}
    listeners, options = [lambda event: heard.append(event.type)], {"answer_tokens": 99}
    async with bound(method, *models.values(), listeners=listeners) as embedded:
        given = given_to(embedded, method, **options if "target" in models else {})
        parts = [part async for part in host(embedded.graph).astream(given, **STREAMED)]
    custom = [part for part in parts if part["type"] == "custom"]
    assert all(part["ns"][0].startswith("asking:") for part in custom)
    assert [part["data"]["seq"] for part in custom] == list(range(1, len(custom) + 1))
    assert all(part["data"]["at"] for part in custom)
    events = [EVENT.validate_python(part["data"]) for part in custom]
    assert [event.type for event in events] == heard
    assert isinstance(events[0], RunStarted)
    assert events[0].prompts.keys() == prompts_of(events[0].spec).keys()  # those it may use
    assert events[0].material == embedded.deps.material
    assert events[0].problems == embedded.deps.problems
    assert events[-1].type == "run_finished"
    kinds: Counter[str] = Counter(
        event.item.type if isinstance(event, ItemFinished) else event.type for event in events
    )
    assert {kind: kinds[kind] for kind in FINISHED[method]} == FINISHED[method]
    closed = [part["data"] for part in custom if part["data"]["type"].endswith("_closed")]
    assert (
        sorted(
            each["row"]["depth"] if "row" in each else each[PARTS[method]] for each in closed
        )
        == CLOSED[method]
    )
    for role, purposes in ASKED[method].items():
        assert {request.purpose for request in asked(models[role])} == set(purposes.split())
    if "target" in models:
        assert {request.max_tokens for request in asked(models["target"])} == {99}
    final = parts[-1]["data"]
    assert (final["seen"], final["result"]["simulated"]) == (1, False)
    assert numbers_of(method, final["result"]) == NUMBERS[method]


class Watching(AsyncCallbackHandler):
    """Notes the chat runs a host's callback handler is told of."""

    def __init__(self) -> None:
        self.begun: dict[UUID, dict[str, Any]] = {}
        self.tokens: dict[UUID, int] = {}

    async def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: UUID, **more: Any
    ) -> None:
        self.begun[run_id] = {"messages": messages[0], **more}

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:
        (generation,) = response.generations[0]
        assert isinstance(generation, ChatGeneration)
        self.tokens[run_id] = generation.message.usage_metadata["total_tokens"]  # type: ignore[attr-defined]


class Searching(AsyncCallbackHandler):
    """What a host's callbacks hear of look-ups."""

    def __init__(self) -> None:
        self.found: dict[UUID, int] = {}
        self.names: list[str] = []

    async def on_retriever_start(self, *told: Any, **more: Any) -> None:
        self.names.append(more["name"])

    async def on_retriever_end(self, documents: Any, *, run_id: UUID, **more: Any) -> None:
        self.found[run_id] = len(documents)


async def test_a_hosts_callbacks_see_the_look_ups() -> None:
    watching, own = Searching(), EMBEDDINGS["drill"]
    async with bound("drill", *own.simulated) as embedded:
        await embedded.graph.ainvoke(given_to(embedded, "drill"), {"callbacks": [watching]})
    assert set(watching.names) == {"find_evidence"}
    assert len(watching.found) == len(watching.names) > 3
    assert max(watching.found.values()) > 0


@every_method
async def test_a_host_gets_the_runners_result_and_its_callbacks_see_every_call(
    method: str,
) -> None:
    own, world, watching, told = EMBEDDINGS[method], WorldSpec(seed=4), Watching(), list[Any]()
    async with bound(method, *own.simulated, world=world) as embedded:
        options = {"world": world} if method == "drill" else {}
        given, final = given_to(embedded, method, **options), dict[str, Any]()
        config: Any = {"callbacks": [watching], "max_concurrency": 3}
        async for mode, part in host(embedded.graph).astream(
            given, config, stream_mode=["messages", "values"]
        ):
            told += [part] if mode == "messages" else []
            final = part if mode == "values" else final
        spec = embedded.spec(*own.asks, **own.size | options)
        if method != "drill":
            with pytest.raises(UsageError, match="world"):
                embedded.spec(*own.asks, world=WorldSpec(seed=5))
    held, problems = embedded.deps.material, embedded.deps.problems
    launching = LaunchOptions(
        materials={held.digest: held} if held else {},
        problem_sets={problems.digest: problems} if problems else {},
    )
    (report,) = await Launch([spec], launching).run()
    assert spec.world == world
    assert report.result is not None
    assert picture(final["result"]) == picture(
        report.result.model_dump(mode="json", by_alias=True)
    )
    assert final["result"]["simulated"]
    assert (
        len(watching.begun)
        == sum(used["calls"] for used in final["result"]["usage"].values())
        > 5
    )
    assert watching.begun.keys() == watching.tokens.keys()
    assert min(watching.tokens.values()) > 0
    named = {run["name"] for run in watching.begun.values()}
    assert named - {"verdict", "selection"} <= set(" ".join(ASKED[method].values()).split())
    assert (
        len(named)
        == {"drill": 6, "eqt": 6, "depthqa": 2, "depthqa_build": 2, "deepquestion": 12}[method]
    )
    first = ASKED[method].get("target", "deconstruction").split()[0]
    assert first in named
    for run in watching.begun.values():
        assert run["parent_run_id"]
        assert run["name"] != first or any(
            role in run["tags"] for role in ("target", "evaluator")
        ), run["tags"]
        assert (
            method != "drill"
            or run["name"] != "answer"
            or any("/d0" in tag for tag in run["tags"])
        ), run["tags"]
    assert told == [], "they are no messages of the host's own"


@pytest.fixture
async def world() -> AsyncIterator[RunningWorld]:
    running = await start(WorldSpec())
    yield running
    await running.aclose()


QUESTION_NAME: ContextVar[ChatRequest] = ContextVar("asked")


class InWorldOpenAI(ChatOpenAI):
    """A host's own client of the simulated world, which says beside each prompt what it is for."""

    def _get_request_payload(self, input_: Any, **options: Any) -> dict[str, Any]:
        request = QUESTION_NAME.get()
        beside = {"simulation": {"purpose": request.purpose, "about": request.about}}
        return super()._get_request_payload(input_, **options) | {"extra_body": beside}


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request that goes to a host's own model stands in `QUESTION_NAME`."""
    complete = LangChainChat.complete

    async def noting(chat: LangChainChat, request: ChatRequest) -> ChatReply:
        QUESTION_NAME.set(request)
        return await complete(chat, request)

    monkeypatch.setattr(LangChainChat, "complete", noting)


@two_methods
@pytest.mark.usefixtures("noted")
async def test_a_hosts_own_chat_models_and_names_with_an_address_are_asked_the_same(
    method: str, world: RunningWorld
) -> None:
    results, names = [], [model.partition(":")[2] for model in EMBEDDINGS[method].simulated]
    facts = {"facts": f"sim@{world.base_url}"} if method == "drill" else {}
    for form in ("object", "string"):
        models: list[Any] = [f"sim@{world.api_url}:{name}" for name in names]
        if form == "object":
            models = [
                InWorldOpenAI(model=name, base_url=world.api_url, api_key="s", temperature=0)
                for name in names
            ]
        async with bound(method, *models, **facts) as embedded:
            results.append((await embedded.graph.ainvoke(given_to(embedded, method)))["result"])
    for result, prefix in zip(results, ("langchain", f"sim@{world.api_url}"), strict=True):
        spec = result["spec"]
        assert spec.get("target", spec.get("evaluator")) == f"{prefix}:{names[0]}"
        assert spec.get("judge", spec.get("evaluator")) == f"{prefix}:{names[-1]}"
        assert result[
            "simulated"
        ]  # the endpoint's own model names say so, whatever the host calls its objects
    counted = [sum(used["calls"] for used in result["usage"].values()) for result in results]
    assert (
        counted[0]
        == counted[1]
        == sum(one.kind in ("chat", "structured") for one in world.log) / 2
    )


@two_methods
async def test_an_embedded_run_may_use_the_cache(method: str, tmp_path: Any) -> None:
    served = []
    for _ in range(2):
        async with bound(
            method, *EMBEDDINGS[method].simulated, cache=tmp_path / "cache.sqlite"
        ) as embedded:
            usage = (await embedded.graph.ainvoke(given_to(embedded, method)))["result"][
                "usage"
            ].values()
        served.append(
            sum(used["cached"] for used in usage) / sum(used["calls"] for used in usage)
        )
    assert served[0] < 0.5
    assert served[1] == 1.0


OTHERS: dict[str, dict[str, Any]] = {
    "drill": {"n": 5}, "eqt": {"questions": 1}, "depthqa": {"modes": "multi-turn"}, "depthqa_build": {"width": 1},
    "deepquestion": {"kinds": "q2s", "distractors": "none", "baseline": 0},
}  # fmt: skip


@every_method
async def test_runs_of_one_graph_do_not_mix_one_after_the_other_or_at_once(method: str) -> None:
    own = EMBEDDINGS[method]
    async with bound(method, *map(own.toy, own.roles)) as embedded:
        other = OTHERS[method]
        starts = [given_to(embedded, method), given_to(embedded, method, **other)]
        at_once = await asyncio.gather(*(embedded.graph.ainvoke(start) for start in starts))
        one_by_one = [
            await embedded.graph.ainvoke(given_to(embedded, method, **more))
            for more in ({}, other)
        ]
        assert [list(embedded.deps.sink.items(each["run_id"])) for each in starts] == [[], []]
        assert [embedded.deps.sink.run(each["run_id"]).probe_ids for each in starts] == [[], []]
    pictures = [picture(output["result"]) for output in at_once]
    assert pictures == [picture(output["result"]) for output in one_by_one]
    assert pictures[0] != pictures[1]
    assert len({output["result"]["run_id"] for output in (*at_once, *one_by_one)}) == 4


@every_method
async def test_a_role_without_a_model_is_played_by_another(method: str) -> None:
    own = EMBEDDINGS[method]
    for count in range(1, len(own.roles) + 1):
        given = own.roles[:count]
        if not set(own.roles) - set(own.stands_in) <= set(given):
            continue
        async with bound(method, *(own.toy(role) for role in given)) as embedded:
            spec = given_to(embedded, method)["spec"]
        for role in own.roles:
            player = role
            while player not in given:
                player = own.stands_in[player]
            assert spec[role] == player


@pytest.mark.parametrize(
    ("method", "field", "fault"),
    [
        ("drill", "target", "target is 'another' but the graph is bound to 'toy'"),
        ("drill", "judge", "judge is 'another' but the graph is bound to 'toy'"),
        ("eqt", "examiner", "examiner is 'another' but the graph is bound to 'toy'"),
        ("eqt", "judge", "judge is 'another' but the graph is bound to 'toy'"),
        ("depthqa", "judge", "judge is 'another' but the graph is bound to 'toy'"),
        ("depthqa", "material", "questions of toy are not this run's"),
        (
            "depthqa_build",
            "evaluator",
            "evaluator is 'another' but the graph is bound to 'toy'",
        ),
        (
            "depthqa_build",
            "similarity",
            "similarity is 'another' but the graph is bound to 'lexical'",
        ),
        ("deepquestion", "judge", "judge is 'another' but the graph is bound to 'toy'"),
        ("deepquestion", "material", "problems of benchmark are not this run's"),
    ],
)
async def test_a_spec_that_is_not_about_what_is_bound_is_refused(
    method: str, field: str, fault: str
) -> None:
    model = EMBEDDINGS[method].toy("toy")
    async with bound(method, model) as embedded:
        given = given_to(embedded, method)
        with pytest.raises(UsageError, match=fault):
            await embedded.graph.ainvoke({**given, "spec": {**given["spec"], field: "another"}})
    assert asked(model) == []


@pytest.mark.parametrize(
    ("method", "prompts", "name", "words", "others"),
    [
        ("drill", TABLE["drill"].prompts, "answer", "You are taking", "You sit"),
        (
            "eqt",
            TABLE["eqt"].prompts,
            "explanation",
            "You explain concepts",
            "You teach concepts",
        ),
        (
            "depthqa",
            TABLE["depthqa"].prompts,
            "depth_answer",
            "Answer the question",
            "Reply to the question",
        ),
        (
            "depthqa_build",
            TABLE["depthqa_build"].prompts,
            "deconstruction",
            "for a study",
            "for a lesson",
        ),
        (
            "deepquestion",
            TABLE["deepquestion"].prompts,
            "solution",
            "Solve the problem",
            "Work on the problem",
        ),
    ],
)
async def test_prompts_of_the_hosts_own_are_used_and_are_part_of_the_spec(
    method: str, prompts: Any, name: str, words: str, others: str
) -> None:
    text, model = prompts[name].text.replace(words, others), EMBEDDINGS[method].toy("toy")
    async with bound(method, model, prompts={name: text}) as embedded:
        given = given_to(embedded, method)
        await embedded.graph.ainvoke(given)
        if method != "drill":
            assert given["spec"]["prompts"] == {name: text}
            with pytest.raises(UsageError, match=r"bound with the graph|bind it"):
                embedded.spec(*EMBEDDINGS[method].asks, prompts={})
    used = next(request for request in asked(model) if request.purpose == name)
    assert others in used.messages[0].content
    with pytest.raises(UsageError, match="no prompt 'nobody'"):
        await bound(method, model, prompts={"nobody": "x"}).__aenter__()


@pytest.mark.parametrize("method", [method for method in METHODS if method != "drill"])
async def test_the_connections_say_how_much_is_worked_on_side_by_side(method: str) -> None:
    async with bound(
        method, EMBEDDINGS[method].toy("toy"), limits=Limits(max_connections=7)
    ) as embedded:
        assert embedded.deps.connections == 7
