"""`fathom mcp`: drills, their results and three agents as tools of an MCP client, over stdio or HTTP.
Models, sources and budget are the operator's, who starts the server; a client names neither
addresses nor files."""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import typer

from ..graphs.run.launch import Launch
from ..graphs.run.session import Session
from ..service.trust import run_of
from ..state.errors import FathomError, UsageError, install
from ..state.events import Event
from ..state.option import LIMITS, MODELS, Option
from ..state.records import Evidence
from ..state.spec import DrillSpec, label_of
from ..state.tiers import Tier
from ..tools.facts.base import Facts
from .api import Run, spec
from .declare import Command, Given
from .environment import environment, runs_dir
from .options.shared import LIMIT, PORT, RUNS, model
from .plan.document import document_of
from .serve import HOME, HOSTS, guard_of

if TYPE_CHECKING:
    from ..service.guard import Guard

WORST = 20
"""Wrong answers that are given at most."""
TEXTS = ("question", "reference", "answer", "reason", "passage", "title", "url", "date")
"""What a wrong answer is shown with."""
INSTRUCTIONS = (
    "Fathom measures how deep a language model's knowledge of a domain goes: it asks, verifies against "
    "evidence, follows up, deeper each time. A drill takes minutes: start it, then poll run_status."
)


@dataclass
class Tools:
    """What a client may call, by the names of the methods, within what whoever starts the server
    allows."""

    session: Session
    targets: dict[str, str]
    """Name that a client says → the model."""
    evaluator: str
    judge: str | None
    facts: str | None
    most_probes: int
    _begun: dict[str, tuple[Launch[Any], asyncio.Task[Any]]] = field(default_factory=dict)

    def _spec(self, domain: str, target: str, probes: int, max_depth: int | None) -> DrillSpec:
        """The drill that was asked for. Raises UsageError."""
        if target not in self.targets:
            raise UsageError(f"There is no model {target!r}: choose {', '.join(self.targets)}.")
        if not 1 <= probes <= self.most_probes:
            raise UsageError(f"probes cannot be {probes}: give 1 to {self.most_probes}.")
        more: dict[str, Any] = {} if max_depth is None else {"max_depth": max_depth}
        return spec(
            domain,
            target=self.targets[target],
            evaluator=self.evaluator,
            judge=self.judge,
            facts=self.facts,
            env=self.session.options.env,
            n=probes,
            **more,
        )

    async def _start(self, spec: DrillSpec) -> str:
        """Start it in the background; its run id. Raises UsageError where it is refused."""
        begun: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def tell(event: Event) -> None:
            if not begun.done():
                begun.set_result(event.run_id)

        launch = await self.session.launch(spec, [tell])
        task = asyncio.create_task(launch.run())
        waiting: list[asyncio.Future[Any]] = [begun, task]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not begun.done():
            (report,) = await task
            raise UsageError(report.error or "The drill did not begin.")
        self._begun[begun.result()] = launch, task
        return begun.result()

    def _under_way(self, run_id: str) -> Launch[Any] | None:
        launch, task = self._begun.get(run_id, (None, None))
        return None if task is None or task.done() else launch

    async def _sources(self, domain: str) -> Facts:
        """The sources by tier. Raises UsageError."""
        return await self.session.facts(self._spec(domain, next(iter(self.targets)), 1, None))

    async def _close(self) -> None:
        """Stop what is under way; it can be resumed."""
        for launch, _ in self._begun.values():
            launch.stop()
        await asyncio.gather(
            *(task for _, task in self._begun.values()), return_exceptions=True
        )

    async def plan_drill(
        self, domain: str, target: str, probes: int = 30, max_depth: int | None = None
    ) -> dict[str, Any]:
        """What a drill of a target in a domain would ask, cost and take; calls no model."""
        from .api import plan

        drill = self._spec(domain, target, probes, max_depth)
        return document_of(plan(drill, env=self.session.options.env))

    async def start_drill(
        self, domain: str, target: str, probes: int = 30, max_depth: int | None = None
    ) -> dict[str, str]:
        """Start a drill of a target in a domain and return its id at once."""
        return {"id": await self._start(self._spec(domain, target, probes, max_depth))}

    async def run_status(self, id: str) -> dict[str, Any]:
        """How a run stands: its status, how deep it is, and its figure where it has one."""
        run = self._run(id)
        entry = run.entry
        depths = [getattr(event, "depth", None) or 0 for event in run.events()]
        return {
            "id": run.id,
            "status": "running" if self._under_way(run.id) else entry.status,
            "depth": max(depths, default=0),
            "evd": entry.main and entry.main.value,
            "evd_interval": entry.main and entry.main.interval,
            "lower_limit": entry.censored,
            "simulated": entry.simulated,
        }

    async def run_result(self, id: str) -> dict[str, Any]:
        """What a finished run found, without its probes, and the file that holds all of it."""
        run = self._run(id)
        if run.result is None:
            raise UsageError(f"{run.id} has no result yet: poll run_status.")
        left_out = {"probes", "spec", "provenance", "prompts"}
        summary = run.result.model_dump(mode="json", exclude=left_out)
        return {"summary": summary, "file": str(run.path / "result.json")}

    async def stop_run(self, id: str) -> dict[str, str]:
        """Stop a run; what is finished stays, and `fathom resume` goes on with it."""
        run = self._run(id)
        launch = self._under_way(run.id)
        if launch is None:
            raise UsageError(f"{run.id} is not under way here: there is nothing to stop.")
        launch.stop()
        return {"id": run.id, "status": "stopping"}

    async def wrong_answers(self, id: str, limit: int = WORST) -> list[dict[str, Any]]:
        """The wrong answers of a run: question, reference, answer, why it is wrong, and the passage
        that says so."""
        wrong = [row for row in self._run(id).answers if row.verdict == "wrong"]
        shown = []
        for row in wrong[: min(limit, WORST)]:
            texts = {name: row.texts.get(name, "") for name in TEXTS}
            shown.append({"depth": row.tag("depth"), **texts})
        return shown

    async def find_evidence(
        self, domain: str, concept: str, tier: Tier = Tier.COMMON, limit: int = 6
    ) -> list[dict[str, Any]]:
        """Passages on a concept of a domain from the sources of a tier, with title and address."""
        passages = await self._passages(domain, concept, tier, limit)
        return [passage.model_dump(mode="json") for passage in passages]

    async def write_question(
        self, domain: str, concept: str, tier: Tier = Tier.COMMON
    ) -> dict[str, Any]:
        """A question on a concept with reference and quote, from evidence that is looked up; or why
        no passage carries one."""
        from ..agents.questioner.question import write_question

        passages = await self._passages(domain, concept, tier, 3)
        if not passages:
            raise UsageError(
                f"No source has a passage on {concept!r}: name the concept otherwise."
            )
        evaluator = self.session.model(self.evaluator)
        written = await write_question(evaluator, domain, concept, passages)
        return {
            "question": written.question and written.question.model_dump(mode="json"),
            "rejected": [refusal.reason for refusal in written.rejected],
        }

    async def judge_answer(self, question: str, reference: str, answer: str) -> dict[str, Any]:
        """Whether an answer asserts what the reference says: correct, wrong or abstained, and why."""
        from ..agents.judge.verdict import judge

        await self._sources("any")  # a simulated judge needs its world
        model = self.session.model(self.judge or self.evaluator)
        scored = await judge(model, question, reference, answer)
        return scored.model_dump(mode="json")

    def _run(self, run_id: str) -> Run:
        runs = self.session.options.runs
        assert runs is not None  # whoever starts the server names it
        return Run(run_of(runs, run_id))

    async def _passages(
        self, domain: str, concept: str, tier: Tier, limit: int
    ) -> Sequence[Evidence]:
        from ..agents.factfinder.find import find_passages

        sources = await self._sources(domain)
        return await find_passages(sources, domain, concept, tier, limit=limit)


