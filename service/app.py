"""The doors of the service, each in one table, from which its description is made."""

import re
from asyncio import Semaphore, timeout, to_thread
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from aiohttp.web import (
    Application,
    FileResponse,
    HTTPNotFound,
    HTTPRequestTimeout,
    HTTPUnauthorized,
    Request,
    Response,
    StreamResponse,
)

from ..graphs.outcome import entry_of
from ..state.errors import UsageError
from ..state.worlds import label_of
from ..tools.files.trees import parse_json
from ..tools.runs.folders import is_running, run_paths
from . import stream
from .child import output_of
from .guard import COOKIE, HEALTH, MOST_BYTES, Guard, add_headers, same
from .studies import STUDY_ID, Studies, Study
from .trust import run_of, trusted

LISTED, AT_ONCE, BODY_S = 200, 2, 10.0
PAGE = {"/": "page.html", "/page.js": "page.js", "/page.css": "page.css"}
SANDBOX = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""A report has texts of models in it, and no business with the server."""
BYTES = "application/octet-stream"
DOCUMENTS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "result": ("runs|studies", ("show", "--json"), "application/json"),
    "report.html": ("runs|studies", ("report", "-o", "report.html"), "text/html"),
    "rows.csv": ("runs|studies", ("export",), "text/csv"),
    "log.eval": ("runs", ("export", "--to", "inspect", "-o", "log.eval"), BYTES),
    "bundle": ("runs", ("freeze", "-o", "run.fathom"), BYTES),
}
"""What is made of a run, or of all of a study: by which command, and of what type. A file that the
command writes stands last."""
POLICY = ("margin", "must", "prefer")


@dataclass(slots=True)
class Service:
    """The handlers."""

    studies: Studies
    guard: Guard
    _commands: Semaphore = field(default_factory=lambda: Semaphore(AT_ONCE))

    @property
    def runs(self) -> Path:
        return self.studies.runs

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
            raise HTTPUnauthorized(
                text="The token is wrong: the server printed it when it made it."
            )
        response, secure = Response(status=204), request.scheme == "https"
        response.set_cookie(
            COOKIE, self.guard.cookie, httponly=True, samesite="Strict", secure=secure
        )
        return response

    async def plan(self, request: Request) -> Response:
        """Estimate calls, cost and time of a study; calls no model."""
        content = trusted(await _body(request), self.studies.allowed)
        with self.studies.draft(content) as file:
            return _reply(await self._command("plan", str(file), "--json"))

    async def post(self, request: Request) -> Response:
        """Run a study; the same one, or one with the same Idempotency-Key, is run once."""
        key = request.headers.get("Idempotency-Key")
        study, is_new = await self.studies.post(await _body(request), key)
        response = _reply(_described(study), status=202 if is_new else 200)
        response.headers["Location"] = f"/v1/studies/{study.id}"
        return response

    async def list_studies(self, _: Request) -> Response:
        """The studies, the newest first."""
        return _reply([_described(study) for study in self.studies.all()])

    async def study(self, request: Request) -> Response:
        """A study with its cells: state, figure, interval, cost."""
        study = self._study(request)
        document = {**_described(study), "cells": []}
        try:
            for cell in await self.studies.cells(study):
                label = {"target": label_of(cell.target)}
                document["cells"].append({**cell.model_dump(mode="json"), **label})
        except UsageError as error:  # a model that the operator offers no more
            document["error"] = self.studies.plain(str(error))
        return _reply(document)

    async def resume(self, request: Request) -> Response:
        """Run a study again that has stopped, with another budget or max_calls if these are sent."""
        limits = await _body(request) if request.body_exists else {}
        study = self.studies.resume(self._study(request), limits)
        return _reply(_described(study), status=202)

    async def stop(self, request: Request) -> Response:
        """Stop a study: what is in flight is finished; a second time: at once. A server stops only
        what it runs itself."""
        self.studies.stop(self._study(request))
        return _reply(_described(self._study(request)), status=202)

    async def events(self, request: Request) -> StreamResponse:
        """The journals of a run or of a study's runs as they are written (SSE, or lines as
        x-ndjson); the id of an event is the byte behind it."""
        about = self._about(request.match_info["name"])

        async def look() -> tuple[Sequence[Path], bool]:
            is_over = await self._is_over(about)
            return await self._folders(about), is_over

        shared = partial(self.studies.share, f"look {about.stem}", look, stream.POLL_S)
        return await stream.respond(request, shared, self.studies.closing)

    async def list_runs(self, _: Request) -> Response:
        """The newest runs."""
        folders = run_paths(self.runs)[-LISTED:]
        return _reply(await to_thread(lambda: [_entry(folder) for folder in reversed(folders)]))

    async def document(self, request: Request) -> Response:
        """What is made of a run or of a study's runs: result, report.html, rows.csv; of a run also
        log.eval, for Inspect AI, and bundle, as `fathom freeze` writes it."""
        about = self._about(request.match_info["name"])
        _, (command, *words), kind = DOCUMENTS[request.match_info["document"]]
        document = _reply(await self._command(command, str(about), *words), kind)
        if kind == "text/html":
            document.headers["Content-Security-Policy"] = SANDBOX
        return document

    async def compare(self, request: Request) -> Response:
        """Compare the models of `runs`, ids of runs or studies; or decide which of them to take,
        by `margin`, `must` and `prefer`."""
        content, words = await _body(request), list[str]()
        command = request.path.rpartition("/")[2]
        names = content.pop("runs", None)
        if not isinstance(names, list) or not names:
            raise UsageError("Send runs: a list of ids of runs or studies.")
        for key, value in content.items():
            if command != "decide" or key not in POLICY:
                raise UsageError(f"{command} takes no {key[:40]!r} here.")
            values = value if isinstance(value, list) else [value]
            words += [f"--{key}={text}" for text in values]
        words += [str(self._about(str(name))) for name in names]
        return _reply(await self._command(command, "--json", *words))

    async def schema(self, request: Request) -> Response:
        """The JSON schema of a study, an event or a result."""
        return _reply(await output_of("schema", request.match_info["name"]))

    async def openapi(self, _: Request) -> Response:
        """This description."""
        return _reply(described())

    async def measure(self, _: Request) -> Response:
        """Runs by state, and calls and cost by target, for Prometheus."""
        counts: Any = Counter()
        for study in self.studies.all():
            for cell in await self.studies.cells_or_unknown(study):
                target = orjson.dumps(label_of(cell.target)).decode()
                counts[f'fathom_runs{{state="{cell.status}"}}'] += 1
                counts[f"fathom_calls_total{{target={target}}}"] += cell.calls
                counts[f"fathom_cost_usd_total{{target={target}}}"] += cell.usd or 0
        return Response(text="".join(f"{name} {n:g}\n" for name, n in sorted(counts.items())))

    async def _command(self, *words: str) -> bytes:
        """What a command prints, or writes into the file that stands behind -o."""
        async with self._commands:
            with TemporaryDirectory() as folder:
                file = Path(folder) / words[-1]
                if words[-2] == "-o":
                    words = (*words[:-1], str(file))
                printed = await output_of(*words, "--runs", str(self.runs))
                return file.read_bytes() if words[-2] == "-o" else printed

    def _study(self, request: Request) -> Study:
        return self.studies.open(request.match_info["name"])

    def _about(self, name: str) -> Path:
        """The file of the study, or the folder of the run, of this id. Raises HTTPNotFound."""
        if STUDY_ID.fullmatch(name):
            return self.studies.file(self.studies.open(name).id)
        try:
            return run_of(self.runs, name)
        except UsageError as error:
            raise HTTPNotFound(text=str(error)) from None

    async def _folders(self, about: Path) -> Sequence[Path]:
        if about.parent == self.runs:
            return [about]
        cells = await self.studies.cells_or_unknown(self.studies.open(about.stem))
        return [self.runs / (cell.run or "-") for cell in cells]

    async def _is_over(self, about: Path) -> bool:
        if about.parent == self.runs:
            return about.name not in await self.studies.unfinished() and not is_running(about)
        return self.studies.open(about.stem).code is not None


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
    ("GET", "/v1/{kind:runs|studies}/{name}/events", Service.events),
    *(
        ("GET", f"/v1/{{kind:{kinds}}}/{{name}}/{{document:{document}}}", Service.document)
        for document, (kinds, *_) in DOCUMENTS.items()
    ),
    ("POST", "/v1/compare", Service.compare),
    ("POST", "/v1/decide", Service.compare),
)


def described() -> dict[str, Any]:
    """The doors as OpenAPI has them."""
    paths = dict[str, dict[str, Any]]()
    for method, route, handler in ROUTES:
        parameters = [
            {"in": "path", "name": name, "required": True, "schema": {"pattern": words or ".+"}}
            for name, words in re.findall(r"{(\w+):?([^}]*)}", route)
        ]
        paths.setdefault(re.sub(r":[^}]*}", "}", route), {})[method.lower()] = {
            "summary": handler.__doc__,
            "parameters": parameters,
            "responses": {"default": {"description": "The document, or a problem."}},
        }
    return {"openapi": "3.1.0", "info": {"title": "Fathom", "version": "1"}, "paths": paths}


def application(studies: Studies, guard: Guard) -> Application:
    """The service; its studies start with it, and stop with it."""
    app = Application(client_max_size=MOST_BYTES, middlewares=[guard.answer])
    service = Service(studies, guard)
    guard.plain = studies.plain
    for method, path, handler in ROUTES:
        bound: Any = partial(handler, service)
        app.router.add_route(method, path, bound)
    app.on_response_prepare.append(add_headers)
    app.on_startup.append(studies.start)
    app.on_shutdown.append(studies.stop_all)
    return app


async def _body(request: Request) -> dict[str, Any]:
    try:
        async with timeout(BODY_S):
            body = await request.read()
    except TimeoutError:
        raise HTTPRequestTimeout(
            text=f"The request took over {BODY_S:g} s to arrive."
        ) from None
    content = parse_json(body, "The request")
    if not isinstance(content, dict):
        raise UsageError("The request must be a JSON object.")
    return content


def _reply(content: Any, kind: str = "application/json", status: int = 200) -> Response:
    """Bytes stand as they are; all else becomes JSON."""
    body = content if isinstance(content, bytes) else orjson.dumps(content)
    return Response(body=body, content_type=kind, status=status)


def _described(study: Study) -> dict[str, Any]:
    document = study.model_dump(
        mode="json", include={"id", "about", "created", "code", "error"}
    )
    return {**document, "state": study.state, **study.limits}


def _entry(folder: Path) -> dict[str, Any]:
    entry = entry_of(folder).document()
    return {**entry, "run": folder.name, "target": label_of(entry["target"])}
