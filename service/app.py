"""The doors of the service, each in one table, from which its description is made."""

import re
from asyncio import Lock, Semaphore, to_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from aiohttp.web import Application, FileResponse, Request, Response, StreamResponse, json_response

from ..state.errors import UsageError
from ..tools.files.trees import parse_json
from ..tools.runs.folders import entry_of, is_running, run_paths
from . import stream
from .child import output_of
from .guard import COOKIE, MOST_BYTES, Guard, Handler, add_headers, problem, same
from .metrics import Metrics
from .studies import Problem, Settings, Studies, Study
from .trust import run_of, trusted

LISTED, AT_ONCE = 200, 2
PAGE = {"/": "page.html", "/page.js": "page.js", "/page.css": "page.css"}
SANDBOX = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""A report has texts of models in it, and no business with the server."""
DOCUMENTS: dict[str, tuple[tuple[str, ...], str]] = {
    "result": (("show", "--json"), "application/json"),
    "report.html": (("report", "-o", "-"), "text/html"),
    "rows.csv": (("export",), "text/csv"),
}
"""What is made of a run, or of all of a study: by which command, and of what type."""
POLICY = ("margin", "must", "prefer")


@dataclass(slots=True)
class Service:
    """The handlers."""

    studies: Studies
    guard: Guard
    metrics: Metrics = field(default_factory=Metrics)
    _commands: Semaphore = field(default_factory=lambda: Semaphore(AT_ONCE))
    _measuring: Lock = field(default_factory=Lock)

    @property
    def runs(self) -> Path:
        return self.studies.settings.runs

    async def health(self, _: Request) -> Response:
        """Whether the server answers."""
        return _json({"status": "ok"})

    async def page(self, request: Request) -> FileResponse:
        """The live page."""
        return FileResponse(Path(__file__).parent / "page" / PAGE[request.path])

    async def login(self, request: Request) -> Response:
        """Give the browser a cookie for the token."""
        token = (await _body(request)).get("token")
        if self.guard.token is None or not same(str(token), self.guard.token):
            return problem(401, "The token is wrong: the server printed it when it made it.")
        response, secure = Response(status=204), request.scheme == "https"
        response.set_cookie(
            COOKIE, self.guard.cookie, httponly=True, samesite="Strict", secure=secure
        )
        return response

    async def plan(self, request: Request) -> Response:
        """Estimate calls, cost and time of a study; calls no model."""
        content = trusted(await _body(request), self.studies.settings.allowed)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "study.json"
            file.write_bytes(orjson.dumps(content))
            try:
                return _raw(await self._command("plan", str(file), "--json"), "application/json")
            except UsageError as error:
                raise UsageError(str(error).replace(str(file), "the study")) from None

    async def post(self, request: Request) -> Response:
        """Run a study; the same one, or one with the same Idempotency-Key, is run once."""
        key = request.headers.get("Idempotency-Key")
        study, new = await self.studies.post(await _body(request), key)
        place = {"Location": f"/v1/studies/{study.id}"}
        return _json(_about(study), status=202 if new else 200, headers=place)

    async def list_studies(self, _: Request) -> Response:
        """The studies, the newest first."""
        return _json([_about(study) for study in self.studies.all()])

    async def study(self, request: Request) -> Response:
        """A study with its cells: state, figure, interval, cost."""
        study = self._study(request)
        cells = await self.studies.cells(study)
        document = _about(study)
        document["cells"] = [cell.model_dump(mode="json") for cell in cells]
        return _json(document)

    async def resume(self, request: Request) -> Response:
        """Run a study again that has stopped, with another budget or max_calls if these are sent."""
        limits = await _body(request) if request.body_exists else {}
        return _json(_about(self.studies.resume(self._study(request), limits)), status=202)

    async def stop(self, request: Request) -> Response:
        """Stop a study: what is in flight is finished; a second time: at once."""
        study = self._study(request)
        self.studies.stop(study)
        return _json(_about(self.studies.open(study.id)), status=202)

    async def study_events(self, request: Request) -> StreamResponse:
        """The journals of a study's runs as they are written (SSE, or lines as x-ndjson)."""
        study, closing = self._study(request), self.studies.closing

        async def paths() -> Sequence[Path]:
            with suppress(UsageError):
                cells = await self.studies.cells(study)
                return [self.runs / (cell.run or "-") for cell in cells]
            return []

        async def over() -> bool:
            return self.studies.open(study.id).code is not None

        return await stream.respond(request, paths, over, closing, single=False)

    async def run_events(self, request: Request) -> StreamResponse:
        """The journal of a run as it is written; the id of an event is the byte behind it."""
        folder = self._run(request)

        async def paths() -> Sequence[Path]:
            return [folder]

        async def over() -> bool:
            return folder.name not in await self.studies.going() and not is_running(folder)

        return await stream.respond(request, paths, over, self.studies.closing, single=True)

    async def list_runs(self, _: Request) -> Response:
        """The newest runs."""
        folders = run_paths(self.runs)[-LISTED:]
        folders.reverse()
        return _json(await to_thread(lambda: [_entry(folder) for folder in folders]))

    async def document(self, request: Request) -> Response:
        """What is made of a run, or of a study's runs: result, report.html, rows.csv."""
        is_study = request.match_info["kind"] == "studies"
        about = self.studies.file(self._study(request)) if is_study else self._run(request)
        (command, *words), kind = DOCUMENTS[request.match_info["document"]]
        document = _raw(await self._command(command, str(about), *words), kind)
        if kind == "text/html":
            document.headers["Content-Security-Policy"] = SANDBOX
        return document

    async def bundle(self, request: Request) -> Response:
        """A finished run in one file, as `fathom freeze` writes it."""
        with TemporaryDirectory() as folder:
            file = Path(folder) / "run.fathom"
            await self._command("freeze", str(self._run(request)), "-o", str(file))
            return _raw(file.read_bytes(), "application/octet-stream")

    async def compare(self, request: Request) -> Response:
        """Compare the models of `runs`, ids of runs or studies; or decide which of them to take,
        by `margin`, `must` and `prefer`."""
        asked, words = await _body(request), list[str]()
        command = request.path.rpartition("/")[2]
        names = asked.pop("runs", None)
        if not isinstance(names, list) or not names:
            raise UsageError("Send runs: a list of ids of runs or studies.")
        for key, value in asked.items():
            if command != "decide" or key not in POLICY:
                raise UsageError(f"{command} takes no {key[:40]!r} here.")
            for each in value if isinstance(value, list) else [value]:
                words.append(f"--{key}={each}")
        words += [str(self._file_of(str(name))) for name in names]
        return _raw(await self._command(command, "--json", *words), "application/json")

    async def schema(self, request: Request) -> Response:
        """The JSON schema of a study, an event or a result."""
        return _raw(await output_of("schema", request.match_info["name"]), "application/json")

    async def openapi(self, _: Request) -> Response:
        """This description."""
        return _json(described())

    async def measure(self, _: Request) -> Response:
        """Runs, probes, calls, tokens and cost, for Prometheus."""
        cells = await self.studies.cells_of(self.studies.all())
        states = {cell.run: cell.status for cell in cells if cell.run}
        async with self._measuring:
            await to_thread(self.metrics.read, [self.runs / run for run in states])
        return Response(text=self.metrics.text(states.values()))

    async def _command(self, *words: str) -> bytes:
        async with self._commands:
            try:
                return await output_of(*words, "--runs", str(self.runs))
            except UsageError as error:
                raise UsageError(self.studies.plain(str(error))) from None

    def _study(self, request: Request) -> Study:
        return self.studies.open(request.match_info["name"])

    def _run(self, request: Request) -> Path:
        try:
            return run_of(self.runs, request.match_info["name"])
        except UsageError as error:
            raise Problem(404, str(error)) from None

    def _file_of(self, name: str) -> Path:
        with suppress(Problem):
            return self.studies.file(self.studies.open(name))
        return run_of(self.runs, name)


ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("GET", "/healthz", Service.health),
    *(("GET", path, Service.page) for path in PAGE),
    ("POST", "/login", Service.login),
    ("GET", "/openapi.json", Service.openapi),
    ("GET", "/metrics", Service.measure),
    ("GET", "/v1/schema/{name:study|event|result}", Service.schema),
    ("POST", "/v1/plan", Service.plan),
    ("POST", "/v1/studies", Service.post),
    ("GET", "/v1/studies", Service.list_studies),
    ("GET", "/v1/studies/{name}", Service.study),
    ("DELETE", "/v1/studies/{name}", Service.stop),
    ("POST", "/v1/studies/{name}/resume", Service.resume),
    ("GET", "/v1/studies/{name}/events", Service.study_events),
    ("GET", "/v1/runs", Service.list_runs),
    ("GET", "/v1/runs/{name}/events", Service.run_events),
    ("GET", "/v1/runs/{name}/bundle", Service.bundle),
    (
        "GET",
        f"/v1/{{kind:runs|studies}}/{{name}}/{{document:{'|'.join(DOCUMENTS)}}}",
        Service.document,
    ),
    ("POST", "/v1/compare", Service.compare),
    ("POST", "/v1/decide", Service.compare),
)


