"""`fathom drill` and `fathom demo`."""

from typing import Annotated

import typer

from ..environment import RunsDir
from ..options.models import (
    SIM_KEYS,
    Budget,
    Checkpoint,
    DisplayName,
    Json,
    MaxCalls,
    MaxConnections,
    NoCache,
    Offline,
    Prices,
    Seed,
    Timeout,
    model_option,
)

EPILOG = """\b
Examples:
  fathom drill "Chemical elements" -t sim:student -e sim:evaluator
  fathom drill Cardiology -t ollama:llama3 -t openai:gpt-5 -e openai:gpt-5

\b
Keys, from the environment or the nearest .env file:
  OPENAI_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY, …: a provider's models
  TAVILY_API_KEY: web search, which the tiers above TEXTBOOK need

\b
Settings of one model, behind its name in quotes (every role takes them):
  key=VARIABLE name=LABEL header="Name: value" system=@FILE
  -t 'openai@https://host/v1:rag key=RAG_API_KEY name=rag'
  An address of your own is sent no key unless key= names one.

\b
Exit codes:
  0 complete, 1 failed or incomplete, 2 refused before any call,
  3 stopped by its budget, 130 interrupted
"""
"""Below the options of `drill --help`; `\\b` keeps a paragraph's lines as they are."""


PROMPT_NAMES = "aspects, question, check, answer, verdict, concepts"
SimPairs = Annotated[
    list[str] | None,
    typer.Option("--sim", metavar="KEY=VALUE", help=f"Set up the simulated world; may be repeated. {SIM_KEYS}"),
]


def drill_command(
    domains: Annotated[list[str], typer.Argument(metavar="DOMAIN", help="Fields to drill into, in quotes.")],
    target: Annotated[
        list[str] | None,
        model_option("--target", "-t", help="Model under test; may be repeated. [required]"),
    ] = None,
    evaluator: Annotated[
        str | None,
        model_option("--evaluator", "-e", help="Model that writes and checks the questions. [required]"),
    ] = None,
    judge: Annotated[
        str | None,
        model_option("--judge", help="Model that judges. [default: the evaluator]"),
    ] = None,
    facts: Annotated[
        str | None,
        typer.Option(
            "--facts",
            metavar="SOURCES",
            help="wikipedia, mediawiki:URL, folder:PATH, zim:FILE, tavily, europepmc, openalex, sim: a list, or per "
            "tier (COMMON=wikipedia,PROFESSIONAL=folder:guidelines). Quote paths that contain a comma or plus "
            'sign (folder:"a,b"). Paths are stored as absolute. '
            "[default: wikipedia, and tavily above TEXTBOOK if a key is set; sim with a simulated evaluator]",
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", metavar="N", help="Scored probes per depth.")] = 30,
    passes: Annotated[int, typer.Option("-q", "--passes", metavar="K", help="Depths per tier.")] = 3,
    threshold: Annotated[
        float, typer.Option("--threshold", metavar="SHARE", help="Stop when survival falls below this.")
    ] = 0.2,
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", metavar="D", help="Maximum depth. [default: 5 tiers × --passes]")
    ] = None,
    seed: Seed = 42,
    missing: Annotated[
        str,
        typer.Option(
            "--missing",
            metavar="HOW",
            help="Concepts without evidence: exclude (replace them) or wrong (as in the paper).",
        ),
    ] = "exclude",
    verify_questions: Annotated[
        bool, typer.Option(help="First have the evaluator answer each question from the passage alone.")
    ] = True,
    language: Annotated[
        str, typer.Option("--language", metavar="CODE", help="Language of evidence, questions and answers.")
    ] = "en",
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="Date from which 'recent' is counted. [default: today]"),
    ] = None,
    answer_tokens: Annotated[
        int,
        typer.Option("--answer-tokens", metavar="TOKENS", help="Token limit of an answer, including hidden reasoning."),
    ] = 2048,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            "--prompt", metavar="NAME=FILE", help=f"Replace a prompt template with your own file: {PROMPT_NAMES}."
        ),
    ] = None,
    sim: SimPairs = None,
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats",
            metavar="R",
            help="Drills per domain and model, each with different roots; 3 or more give an interval.",
        ),
    ] = 1,
    max_connections: MaxConnections = None,
    timeout: Timeout = 120.0,
    budget: Budget = None,
    max_calls: MaxCalls = None,
    price: Prices = None,
    no_cache: NoCache = False,
    checkpoint: Checkpoint = None,
    offline: Offline = False,
    runs: RunsDir = None,
    display: DisplayName = None,
    as_json: Json = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Skip the question whether one-word domains are meant separately.")
    ] = False,
) -> None:
    """Drill into one or more domains with one or more models, and report how deep their knowledge goes.

    Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).
    """
    given = dict(locals())
    from ...graphs.run.launch import Launch
    from ..launch import run_launch
    from .request import drill_request, is_meant, tell

    asked = drill_request(given)
    tell(asked)
    if not is_meant(asked, yes=yes):
        typer.echo("Cancelled; no model was called.", err=True)
        raise typer.Exit(2)
    raise typer.Exit(run_launch(Launch(asked.specs, asked.options), asked.display, as_json=as_json))


def demo_command(
    display: DisplayName = None,
    runs: RunsDir = None,
    seed: Seed = 42,
) -> None:
    """Drill a simulated student on the chemical elements: 30 probes per depth, no set-up, no cost."""
    drill_command(
        domains=["Chemical elements"],
        target=["sim:student"],
        evaluator="sim:evaluator",
        seed=seed,
        sim=["latency=0.25", "jitter=0.35"],
        runs=runs,
        display=display,
        no_cache=True,  # a demo that is served from a cache shows nothing
    )
