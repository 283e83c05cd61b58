"""Options that several commands have, each declared once, and what those about limits amount to."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...state.option import ADVANCED, LIMITS, MODELS, OUTPUT, Option
from ...state.worlds import EVALUATOR_ERRORS, FaultRates
from ..environment import environment

if TYPE_CHECKING:
    from ...graphs.run.options import LaunchOptions

LIMITING = (
    Option(
        "--budget",
        "USD",
        "Maximum total cost of all runs; when reached, they stop with exit code 3.",
        LIMITS,
        type=float,
        least=0.0001,
        most=1e9,
    ),
    Option(
        "--max-calls",
        "CALLS",
        "Maximum number of model calls of all runs together.",
        LIMITS,
        type=int,
        least=1,
    ),
    Option(
        "--max-connections",
        "N",
        "Concurrent calls per endpoint.",
        LIMITS,
        type=int,
        least=1,
        default="200; 4 for ollama, lmstudio",
    ),
    Option(
        "--rate",
        "RPM/TPM",
        "Requests, or requests/tokens, per minute that a provider allows each model: 500, "
        "500/200000, or MODEL=…;"
        " may be repeated.",
        LIMITS,
        type=list[str],
    ),
    Option(
        "--timeout",
        "SECONDS",
        "Time limit of one call.",
        LIMITS,
        type=float,
        least=0.01,
        most=86_400.0,
        default="120",
    ),
    Option(
        "--price",
        "IN/OUT",
        "USD per million tokens where the price is unknown, or MODEL=IN/OUT; may be repeated.",
        LIMITS,
        type=list[str],
    ),
    Option(
        "--offline",
        "",
        "Refuse every model and source that is not on this machine.",
        LIMITS,
    ),
)
LIMIT = {option.key: option for option in LIMITING}
ADVANCED_OPTIONS = (
    Option(
        "--no-cache",
        "",
        "Do not read or write the cache; identical calls within a launch are still shared.",
        ADVANCED,
    ),
)
UNTIL_DECIDED = Option(
    "--until-decided",
    "MAX",
    "Repeat the drills until it is decided which model to take, at most so often (4 to 12); exits as "
    "`fathom decide` does.",
    type=int,
    least=4,
    most=12,
    study="-",
)
RUNS = Option(
    "--runs",
    "DIR",
    "Folder of the run folders.",
    OUTPUT,
    type=Path,
    env="FATHOM_RUNS",
    default="./runs",
    study="-",
)
DISPLAY = Option(
    "--display",
    "KIND",
    "tree, lines, events (JSON lines on stdout) or none.",
    OUTPUT,
    default="tree on a terminal, else lines",
    study="-",
)
JSON = Option(
    "--json",
    "",
    "Print the result as JSON: one document, or an array for several runs.",
    OUTPUT,
    study="-",
)
AS_JSON = Option(
    "--json",
    "",
    "Print one JSON document instead of tables.",
    OUTPUT,
)
FORCE = Option(
    "--force",
    "",
    "Overwrite the file when it exists.",
    OUTPUT,
    study="-",
)
SHOWING = (DISPLAY, JSON, RUNS)
LAUNCHING = (*LIMITING, *SHOWING, *ADVANCED_OPTIONS)
"""What every command that launches has."""
PLOTS = Option(
    "--plots",
    "DIR|FILE",
    "Write plots: as SVG into this folder, or as this file's suffix says (.svg, .png, .pdf).",
    OUTPUT,
    kind="file",
)
BENCHMARK = Option(
    "--benchmark",
    "FILE",
    "CSV of model, category, score (- for stdin) to compare the results with.",
    OUTPUT,
    kind="file",
)
TEXTS = Option(
    "--output -o",
    "FILE",
    "Write the texts that passed every check, as in texts.jsonl.",
    OUTPUT,
    kind="file",
)
TOPICS = Option(
    "--topics",
    "FILE",
    "Topics to open with, one per line, as TOPIC or TOPIC | WEIGHT; the more weight, the more probes "
    "at depth 1.",
    kind="file",
)
CALIBRATED = 30
"""References of each kind that a judge is tried on."""
FURTHER = ("classify_errors", "confidence")
"""Keys of what is asked of a target's answers besides."""
RUN = "A run's folder, its name, a part of its id, or `last` (the last launch)"
SEVERAL_RUNS = Option(
    "",
    "RUN",
    f"{RUN}, or the id of a launch of several.",
    name="run",
    type=list[str],
    kind="run",
    required=True,
)
ONE_RUN = replace(SEVERAL_RUNS, type=None)
PORT = Option(
    "--port",
    "PORT",
    "Port to listen on; 0 takes a free one.",
    OUTPUT,
    type=int,
    least=0,
    most=65535,
)
HOST = Option(
    "--host",
    "HOST",
    "Address to listen on.",
    OUTPUT,
    default="127.0.0.1",
)
SIM = Option(
    "--sim",
    "KEY=VALUE",
    "Set up the simulated world; may be repeated. "
    "Keys: seed; sensitivity, specificity of the judge (0-1); latency, jitter (seconds); "
    f"chance that the evaluator errs (0-1): {', '.join(EVALUATOR_ERRORS)}; "
    f"chance of each fault (0-1): {', '.join(FaultRates.model_fields)}.",
    ADVANCED,
    type=list[str],
)