def described() -> dict[str, Any]:
    """The doors as OpenAPI has them."""
    paths = dict[str, dict[str, Any]]()
    for method, route, handler in ROUTES:
        path = re.sub(r":[^}]*}", "}", route)
        names = re.findall(r"{(\w+)}", path)
        parameters = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in names
        ]
        answers = {"default": {"description": "The document, or a problem as problem+json."}}
        paths.setdefault(path, {})[method.lower()] = {
            "summary": handler.__doc__,
            "parameters": parameters,
            "responses": answers,
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Fathom", "version": "1"},
        "security": [{"token": []}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": paths,
    }


def application(settings: Settings, guard: Guard) -> Application:
    """The service; its studies start with it, and stop with it."""
    app = Application(client_max_size=MOST_BYTES, middlewares=[guard.answer])
    service = Service(Studies(settings), guard)
    for method, path, handler in ROUTES:
        bound: Handler = partial(handler, service)
        app.router.add_route(method, path, bound)

    async def start(_: Application) -> None:
        service.studies.start()

    async def shut(_: Application) -> None:
        await service.studies.aclose()

    app.on_response_prepare.append(add_headers)
    app.on_startup.append(start)
    app.on_shutdown.append(shut)
    return app


async def _body(request: Request) -> dict[str, Any]:
    content = parse_json(await request.read(), "The request")
    if not isinstance(content, dict):
        raise UsageError("The request must be a JSON object.")
    return content


def _json(data: Any, **more: Any) -> Response:
    return json_response(data, dumps=lambda each: orjson.dumps(each).decode(), **more)


def _raw(body: bytes, kind: str) -> Response:
    return Response(body=body, content_type=kind)


def _about(study: Study) -> dict[str, Any]:
    usd, calls = study.limits
    return {
        "id": study.id,
        "state": study.state,
        "created": study.created.isoformat(),
        "budget": usd,
        "max_calls": calls,
        "code": study.code,
        "error": study.error,
    }


def _entry(folder: Path) -> dict[str, Any]:
    entry = asdict(entry_of(folder))
    del entry["path"]
    entry["run"] = folder.name
    return entry
