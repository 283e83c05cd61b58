"""`fathom eqt`."""

from pathlib import Path
from typing import Annotated

import typer

from ..environment import RunsDir
from ..options.models import (
    SIM_KEYS,
    Budget,
    Checkpoint,
    DisplayName,
    JsonOfAll,
    MaxCalls,
    MaxConnections,
    NoCache,
    Offline,
    Prices,
    Seed,
    Timeout,
    model_option,
)
from ..options.shown import Benchmark, Plots

EPILOG = """\b
Examples:
  fathom eqt Entropy "Nash equilibrium" -t sim:student
  fathom eqt --concepts law.txt -t ollama:llama3 -t openai:gpt-5 --open-book
  fathom eqt --concepts mmlu.json -t openai:gpt-5 --benchmark scores.csv
  fathom plan eqt --concepts mmlu.json --limit 28 -t openai:gpt-5
  fathom eqt Entropy -t sim:accuracy=0.7,instability=0.2

\b
Files:
  concepts: one per line, under a line [category] if there are categories;
    or JSON, {"category": ["concept", …]} or a list
  benchmark: CSV with the columns model, category, score
  - reads either of them from stdin

\b
Simulated models with known true values, at no cost:
  sim:accuracy=0.7,instability=0.2 answers as its settings say; also with
    unreadable, favourite, malformed_questions (shares from 0 to 1); settings
    can also follow a persona: sim:student,instability=0.3

\b
Keys, from the environment or the nearest .env file:
  OPENAI_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY, …: a provider's models

\b
Exit codes:
  0 complete, 1 failed or incomplete, 2 refused before any call,
  3 stopped by its budget, 130 interrupted
"""
"""Below the options of `eqt --help`; `\\b` keeps a paragraph's lines as they are."""

EQT_PROMPT_NAMES = "explanation, choice_question, paraphrase, same_question, choice, open_book, attribution"

EqtSim = Annotated[
    list[str] | None,
    typer.Option(
        "--sim",
        metavar="KEY=VALUE",
        help="Set up the simulated world; may be repeated. What a model knows is set in its name:"
        f" sim:accuracy=0.7,instability=0.2. {SIM_KEYS}",
    ),
]


def eqt_command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="CONCEPT", help="Concepts to test, each in quotes. [or --concepts]")
    ] = None,
    concepts: Annotated[
        Path | None,
        typer.Option("--concepts", metavar="FILE", help="Concepts from a text file, from JSON, or from stdin (-)."),
    ] = None,
    target: Annotated[
        list[str] | None,
        model_option("--target", "-t", help="Model under test; may be repeated. [required]"),
    ] = None,
    examiner: Annotated[
        str | None,
        model_option("--examiner", help="Model that explains, asks and paraphrases. [default: the target itself]"),
    ] = None,
    judge: Annotated[
        str | None,
        model_option("--judge", help="Model that checks paraphrases and attributes failures. [default: examiner]"),
    ] = None,
    questions: Annotated[int, typer.Option("--questions", metavar="Q", help="Questions per concept.")] = 5,
    options: Annotated[int, typer.Option("--options", metavar="O", help="Options per question (2-26).")] = 10,
    paraphrases: Annotated[int, typer.Option("--paraphrases", metavar="K", help="Paraphrases per question.")] = 3,
    open_book: Annotated[
        bool, typer.Option("--open-book", help="Also ask each question with the explanation included.")
    ] = False,
    shuffle_options: Annotated[
        bool, typer.Option(help="Shuffle the options each time a question is asked; the paper keeps one order.")
    ] = True,
    verify_paraphrases: Annotated[
        bool, typer.Option("--verify-paraphrases", help="Have the judge check that each paraphrase asks the same.")
    ] = False,
    attribute: Annotated[
        int, typer.Option("--attribute", metavar="N", help="Have the judge say what caused N wrong answers.")
    ] = 0,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", help="Test at most N concepts, taken from the categories in turn."),
    ] = None,
    benchmark: Benchmark = None,
    plots: Plots = None,
    seed: Seed = 42,
    language: Annotated[
        str, typer.Option("--language", metavar="CODE", help="Language of explanations, questions and options.")
    ] = "en",
    answer_tokens: Annotated[
        int,
        typer.Option("--answer-tokens", metavar="TOKENS", help="Token limit of an answer, including hidden reasoning."),
    ] = 2048,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            "--prompt", metavar="NAME=FILE", help=f"Replace a prompt template with your own file: {EQT_PROMPT_NAMES}."
        ),
    ] = None,
    sim: EqtSim = None,
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
    as_json: JsonOfAll = False,
) -> None:
    """Explain-Query-Test: a model explains concepts, then answers questions about its own explanations.

    Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).
    """
    given = dict(locals())
    from ...reports.page.sanitise import one_line
    from .request import eqt_request, launch_eqt

    asked = eqt_request(given)
    if asked.display != "none":
        for notice in asked.notices:
            typer.echo(one_line(notice), err=True)
    raise typer.Exit(launch_eqt(asked, as_json=as_json))
