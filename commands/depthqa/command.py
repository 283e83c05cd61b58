"""`fathom depthqa`: build a graph of questions at three depths, ask it, draw it."""

from pathlib import Path
from typing import Annotated

import typer

from ..environment import RunsDir
from ..freeze import Force
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
from ..options.shown import Human, Plots, ReferenceMetrics

EXIT_CODES = """\b
Exit codes:
  0 complete, 1 failed or incomplete, 2 refused before any call,
  3 stopped by its budget, 130 interrupted
"""
KEYS = """\b
Keys, from the environment or the nearest .env file:
  OPENAI_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY, …: a provider's models
"""
BUILD_EPILOG = f"""\b
Examples:
  fathom depthqa build examples/depthqa_elements.csv -e sim:evaluator \\
    -o graph.json --drawing graph.svg
  fathom depthqa build questions.txt -e openai:gpt-5 --classify --check
  fathom plan depthqa build questions.txt -e openai:gpt-5

\b
QUESTIONS:
  text with one question per line, or CSV, JSON, JSON lines or Parquet with
  question and, if there are any, id, reference (else answer), key_points and
  domain; - reads stdin

{KEYS}
{EXIT_CODES}"""
"""Below the options of `build --help`; `\\b` keeps a paragraph's lines as they are."""
ASK_EPILOG = f"""\b
Examples:
  fathom depthqa ask graph.json -t sim:student --judge sim:evaluator
  fathom depthqa ask last -t ollama:llama3 -t openai:gpt-5 \\
    --judge openai:gpt-5 --mode zero-shot,multi-turn --plots plots
  fathom depthqa ask published/ --answers theirs.json --judge openai:gpt-5
  fathom plan depthqa ask graph.json -t openai:gpt-5 --judge openai:gpt-5

\b
GRAPH:
  what build wrote; a run of build, by its folder, its id or last; a folder
  with the published tables (questions, nodes, node_to_q); or rows in CSV,
  JSON, JSON lines or Parquet with id, depth, question, reference and
  predecessors; - reads stdin

\b
Simulated models with known true values, at no cost:
  sim:d1=0.9,d2=0.8,d3=0.7,slips=0.1 knows as its settings say; settings can
    also follow a persona: sim:student,d3=0.2
  d1: chance of knowing a fact; d2, d3: chance of working out a question once
    all it rests on is known; slips: share of wrong answers to questions asked
    alone (depths 1 and 2) where the model knows the answer when it needs it;
    with_context, guided: gain from quoted answers; the default is 0, and then
    the modes do not differ

\b
Limits:
  under --max-calls or --budget a tree of questions starts only if its worst
  case fits (for the price, part of it)

\b
Files:
  answers: rows with id (or question) and predicted_answer (else response,
    prediction, answer), mode if any; or a JSON object of id and text; GRAPH
    may be left out where rows also name depth, question and reference
  human scores: CSV with the columns id, rater, score (1-5), mode if any

{KEYS}
{EXIT_CODES}"""
DRAW_EPILOG = """\b
Example:
  fathom depthqa draw graph.json -o graph.svg
"""

BUILD_PROMPT_NAMES = "classification, reference_answer, deconstruction, open_question, augmentation, relation"
ASK_PROMPT_NAMES = "depth_answer, depth_with_context, rating"

depthqa_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="DepthQA: does a model that answers a deep question also know the shallower ones it rests on, and vice versa?",
)

SIM_HELP = f"Set up the simulated world; may be repeated. {SIM_KEYS}"
DepthSim = Annotated[list[str] | None, typer.Option("--sim", metavar="KEY=VALUE", help=SIM_HELP)]


