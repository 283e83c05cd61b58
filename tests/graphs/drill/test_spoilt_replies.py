"""Spoilt replies through a proxy in front of the simulated world: the EVD is the unspoilt one, or
the probe is unscored with its kind."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from fathom.graphs.embed import embed
from fathom.graphs.embed.methods import EmbeddedDrill
from fathom.sim.evaluator import Evaluator
from fathom.sim.world import World
from fathom.state.options import DrillOptions
from fathom.state.result import DrillResult
from fathom.state.spec import WorldSpec

from ...support.careless import completion

SMALL: DrillOptions = {"n": 2, "max_depth": 4, "seed": 1}
BOM = "\ufeff"

Completion = dict[str, Any]
Spoil = Callable[[Completion], Completion | bytes]


def text(form: str) -> Spoil:
    """The reply's text inside the form."""

    def spoil(reply: Completion) -> Completion:
        message = reply["choices"][0]["message"]
        message["content"] = form.replace("{}", message["content"] or "")
        return reply

    return spoil


def finish(word: str | None, form: str = "{}") -> Spoil:
    def spoil(reply: Completion) -> Completion:
        text(form)(reply)
        reply["choices"][0]["finish_reason"] = word
        return reply

    return spoil


def fields(**changes: Any) -> Spoil:
    """What a judge says, with other values in some fields."""

    def spoil(reply: Completion) -> Completion:
        message = reply["choices"][0]["message"]
        message["content"] = json.dumps(json.loads(message["content"]) | changes)
        return reply

    return spoil


def used_up(reply: Completion) -> Completion:
    reply["usage"]["completion_tokens"] = 10**6
    return reply


def body(form: bytes) -> Spoil:
    return lambda reply: form.replace(b"{}", json.dumps(reply).encode())


@dataclass(frozen=True)
class Case:
    """`model`: whose replies are spoilt; `kind`: of the probe that is lost, None where nothing
    is."""

    name: str
    spoil: Spoil
    kind: str | None = None
    model: str = "student"
    reasoning: bool = False
    """Whether the result says that answers came with their reasoning."""


THOUGHTS = {
    "think": "<think>\nIs it 7, or 8?\n</think>\n\n{}",
    "no opening tag": "Is it 7, or 8?\n</think>\n\n{}",
    "harmony": (
        "<|channel|>analysis<|message|>Is it "
        "7?<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>"
    ),
}
"""All forms are in the tests of `spoken`, all words for an end in those of refusals."""
CASES = [
    *(Case(f"thoughts: {name}", text(form), reasoning=True) for name, form in THOUGHTS.items()),
    Case("no end", text("<think>Is it 7? {}"), "thoughts"),
    Case("finish: length", finish("length"), "cut_off"),
    Case("finish: unheard of", finish("unheard of")),
    Case("finish: SAFETY", finish("FINISH_REASON_SAFETY"), "content_filter"),
    Case("the limit is used up", used_up, "cut_off"),
    Case("thoughts, cut off", finish("length", "<think>Is it 7? {}"), "cut_off"),
    Case("empty", lambda reply: text(" ")(reply), "empty"),
    Case("thoughts alone", text("<think>{}</think>"), "empty"),
    Case("mark at the body", body(BOM.encode() + b"{}")),
    Case("mark at the text", text(BOM + "{}")),
    Case("judge: mistral", text("[THINK]{right}[/THINK]{}"), model="judge"),
    Case("judge: sure of it", fields(confidence="high"), model="judge"),
    Case("judge: reasons", fields(reason=["one", "two"]), model="judge"),
    Case("judge: no end", text("<think>{}"), "thoughts", model="judge"),
]


@dataclass
class Proxy:
    """Spoils the replies of one model: all of them, or those to the first conversation that it
    hears of."""

    url: str = ""
    case: Case | None = None
    first: str = ""
    worlds: dict[str, Evaluator] = field(default_factory=dict)

    def begin(self, case: Case | None) -> None:
        self.case, self.first = case, ""
        self.worlds = {model: Evaluator(World(WorldSpec())) for model in ("student", "judge")}

    async def chat(self, request: web.Request) -> web.Response:
        sent = await request.json()
        model, case = sent["model"], self.case
        named = sent | {"model": "evaluator" if model == "judge" else model}
        reply = completion(named, self.worlds[model])
        if (
            case is None
            or case.model != model
            or not self._is_spoilt(case, sent["messages"][1]["content"])
        ):
            return web.json_response(reply)
        spoilt = case.spoil(reply)
        return (
            web.Response(body=spoilt)
            if isinstance(spoilt, bytes)
            else web.json_response(spoilt)
        )

    def _is_spoilt(self, case: Case, question: str) -> bool:
        self.first = self.first or question
        return case.kind is None or question == self.first


@asynccontextmanager
async def proxied() -> AsyncIterator[tuple[Proxy, EmbeddedDrill]]:
    proxy, app = Proxy(), web.Application()
    app.router.add_post("/v1/chat/completions", proxy.chat)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    proxy.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    models = {
        "target": f"vllm@{proxy.url}:student",
        "evaluator": "sim:evaluator",
        "judge": f"vllm@{proxy.url}:judge",
    }
    try:
        async with embed("drill", models, material="sim", env={}) as drill:
            yield proxy, drill
    finally:
        await runner.cleanup()


async def play(proxy: Proxy, drill: EmbeddedDrill, case: Case | None) -> DrillResult:
    proxy.begin(case)
    return drill.result(await drill.graph.ainvoke(drill.input("Chemical element", **SMALL)))


async def test_a_spoilt_reply_changes_no_figure_or_is_unscored_with_its_kind() -> None:
    wrong = []
    async with proxied() as (proxy, drill):
        plain = await play(proxy, drill, None)
        assert 0 < plain.evd < SMALL["max_depth"]  # there is room to both sides
        for case in CASES:
            result = await play(proxy, drill, case)
            kinds = [
                probe.outcome.kind
                for probe in result.probes
                if probe.outcome.status == "unscored"
            ]
            told = any("with their reasoning" in note for note in result.notes)
            same = result.evd == plain.evd if case.kind is None else set(kinds) == {case.kind}
            if not same or told != case.reasoning or (case.kind is None and kinds):
                wrong.append((case.name, result.evd, kinds, told))
    assert not wrong, "\n".join(map(str, wrong))
