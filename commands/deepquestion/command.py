"""`fathom deepquestion`."""

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
from ..options.shown import Export, Plots, SavePrompts

EPILOG = """\b
Examples:
  fathom deepquestion examples/deepquestion_chemistry.jsonl -t sim:student \\
    --generator sim:generator -e sim:evaluator
  fathom deepquestion gsm8k.jsonl -t ollama:llama3 -t openai:gpt-5 \\
    -e openai:gpt-5 --limit 50 --distractors none,some,many -o texts.jsonl
  fathom deepquestion --from texts.jsonl -t ollama:mistral -e openai:gpt-5
  fathom plan deepquestion gsm8k.jsonl -t openai:gpt-5 -e openai:gpt-5

\b
BENCHMARK:
  JSON lines, JSON, CSV or Parquet with question, answer and, if there are
  any, id, options, solution and domain, by their usual names; the final
  answer may stand behind #### (GSM8K) or in \\boxed{…} (MATH); of multiple
  choice it is a letter, the option's text, or its place counted from 0;
  - reads stdin

\b
Files:
  texts (--export, --from): JSON lines with the problems and what was written
    from them and has passed every check, to ask other models the very same
  prompts (--save-prompts, --prompts): JSON or YAML with the transformation
    prompt of each kind; {"prompts": {"q2s": "…"}} by hand
  fathom show RUN --export FILE --save-prompts FILE writes them later

\b
Simulated models with known true values, at no cost:
  sim:solve=0.9,mislead=0.1,create=0.6 behaves as its settings say; settings
    can also follow a persona: sim:student,create=0.2
  solve: chance of solving a problem; mislead: chance, per distractor, of
    using its number; unsteady: share of problems where each wording is drawn
    separately; create: chance that a question it writes is valid
  The default is sim:generator,first=2,mends=2,spoils=0
  first: criteria (0 to 6) that its first draft of a prompt meets; mends:
    further criteria met with each new draft; spoils: share of scenarios and
    instructions that it spoils whatever the prompt says
  They know the problems in examples/deepquestion_chemistry.jsonl and similar
    ones; any other they decline, and nothing written from it passes
  sim:evaluator,leans=0.3 as judge prefers, of two different questions, the
    first one in that share of cases

\b
Keys, from the environment or the nearest .env file:
  OPENAI_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY, …: a provider's models

\b
Exit codes:
  0 complete, 1 failed or incomplete (including a prompt that did not
  reach the threshold), 2 refused before any call, 3 stopped by its budget,
  130 interrupted
"""
"""Below the options of `deepquestion --help`; `\\b` keeps a paragraph's lines as they are."""

DEEPQUESTION_PROMPT_NAMES = (
    "prompt_draft, prompt_redraft, prompt_score, scenario, distractors, scenario_check, instruction, instruction_check,"
    " solution, independent_solution, created_question, instruction_met, comparison, verdict"
)


def deepquestion_command(
    benchmark: Annotated[
        Path | None,
        typer.Argument(metavar="BENCHMARK", help="File of problems with definite answers (up to 32 MB). [or --from]"),
    ] = None,
    target: Annotated[
        list[str] | None,
        model_option("--target", "-t", help="Model under test; may be repeated. [required]"),
    ] = None,
    generator: Annotated[
        str | None,
        model_option(
            "--generator",
            help="Model that drafts prompts and writes scenarios and instructions. [default: the evaluator, as in the"
            " paper]",
        ),
    ] = None,
    evaluator: Annotated[
        str | None,
        model_option("--evaluator", "-e", help="Model that scores drafts, solves independently and checks. [required]"),
    ] = None,
    judge: Annotated[
        str | None,
        model_option("--judge", help="Model that compares questions and free-text answers. [default: the evaluator]"),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kinds",
            metavar="KIND",
            help="q2s (solve a scenario), q2i (write a question); both with a comma. [default: both; with --from those"
            " of its file]",
        ),
    ] = None,
    distractors: Annotated[
        list[str] | None,
        typer.Option(
            "--distractors",
            metavar="LOAD",
            help="Distractors in a scenario: none, some (2) or many (5); several with commas. [default: some; with"
            " --from those of its file]",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Texts written by --export: nothing is rewritten or rechecked."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="At most N problems, drawn at random by seed.")
    ] = None,
    question_field: Annotated[
        str | None, typer.Option("--question-field", metavar="NAME", help="Column of the questions.")
    ] = None,
    answer_field: Annotated[
        str | None, typer.Option("--answer-field", metavar="NAME", help="Column of the answers.")
    ] = None,
    options_field: Annotated[
        str | None, typer.Option("--options-field", metavar="NAME", help="Column of the options of multiple choice.")
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option("--threshold", metavar="SCORE", help="Score (1-10) that accepts a draft. [default: 8]"),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", metavar="N", help="Maximum number of drafts per kind. [default: 5]")
    ] = None,
    single_pass: Annotated[
        bool, typer.Option("--single-pass", help="Use the first draft whatever its score (the paper's ablation).")
    ] = False,
    use_best: Annotated[
        bool, typer.Option("--use-best", help="Use the best draft if none reaches the threshold.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", help="Problems shown when drafting and scoring. [default: 4]"),
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option("--prompts", metavar="FILE", help="Transformation prompts, as --save-prompts writes them."),
    ] = None,
    save_prompts: SavePrompts = None,
    export: Export = None,
    force: Force = False,
    baseline: Annotated[
        int | None,
        typer.Option(
            "--baseline",
            metavar="N",
            help="Pairs of originals that measure the judge's position bias; with q2i. [default: 10]",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            metavar="SHARE",
            help="Relative difference up to which numbers count as equal (0.01: 1%)."
            " [default: bare numbers exactly, others to the precision written]",
        ),
    ] = None,
    plots: Plots = None,
    seed: Seed = 42,
    language: Annotated[
        str | None,
        typer.Option("--language", metavar="CODE", help="Language of scenarios and instructions. [default: en]"),
    ] = None,
    answer_tokens: Annotated[
        int,
        typer.Option(
            "--answer-tokens", metavar="TOKENS", help="Token limit of a solution, including hidden reasoning."
        ),
    ] = 4096,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            "--prompt",
            metavar="NAME=FILE",
            help=f"Replace a prompt template with your own file: {DEEPQUESTION_PROMPT_NAMES}.",
        ),
    ] = None,
    sim: Annotated[
        list[str] | None,
        typer.Option(
            "--sim",
            metavar="KEY=VALUE",
            help="Set up the simulated world; may be repeated. What a model can do is set in its name:"
            f" sim:solve=0.9,create=0.6. {SIM_KEYS}",
        ),
    ] = None,
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
    """DeepQuestion: a model solves problems, solves them inside scenarios, and writes questions.

    Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).
    """
    given = dict(locals())
    from ..launch import tell
    from .request import deepquestion_request, launch_deepquestion

    asked = deepquestion_request(given)
    tell(asked.notices, asked.display)
    raise typer.Exit(launch_deepquestion(asked, as_json=as_json))