TOOLS = tuple(name for name in vars(Tools) if not name.startswith("_"))


def server_of(tools: Tools) -> Any:
    """The MCP server. Raises UsageError without the extra."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise UsageError(f"`fathom mcp` needs the extra [mcp]: {install('mcp')}.") from error

    def refusing(work: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @wraps(work)
        async def call(*args: Any, **named: Any) -> Any:
            try:
                return await work(*args, **named)
            except FathomError as error:
                raise ToolError(str(error)) from None

        return call

    instructions = f"{INSTRUCTIONS} Targets: {', '.join(tools.targets)}."
    server = MCPServer("fathom", instructions=instructions, log_level="WARNING")
    for name in TOOLS:
        server.tool()(refusing(getattr(tools, name)))
    return server


def _mcp(values: Given) -> None:
    from ..graphs.run.session import session
    from ..tools.cache.store import cache_path

    env, runs = environment(), runs_dir(values["runs"])
    targets = {label_of(name): name for name in values["target"]}
    runs.mkdir(parents=True, exist_ok=True)
    guard = None if values["http"] is None else guard_of(values, runs)

    async def serve() -> None:
        async with session(
            env,
            cache=cache_path(env),
            budget=values["budget"],
            max_calls=values["max_calls"],
            runs=runs,
            prices=values["price"] or (),
        ) as opened:
            tools = Tools(
                opened,
                targets,
                values["evaluator"],
                values["judge"],
                values["facts"],
                values["most_probes"] or 30,
            )
            server = server_of(tools)
            opened.admit([tools._spec("any", target, 1, None) for target in targets])
            try:
                if guard is None:
                    await server.run_stdio_async()
                else:
                    await _serve_http(server, values, guard)
            finally:
                await tools._close()

    asyncio.run(serve())


async def _serve_http(server: Any, values: Given, guard: "Guard") -> None:
    """Streamable HTTP, for those who have the token, until Ctrl-C. Raises UsageError."""
    from mcp.server.transport_security import TransportSecuritySettings
    from uvicorn import Config, Server

    host = values["host"] or HOME
    try:
        opened = socket.create_server((host, values["http"]))
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"Nothing can listen on {host}:{values['http']}: {reason}.") from None
    security = TransportSecuritySettings(
        allowed_hosts=[f"{name}{port}" for name in guard.hosts for port in ("", ":*")],
        allowed_origins=[f"http://{name}:*" for name in guard.hosts],
    )
    app = server.streamable_http_app(transport_security=security)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, lambda: None)  # uvicorn ends at it, and raises it again
    address, port = opened.getsockname()[:2]
    typer.echo(f"MCP is served at http://{address}:{port}/mcp. Ctrl-C stops it.", err=True)
    config = Config(_with_token(app, guard), log_level="warning", timeout_graceful_shutdown=2)
    await Server(config).serve([opened])


def _with_token(app: Any, guard: "Guard") -> Any:
    """The same, for requests with the token only."""
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse

    from ..service.guard import UNKNOWN

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        reply = app
        if scope["type"] == "http" and not guard.has_token(Request(scope)):
            reply = PlainTextResponse(UNKNOWN, 401, {"WWW-Authenticate": "Bearer"})
        await reply(scope, receive, send)

    return answer


MCP = Command(
    _mcp,
    """Serve drills and agents as tools of an MCP client, over stdin and stdout, or over HTTP.