def paper_option(words: str) -> Option:
    """For the rules of the method's paper, where Fathom has others."""
    return Option(
        "--as-in-paper",
        "",
        f"Follow the paper: {words}.",
    )


def columns_option(example: str) -> Option:
    """For the columns of a file that have other names than Fathom knows."""
    words = (
        f"Columns of the file by what they hold, as in {example}; A+B where several hold it."
    )
    return Option(
        "--columns",
        "KEY=VALUE",
        words,
        type=list[str],
    )


def limit_option(words: str) -> Option:
    """For a part of what there is."""
    return Option(
        "--limit",
        "N",
        words,
        type=int,
        least=1,
    )


def model(flags: str, words: str, **more: Any) -> Option:
    """An option that names a model, of a command that is about no spec."""
    return Option(
        flags,
        "MODEL",
        words,
        MODELS,
        kind="model",
        **more,
    )


def launch_options(
    env: dict[str, str], runs: Path | None, values: dict[str, Any]
) -> "LaunchOptions":
    """What the options of `LAUNCHING` amount to, and the timing of a simulated world."""
    from ...graphs.run.options import LaunchOptions
    from ...tools.cache.store import cache_path
    from ...tools.models.clients import Limits
    from .spec import parse_sim

    cache = cache_path(env)
    return LaunchOptions(
        env=env,
        runs=runs,
        limits=Limits(
            max_connections=values["max_connections"],
            timeout_s=values["timeout"] or 120.0,
            rates=tuple(values["rate"] or ()),
        ),
        timing=parse_sim(values.get("sim") or [])[1],
        cache=None if values["no_cache"] else cache,
        data=cache.parent,
        offline=bool(values["offline"]),
        budget_usd=values["budget"],
        max_calls=values["max_calls"],
        until_decided=values.get(UNTIL_DECIDED.key),
        prices=tuple(values["price"] or ()),
    )


def written(value: str | list[str]) -> str | list[str]:
    """Models as they stand behind an option: one that `.env` defines by a name is written out, and
    a file that holds its system prompt is read, so that from here on the text says all."""
    if isinstance(value, list):
        return [_written(text, environment()) for text in value]
    return _written(value, environment())


def _written(text: str, env: Mapping[str, str]) -> str:
    from ...tools.env import require_meant
    from ...tools.models.address import parse_model
    from ...tools.models.settings import defined, variable_of, with_files

    whole = with_files(defined(text, env))
    if "=" not in whole.partition(" ")[2]:
        return whole
    model = parse_model(whole)
    if model.base_url is not None:
        settings = model.settings
        variable = variable_of(text.partition(" ")[0])
        require_meant(variable, env, settings.key, *settings.variables)
    return model.text
