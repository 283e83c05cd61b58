"""`fathom drill` and `fathom demo`."""

from typing import Annotated

import typer

from ..state.spec import FaultRates
from .places import RunsDir, environment, runs_dir

EPILOG = """\b
Examples:
  fathom drill "Chemical elements" -t sim:student -e sim:evaluator
  fathom drill Cardiology -t ollama:llama3 -t openai:gpt-5 -e openai:gpt-5

\b
Keys, from the environment or the nearest .env file:
  OPENAI_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY, …: a provider's models
  TAVILY_API_KEY: web search, which the tiers above TEXTBOOK need

\b
Exit codes:
  0 complete, 1 failed or incomplete, 2 refused before any call,
  130 interrupted
"""
"""Below the options of `drill --help`; `\\b` keeps a paragraph's lines as they are."""

SIM_KEYS = (
    "Keys: seed; sensitivity, specificity of the judge (0-1); latency, jitter, reverse_window (seconds); "
    f"chance of each fault (0-1): {', '.join(FaultRates.model_fields)}."
)

PROMPT_NAMES = "aspects, question, check, answer, verdict, concepts"
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON: one document, or an array for several runs.")
]
DisplayName = Annotated[
    str | None,
    typer.Option(
        "--display",
        metavar="KIND",
        help="tree, lines, events (JSON lines on stdout) or none. [default: tree on a terminal, else lines]",
    ),
]
SimPairs = Annotated[
    list[str] | None,
    typer.Option("--sim", metavar="KEY=VALUE", help=f"Set up the simulated world; may be repeated. {SIM_KEYS}"),
]


Seed = Annotated[int, typer.Option("--seed", metavar="SEED", help="Seed of every draw.")]


def drill_command(
    domains: Annotated[list[str], typer.Argument(metavar="DOMAIN", help="Fields to drill into, in quotes.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", metavar="MODEL", help="Model under test; may be repeated. [required]"),
    ] = None,
    evaluator: Annotated[
        str | None,
        typer.Option("--evaluator", "-e", metavar="MODEL", help="Model that writes and checks questions. [required]"),
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="MODEL", help="Model that judges. [default: the evaluator]")
    ] = None,
    facts: Annotated[
        str | None,
        typer.Option(
            "--facts",
            metavar="SOURCES",
            help="wikipedia, mediawiki:URL, tavily, sim: a list, or per tier (COMMON=wikipedia,PROFESSIONAL=tavily). "
            "[default: wikipedia, above TEXTBOOK tavily if it has a key; sim with a simulated evaluator]",
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", metavar="N", help="Scored probes per depth.")] = 30,
    passes: Annotated[int, typer.Option("-q", "--passes", metavar="K", help="Depths per tier.")] = 3,
    threshold: Annotated[
        float, typer.Option("--threshold", metavar="SHARE", help="Stop when survival falls below this.")
    ] = 0.2,
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", metavar="D", help="Deepest depth. [default: five tiers of --passes]")
    ] = None,
    seed: Seed = 42,
    missing: Annotated[
        str,
        typer.Option(
            "--missing",
            metavar="HOW",
            help="Concepts without evidence: exclude (replace them) or wrong (as the paper does).",
        ),
    ] = "exclude",
    verify_questions: Annotated[
        bool, typer.Option(help="Let the evaluator answer each question from the passage alone first.")
    ] = True,
    language: Annotated[
        str, typer.Option("--language", metavar="CODE", help="Language of evidence, questions and answers.")
    ] = "en",
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="Day from which 'recent' is counted. [default: today]")
    ] = None,
    answer_tokens: Annotated[
        int, typer.Option("--answer-tokens", metavar="TOKENS", help="Limit of an answer, hidden reasoning included.")
    ] = 2048,
    prompt: Annotated[
        list[str] | None,
        typer.Option("--prompt", metavar="NAME=FILE", help=f"Your own text for a prompt: {PROMPT_NAMES}."),
    ] = None,
    sim: SimPairs = None,
    max_connections: Annotated[
        int | None,
        typer.Option(
            "--max-connections",
            min=1,
            help="Calls at once, per endpoint. [default: 200; 4 for ollama and lmstudio]",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.01, help="Time limit of one call.")
    ] = 120.0,
    runs: RunsDir = None,
    display: DisplayName = None,
    as_json: Json = False,
) -> None:
    """Drill into one or more domains with one or more models, and report how deep their knowledge goes.

    Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).
    """
    from ..graphs.run import LaunchOptions
    from ..tools.facts.registry import Sources
    from ..tools.models.clients import Limits
    from .launch import pick_display, run_launch
    from .options import choose_facts, choose_models, make_specs, parse_date, parse_sim, read_prompts, required

    shown = pick_display(display, as_json)
    required("DOMAIN", domains, "name the field to drill into, in quotes when it has spaces.")
    cast = choose_models(target or [], evaluator, judge)
    env = environment()
    world, timing = parse_sim(sim or [])
    plan = choose_facts(facts, cast, env)
    clock = LaunchOptions().clock
    specs = make_specs(
        domains,
        cast,
        world=world,
        world_given=bool(sim),
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
    Sources(env, clock=clock.now, language=language)  # its settings are refused here, before a folder is made
    options = LaunchOptions(
        env=env,
        runs=runs_dir(runs, env),
        limits=Limits(max_connections=max_connections, timeout_s=timeout),
        timing=timing,
    )
    if plan.notice and shown != "none" and specs[0].max_depth > len(plan.facts) * passes:
        typer.echo(plan.notice, err=True)
    raise typer.Exit(run_launch(specs, options, shown, as_json=as_json))


def demo_command(
    display: DisplayName = None,
    runs: RunsDir = None,
    seed: Seed = 42,
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