A client plans, starts, polls and stops drills, reads results and wrong answers, and may look up evidence, write a \
question or judge an answer. It chooses among the targets that you name here and never sees a key; all that it starts \
stays within --budget and --max-calls together. Over HTTP it sends the token, which is that of `fathom serve` in the \
same folder of runs.""",
    (
        Option(
            "--target -t",
            "MODEL",
            "Model that may be drilled; may be repeated.",
            MODELS,
            type=list[str],
            kind="model",
            required=True,
        ),
        model("--evaluator -e", "Model that writes and checks the questions.", required=True),
        model("--judge", "Model that judges.", default="the evaluator"),
        Option("--facts", "SOURCES", "As of `fathom drill`.", MODELS, kind="sources"),
        Option(
            "--most-probes", "N", "Probes per depth at most.", LIMITS, type=int, default="30"
        ),
        LIMIT["budget"],
        LIMIT["max_calls"],
        LIMIT["price"],
        replace(
            PORT,
            flags="--http",
            help="Serve streamable HTTP at this port, under /mcp; 0 takes a free one.",
            default="stdin and stdout",
        ),
        *HOSTS,
        RUNS,
    ),
    """Examples:
  fathom mcp -t openai:gpt-5-mini -e openai:gpt-5 --budget 10
  fathom mcp -t openai:gpt-5-mini -e openai:gpt-5 --budget 10 --http 8788
  fathom mcp -t sim:student -e sim:evaluator --facts sim
""",
)
