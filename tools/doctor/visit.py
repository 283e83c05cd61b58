"""One visit of the doctor: everything that was asked for, what waits for others at the same time,
in a fixed order."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ...state.errors import UsageError
from ...state.spec import is_simulated, label_of
from ..facts.plan import KEY, kind_of, reaches_beyond_textbook
from ..models.address import key_variables, parse_model
from ..models.family import family_notices
from ..offline import check_tracing, host_of, traced_to
from . import machine, models, sources
from .finding import Finding, without_keys
from .models import Asking


@dataclass(frozen=True, slots=True)
class Patient:
    """What to look at. `roles`: (role, model) pairs; the same model may have several roles."""

    roles: tuple[tuple[str, str], ...]
    sources: tuple[str, ...]
    runs: Path
    env: Mapping[str, str] = field(repr=False)
    """Never shown: it holds keys."""
    process: Mapping[str, str] = field(repr=False)
    """The process environment alone: proxies are heeded there and nowhere else."""
    folder: Path
    """The working folder, where the search for a `.env` begins."""
    askings: Mapping[str, Asking] = field(default_factory=dict, repr=False)
    """Role → how a run asks it, for `call`."""
    language: str = "en"
    offline: bool = False
    call: bool = False
    """Also make one short call to each model, and one search where a source takes a key."""

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(model for _, model in self.roles))

    def askings_of(self, model: str) -> list[Asking]:
        """The ways in which its roles are asked, each once."""
        return list(dict.fromkeys(self.askings[role] for role, name in self.roles if name == model))


async def visit(patient: Patient, now: datetime, *, sim_url: str | None = None) -> list[Finding]:
    """Every finding, none of them with a key in it. Takes as long as the slowest answer: seconds
    when nothing answers.

    `sim_url`: where the simulated world is that a call to one of its models goes to. Raises
    UsageError for a malformed name of a model or source.
    """
    env = patient.env
    findings = [
        *machine.versions(),
        machine.disk(patient.runs, "folder of the runs"),
        *await asyncio.to_thread(machine.cache, env),
        *machine.settings(env, patient.process, patient.folder),
        *machine.keys(env, _needed(patient)),
        *_no_web_search(patient),
        *await _asked(patient, now, sim_url),
        *_kinship(patient),
        *_leaving(patient),
    ]
    return without_keys(findings, env)


def _kinship(patient: Patient) -> list[Finding]:
    """Judges and evaluators of a target's own family."""
    named = dict(patient.roles)
    judge, evaluator = named.get("judge"), named.get("evaluator")
    targets = [model for role, model in patient.roles if role == "target"]
    if judge is None:
        return []
    return [
        Finding(
            "models",
            f"judge and target share a model family ({label_of(target)})",
            "warning",
            notice,
        )
        for target in targets
        for notice in family_notices(target, evaluator or judge, judge)
    ]


def _needed(patient: Patient) -> list[str]:
    names = [
        name for model in patient.models for name in key_variables(parse_model(model), patient.env)
    ]
    return (
        [*names, KEY] if any(kind_of(source) == "tavily" for source in patient.sources) else names
    )


def _no_web_search(patient: Patient) -> list[Finding]:
    """What a drill lacks without a key for web search; nothing where other sources, or a simulated
    world, serve it."""
    simulated = bool(patient.models) and all(is_simulated(model) for model in patient.models)
    if patient.env.get(KEY, "").strip() or simulated or reaches_beyond_textbook(patient.sources):
        return []
    said = "not set, so there is no web search: a drill ends after its TEXTBOOK tier"
    return [
        Finding(
            "keys",
            KEY,
            "warning",
            said,
            "set it, or name sources for PROFESSIONAL and above with --facts",
        )
    ]


async def _asked(patient: Patient, now: datetime, sim_url: str | None) -> list[Finding]:
    env, offline = patient.env, patient.offline
    looked: list[Coroutine[None, None, Finding]] = [
        *(models.examine(model, env, offline=offline) for model in patient.models),
        *(
            sources.examine(
                source, env, now, language=patient.language, offline=offline, search=patient.call
            )
            for source in patient.sources
        ),
    ]
    found = list(await asyncio.gather(*looked))
    return [*found, *await _called(patient, found, sim_url)] if patient.call else found


async def _called(patient: Patient, found: Sequence[Finding], sim_url: str | None) -> list[Finding]:
    """A call to each model that nothing is known to stand in the way of."""
    hopeless = {
        each.subject for each in found if each.topic == "models" and each.level == "failure"
    }
    clients = models.calling(patient.env, sim_url)
    try:
        calls = [
            models.call(model, patient.askings_of(model), clients, patient.env)
            for model in patient.models
            if label_of(model) not in hopeless
        ]
        return list(await asyncio.gather(*calls))
    finally:
        await clients.aclose()


def _leaving(patient: Patient) -> list[Finding]:
    """What would leave this machine in a run, and to whom."""
    found = [models.told(role, model, patient.env) for role, model in patient.roles]
    found += [sources.told(source, patient.env, patient.language) for source in patient.sources]
    url = traced_to(patient.env)
    if url is not None:
        found.append(_traced(url, patient))
    elif not found:
        said = "nothing: no model is named, and Fathom sends no telemetry"
        found.append(Finding("leaves", "what leaves this machine", "ok", said))
    return found


def _traced(url: str, patient: Patient) -> Finding:
    try:
        if patient.offline:
            check_tracing(patient.env)
    except UsageError as error:
        return Finding("leaves", "LangSmith's tracing", "failure", str(error))
    said = f"it is switched on: every prompt and answer of a run → {host_of(url)}"
    return Finding(
        "leaves",
        "LangSmith's tracing",
        "warning",
        said,
        "unset LANGSMITH_TRACING if you do not want that",
    )


def needs_world(patient: Patient) -> bool:
    """Whether a call would go to a simulated world that has to be started first."""
    return patient.call and any(
        is_simulated(model) and not model.startswith("sim@") for model in patient.models
    )
