"""The doors of the service, each in one table, from which its description is made."""

import re
from asyncio import Lock, Semaphore, timeout, to_thread
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from aiohttp.web import Application, FileResponse, Request, Response, StreamResponse

from ..state.errors import UsageError
from ..state.worlds import label_of
from ..tools.files.trees import parse_json
from ..tools.runs.folders import RESULT, entry_of, is_running, run_paths
from . import stream
from .child import output_of
from .guard import COOKIE, HEALTH, MOST_BYTES, Guard, Handler, add_headers, problem, same
from .metrics import Metrics
from .studies import STUDY_ID, Problem, Settings, Studies, Study
from .trust import run_of, trusted

LISTED, AT_ONCE, KEPT, BODY_S = 200, 2, 16, 10.0
PAGE = {"/": "page.html", "/page.js": "page.js", "/page.css": "page.css"}
SANDBOX = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""A report has texts of models in it, and no business with the server."""
BOTH, BYTES = ("runs", "studies"), "application/octet-stream"
DOCUMENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "result": (BOTH, ("show", "--json"), "application/json"),
    "report.html": (BOTH, ("report", "-o", "report.html"), "text/html"),
    "rows.csv": (BOTH, ("export",), "text/csv"),
    "log.eval": (("runs",), ("export", "--to", "inspect", "-o", "log.eval"), BYTES),
    "bundle": (("runs",), ("freeze", "-o", "run.fathom"), BYTES),
}
"""What is made of a run, or of all of a study: by which command, and of what type. A file that the
command writes stands last."""
POLICY = ("margin", "must", "prefer")


@dataclass(slots=True)
class Service:
    """The handlers."""

    studies: Studies
    guard: Guard
    metrics: Metrics = field(default_factory=Metrics)
    _commands: Semaphore = field(default_factory=lambda: Semaphore(AT_ONCE))
    _documents: dict[tuple[Any, ...], bytes] = field(default_factory=dict)
    """By what they are made of: name, kind, and digests of the results."""
    _measuring: Lock = field(default_factory=Lock)

    @property
    def runs(self) -> Path:
        return self.studies.settings.runs

    async def health(self, _: Request) -> Response:
        """Whether the server answers."""
        return _reply({"status": "ok"})

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
        with self.studies.draft(content) as file:
            return _reply(await self._command("plan", str(file), "--json"))

    async def post(self, request: Request) -> Response:
        """Run a study; the same one, or one with the same Idempotency-Key, is run once."""
        key = request.headers.get("Idempotency-Key")
        study, new = await self.studies.post(await _body(request), key)
        place = {"Location": f"/v1/studies/{study.id}"}
        return _reply(_described(study), status=202 if new else 200, headers=place)

    async def list_studies(self, _: Request) -> Response:
        """The studies, the newest first."""
        return _reply([_described(study) for study in self.studies.all()])

    async def study(self, request: Request) -> Response:
        """A study with its cells: state, figure, interval, cost."""
        study = self._study(request)
        document = {**_described(study), "cells": []}
        try:
            for cell in await self.studies.cells(study):
                named = {"target": label_of(cell.target)}
                document["cells"].append({**cell.model_dump(mode="json"), **named})
        except UsageError as error:  # a model that the operator offers no more
            document["error"] = self.studies.plain(str(error))
        return _reply(document)

    async def resume(self, request: Request) -> Response:
        """Run a study again that has stopped, with another budget or max_calls if these are sent."""
        limits = await _body(request) if request.body_exists else {}
        return _reply(_described(self.studies.resume(self._study(request), limits)), status=202)

    async def stop(self, request: Request) -> Response:
        """Stop a study: what is in flight is finished; a second time: at once. A server stops only
        what it runs itself."""
        study = self._study(request)
        self.studies.stop(study)
        return _reply(_described(self.studies.open(study.id)), status=202)

    async def events(self, request: Request) -> StreamResponse:
        """The journals of a run or of a study's runs as they are written (SSE, or lines as
        x-ndjson); the id of an event is the byte behind it."""
        about = self._about(request.match_info["name"])

        async def look() -> tuple[Sequence[Path], bool]:
            is_over = await self._is_over(about)
            return await self._folders(about), is_over

        async def look_together() -> tuple[Sequence[Path], bool]:
            view: tuple[Sequence[Path], bool] = await self.studies.share(
                f"look {about.stem}", look, stream.POLL_S
            )
            return view

        return await stream.respond(request, look_together, self.studies.closing)

    async def list_runs(self, _: Request) -> Response:
        """The newest runs."""
        folders = run_paths(self.runs)[-LISTED:]
        folders.reverse()
        return _reply(await to_thread(lambda: [_entry(folder) for folder in folders]))

    async def document(self, request: Request) -> Response:
        """What is made of a run or of a study's runs: result, report.html, rows.csv; of a run also
        log.eval, for Inspect AI, and bundle, as `fathom freeze` writes it."""
        about, name = self._about(request.match_info["name"]), request.path.rpartition("/")[2]
        _, (command, *words), kind = DOCUMENTS[name]
        results = [await to_thread(_digest, folder) for folder in await self._folders(about)]
        key = about, name, *results
        content = self._documents.get(key)
        if content is None:
            content = await self._command(command, str(about), *words)
        if all(results):
            self._documents[key] = content
            while len(self._documents) > KEPT:
                del self._documents[next(iter(self._documents))]
        document = _reply(content, kind)
        if kind == "text/html":
            document.headers["Content-Security-Policy"] = SANDBOX
        return document

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
        words += [str(self._about(str(name))) for name in names]
        return _reply(await self._command(command, "--json", *words))

    async def schema(self, request: Request) -> Response:
        """The JSON schema of a study, an event or a result."""
        return _reply(await output_of("schema", request.match_info["name"]))

    async def openapi(self, _: Request) -> Response:
        """This description."""
        return _reply(described())

    async def measure(self, _: Request) -> Response:
        """Runs, probes, calls, tokens and cost, for Prometheus."""
        states = await self.studies.states()
        async with self._measuring:
            await to_thread(self.metrics.read, [self.runs / run for run in states])
        return Response(text=self.metrics.text(states.values()))

    async def _command(self, *words: str) -> bytes:
        """What a command prints, or writes into the file that stands behind -o."""
        async with self._commands:
            with TemporaryDirectory() as folder:
                file = Path(folder) / "file"
                if words[-2] == "-o":
                    file = file.with_name(words[-1])
                    words = (*words[:-1], str(file))
                try:
                    printed = await output_of(*words, "--runs", str(self.runs))
                except UsageError as error:
                    raise UsageError(self.studies.plain(str(error))) from None
                return file.read_bytes() if file.is_file() else printed

    def _study(self, request: Request) -> Study:
        return self.studies.open(request.match_info["name"])

    def _about(self, name: str) -> Path:
        """The file of the study, or the folder of the run, of this id. Raises Problem."""
        if STUDY_ID.fullmatch(name):
            return self.studies.file(self.studies.open(name).id)
        try:
            return run_of(self.runs, name)
        except UsageError as error:
            raise Problem(404, self.studies.plain(str(error))) from None

    async def _folders(self, about: Path) -> Sequence[Path]:
        if about.parent == self.runs:
            return [about]
        with suppress(UsageError):
            cells = await self.studies.cells(self.studies.open(about.stem))
            return [self.runs / (cell.run or "-") for cell in cells]
        return []

    async def _is_over(self, about: Path) -> bool:
        if about.parent == self.runs:
            return about.name not in await self.studies.going() and not is_running(about)
        return self.studies.open(about.stem).code is not None


def _document_routes() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    for document, (kinds, *_) in DOCUMENTS.items():
        for kind in kinds:
            yield "GET", f"/v1/{kind}/{{name}}/{document}", Service.document


ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("GET", HEALTH, Service.health),
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
    ("GET", "/v1/runs", Service.list_runs),
    *(("GET", f"/v1/{kind}/{{name}}/events", Service.events) for kind in BOTH),
    *_document_routes(),
    ("POST", "/v1/compare", Service.compare),
    ("POST", "/v1/decide", Service.compare),
)


def described() -> dict[str, Any]:
    """The doors as OpenAPI has them."""
    paths = dict[str, dict[str, Any]]()
    text = {"in": "path", "required": True, "schema": {"type": "string"}}
    for method, route, handler in ROUTES:
        path = re.sub(r":[^}]*}", "}", route)
        paths.setdefault(path, {})[method.lower()] = {
            "summary": handler.__doc__,
            "parameters": [{"name": name, **text} for name in re.findall(r"{(\w+)}", path)],
            "responses": {"default": {"description": "The document, or a problem."}},
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
    app.on_response_prepare.append(add_headers)
    app.on_startup.append(service.studies.start)
    app.on_shutdown.append(service.studies.stop_all)
    return app


async def _body(request: Request) -> dict[str, Any]:
    try:
        async with timeout(BODY_S):
            body = await request.read()
    except TimeoutError:
        raise Problem(408, f"The request took over {BODY_S:g} s to arrive.") from None
    content = parse_json(body, "The request")
    if not isinstance(content, dict):
        raise UsageError("The request must be a JSON object.")
    return content


def _reply(content: Any, kind: str = "application/json", **more: Any) -> Response:
    """Bytes stand as they are; all else becomes JSON."""
    body = content if isinstance(content, bytes) else orjson.dumps(content)
    return Response(body=body, content_type=kind, **more)


def _described(study: Study) -> dict[str, Any]:
    document = study.model_dump(mode="json", include={"id", "about", "created", "code", "error"})
    return {**document, "state": study.state, **study.limits}


def _entry(folder: Path) -> dict[str, Any]:
    entry = asdict(entry_of(folder))
    del entry["path"]
    return {**entry, "run": folder.name, "target": label_of(entry["target"])}


def _digest(folder: Path) -> bytes:
    """Of the run's result; empty where there is none."""
    try:
        return blake2b((folder / RESULT).read_bytes(), digest_size=8).digest()
    except OSError:
        return b""
