"""`fathom drill` and `fathom demo`."""

from typing import TYPE_CHECKING, Annotated

import typer

from ..state.errors import UsageError
from ..state.spec import is_simulated
from .places import RunsDir, environment, runs_dir

if TYPE_CHECKING:
    from ..sim.server import Timing

Json = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON: one document, or an array for several runs.")
]
DisplayName = Annotated[
    str | None,
    typer.Option("--display", help="tree, lines, events (JSON lines on stdout) or none. [default: tree on a terminal]"),
]
SimPairs = Annotated[
    list[str] | None,
    typer.Option(
        "--sim", metavar="KEY=VALUE", help="Set up the simulated world: seed, latency, sensitivity, rate_limit, …"
    ),
]


def drill_command(
    domains: Annotated[list[str], typer.Argument(metavar="DOMAIN...", help="Domains to drill into.")],
    target: Annotated[
        list[str] | None, typer.Option("--target", "-t", metavar="MODEL", help="Model under test; may be repeated.")
    ] = None,
    evaluator: Annotated[
        str | None, typer.Option("--evaluator", "-e", metavar="MODEL", help="Model that writes and checks questions.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="MODEL", help="Model that judges. [default: the evaluator]")
    ] = None,
    facts: Annotated[
        str | None,
        typer.Option(
            "--facts",
            metavar="SOURCES",
            help="wikipedia, mediawiki:URL, tavily, sim: a list, or per tier (COMMON=wikipedia,PROFESSIONAL=tavily).",
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", help="Scored probes per depth.")] = 30,
    passes: Annotated[int, typer.Option("-q", "--passes", help="Depths per tier.")] = 3,
    threshold: Annotated[float, typer.Option("--threshold", help="Stop when survival falls below this.")] = 0.2,
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", help="Deepest depth. [default: five tiers of --passes]")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of every draw.")] = 42,
    missing: Annotated[
        str, typer.Option("--missing", help="Concepts without evidence: exclude (replace them) or wrong (the paper).")
    ] = "exclude",
    verify_questions: Annotated[
        bool, typer.Option(help="Let the evaluator answer each question from the passage alone first.")
    ] = True,
    language: Annotated[str, typer.Option("--language", help="Language of evidence, questions and answers.")] = "en",
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="Day from which 'recent' is counted. [default: today]")
    ] = None,
    answer_tokens: Annotated[int, typer.Option("--answer-tokens", help="Limit of an answer, in tokens.")] = 2048,
    prompt: Annotated[
        list[str] | None, typer.Option("--prompt", metavar="NAME=FILE", help="Use your own text for a prompt.")
    ] = None,
    sim: SimPairs = None,
    max_connections: Annotated[
        int, typer.Option("--max-connections", min=1, help="Calls at once, per endpoint.")
    ] = 200,
    timeout: Annotated[float, typer.Option("--timeout", min=0.01, help="Seconds for one call.")] = 120.0,
    runs: RunsDir = None,
    display: DisplayName = None,
    as_json: Json = False,
) -> None:
    """Drill into one or more domains with one or more models, and report how deep their knowledge goes.

    Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).
    """
    from ..graphs.run import LaunchOptions, check_persona
    from ..tools.facts.registry import Sources, parse_facts
    from ..tools.models.clients import Limits
    from .launch import pick_display, run_launch
    from .options import distinct, make_spec, one_name, own_world, parse_date, parse_sim, read_prompts, required

    shown = pick_display(display, as_json)
    required("DOMAIN", domains, "name the field to drill into, in quotes when it has spaces.")
    targets = distinct(
        required("--target", target or [], "name the model under test, as in --target openai:gpt-5-mini.")
    )
    (chosen,) = required(
        "--evaluator",
        [evaluator or ""],
        "it writes, checks and judges the questions, and is never chosen for you; as in --evaluator openai:gpt-5.",
    )
    chosen = chosen.strip()
    for name in (*targets, chosen, judge or chosen):
        check_persona(name)
    env = environment()
    world, timing = parse_sim(sim or [])
    plan = parse_facts(facts or same_world(chosen), env, simulated=is_simulated(chosen))
    clock = LaunchOptions().clock
    specs = [
        make_spec(
            domain=one_name(domain),
            target=model,
            evaluator=chosen,
            judge=(judge or chosen).strip(),
            facts=plan.facts,
            n=n,
            passes=passes,
            threshold=threshold,
            max_depth=5 * passes if max_depth is None else max_depth,
            seed=seed,
            missing=missing,
            verify_questions=verify_questions,
            language=language,
            as_of=parse_date(as_of, clock.now().date()),
            answer_tokens=answer_tokens,
            prompts=read_prompts(prompt or []),
        )
        for domain in distinct(domains)
        for model in targets
    ]
    specs = [spec.model_copy(update={"world": world}) if own_world(spec) else spec for spec in specs]
    Sources(env, clock=clock.now, language=language)  # its settings are refused here, before a folder is made
    options = LaunchOptions(
        env=env,
        runs=runs_dir(runs),
        limits=Limits(max_connections=max_connections, timeout_s=timeout),
        timing=make_timing(timing),
    )
    if sim and not any(own_world(spec) for spec in specs):
        raise UsageError(
            "--sim sets up the simulated world that a drill starts for itself, but no model or source named here is in "
            "it: name one such as sim:student, or leave --sim out."
        )
    if plan.notice and shown != "none" and specs[0].max_depth > len(plan.facts) * passes:
        typer.echo(plan.notice, err=True)
    raise typer.Exit(run_launch(specs, options, shown, as_json=as_json))


def same_world(evaluator: str) -> str | None:
    """The source that belongs to a simulated evaluator at an address of its own; None for every other evaluator."""
    from ..tools.models.address import parse_model

    address = parse_model(evaluator)
    if address.provider != "sim" or address.base_url is None:
        return None
    return f"sim@{address.base_url.removesuffix('/v1')}"


def make_timing(seconds: dict[str, float]) -> "Timing":
    """The world's timing from the `--sim` keys latency, jitter and reverse_window."""
    from ..sim.server import Timing

    return Timing(**{f"{key}_s": value for key, value in seconds.items()})


def demo_command(
    display: DisplayName = None,
    runs: RunsDir = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of every draw.")] = 42,
) -> None:
    """Drill a simulated student on the chemical elements: 30 probes per depth, nothing to set up, nothing to pay."""
    drill_command(
        domains=["Chemical elements"],
        target=["sim:student"],
        evaluator="sim:evaluator",
        seed=seed,
        sim=["latency=0.25", "jitter=0.35"],
        runs=runs,
        display=display,
    )