def build_command(
    questions: Annotated[
        Path | None,
        typer.Argument(metavar="QUESTIONS", help="File of questions of depth 3 (up to 32 MB), or - for stdin."),
    ] = None,
    evaluator: Annotated[
        str | None,
        model_option("--evaluator", "-e", help="Model that writes the graph. [required]"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Graph to write, as in graph.json. [default: in the run]"),
    ] = None,
    drawing: Annotated[
        Path | None, typer.Option("--drawing", metavar="FILE", help="Also draw the graph, as in graph.svg.")
    ] = None,
    force: Force = False,
    classify: Annotated[
        bool, typer.Option("--classify", help="First classify the depth of each question; keep those of depth 3.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Rate every relation for comprehensiveness and implicitness.")
    ] = False,
    width: Annotated[
        int, typer.Option("--width", metavar="W", help="Maximum number of questions below each question (1-8).")
    ] = 4,
    embeddings: Annotated[
        str,
        model_option("--embeddings", help="Embeddings model used to find similar questions."),
    ] = "lexical",
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name of the graph. [default: the file's]")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", help="At most N questions, taken from the domains in turn."),
    ] = None,
    seed: Seed = 42,
    language: Annotated[str, typer.Option("--language", metavar="CODE", help="Language of the questions.")] = "en",
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            "--prompt", metavar="NAME=FILE", help=f"Replace a prompt template with your own file: {BUILD_PROMPT_NAMES}."
        ),
    ] = None,
    sim: DepthSim = None,
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
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Build a graph: deconstruct questions of depth 3 (strategic) into depth 2 (procedural) and 1 (factual)."""
    given = dict(locals())
    from ..launch import tell
    from .build_request import build_request, launch_build

    asked = build_request(given)
    tell(asked.notices, asked.display)
    raise typer.Exit(launch_build(asked, as_json=as_json))


def ask_command(
    graph: Annotated[
        str | None, typer.Argument(metavar="GRAPH", help="Graph to ask about (up to 32 MB). [or --answers]")
    ] = None,
    target: Annotated[
        list[str] | None,
        model_option(
            "--target",
            "-t",
            help="Model under test; may be repeated. With --answers: their author. [required without --answers]",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        model_option("--judge", help="Model that rates answers against the reference. [required]"),
    ] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="How to ask: zero-shot, prompt-gold (with predecessors and their references), prompt-pred (with the"
            " target's own answers), multi-turn; several with commas, or repeated. [default: zero-shot]",
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            "--answers",
            metavar="FILE",
            help="Score existing answers (up to 32 MB; - for stdin): only the judge is called.",
        ),
    ] = None,
    logprobs: Annotated[
        bool, typer.Option("--logprobs", help="Ask for log-probabilities, for Min-K% (memorisation).")
    ] = False,
    judge_temperature: Annotated[
        str,
        typer.Option("--judge-temperature", metavar="T", help="Temperature of the judge (0-2), or none to send none."),
    ] = "0",
    judge_top_p: Annotated[
        float | None, typer.Option("--judge-top-p", metavar="P", help="top_p of the judge. [default: none is sent]")
    ] = None,
    judge_tokens: Annotated[
        int,
        typer.Option("--judge-tokens", metavar="TOKENS", help="Token limit of a rating, including hidden reasoning."),
    ] = 1024,
    human: Human = None,
    plots: Plots = None,
    reference_metrics: ReferenceMetrics = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", help="At most N trees of the graph, taken from the domains in turn."),
    ] = None,
    answer_tokens: Annotated[
        int,
        typer.Option("--answer-tokens", metavar="TOKENS", help="Token limit of an answer, including hidden reasoning."),
    ] = 2048,
    seed: Seed = 42,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            "--prompt", metavar="NAME=FILE", help=f"Replace a prompt template with your own file: {ASK_PROMPT_NAMES}."
        ),
    ] = None,
    sim: DepthSim = None,
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
    """Put the questions of a graph to models and have the judge rate the answers; or rate existing answers.

    Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).
    """
    given = dict(locals())
    from ..launch import tell
    from .request import ask_request, launch_ask

    asked = ask_request(given)
    tell(asked.notices, asked.display)
    raise typer.Exit(launch_ask(asked, as_json=as_json))


def draw_command(
    graph: Annotated[str | None, typer.Argument(metavar="GRAPH", help="Graph to draw, as `ask` takes it.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Drawing to write, as in graph.svg. [required]"),
    ] = None,
    force: Force = False,
    runs: RunsDir = None,
) -> None:
    """Draw a graph as SVG: its questions by depth, and which lead to which. Calls no model."""
    from .draw import draw

    draw(graph, output, runs, force=force)


depthqa_app.command("build", short_help="Deconstruct questions into a graph.", epilog=BUILD_EPILOG)(build_command)
depthqa_app.command(
    "ask", short_help="Put a graph's questions to models, or rate existing answers.", epilog=ASK_EPILOG
)(ask_command)
depthqa_app.command("draw", short_help="Draw a graph as SVG.", epilog=DRAW_EPILOG)(draw_command)
