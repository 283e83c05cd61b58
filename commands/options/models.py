"""Options that every command which asks models shares, and what they amount to."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...state.errors import UsageError
from ...state.spec import EVALUATOR_ERRORS, FaultRates
from ..environment import environment

if TYPE_CHECKING:
    from ...graphs.run.options import LaunchOptions


def written(value: str | list[str] | None) -> str | list[str] | None:
    """Models as they stand behind an option: one that `.env` defines by a name is written out, and a file that holds
    its system prompt is read, so that from here on the text says all."""
    from ...tools.models.address import parse_model
    from ...tools.models.settings import defined, with_files

    def whole(text: str) -> str:
        told = with_files(defined(text, environment()))
        return parse_model(told).text if "=" in told.partition(" ")[2] else told

    return [whole(text) for text in value] if isinstance(value, list) else value and whole(value)


def model_option(*flags: str, help: str) -> Any:
    """An option that names a model."""
    return typer.Option(*flags, metavar="MODEL", callback=written, help=help)


Json = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON: one document, or an array for several runs.")
]
JsonOfAll = Annotated[
    bool,
    typer.Option("--json", help="Print the result as JSON: one document, which for several targets holds them all."),
]
DisplayName = Annotated[
    str | None,
    typer.Option(
        "--display",
        metavar="KIND",
        help="tree, lines, events (JSON lines on stdout) or none. [default: tree on a terminal, else lines]",
    ),
]
MaxConnections = Annotated[
    int | None,
    typer.Option(
        "--max-connections", min=1, help="Concurrent calls per endpoint. [default: 200; 4 for ollama, lmstudio]"
    ),
]
A_DAY_S = 86_400.0
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=0.01, max=A_DAY_S, help="Time limit of one call.")
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget", metavar="USD", help="Maximum total cost of all runs; when reached, they stop with exit code 3."
    ),
]
MaxCalls = Annotated[
    int | None, typer.Option("--max-calls", metavar="CALLS", help="Maximum number of model calls of all runs together.")
]
Prices = Annotated[
    list[str] | None,
    typer.Option(
        "--price",
        metavar="IN/OUT",
        help="USD per million tokens where the price is unknown, or MODEL=IN/OUT; may be repeated.",
    ),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache", help="Do not read or write the cache; identical calls within a launch are still shared."
    ),
]
Checkpoint = Annotated[
    str | None,
    typer.Option(
        "--checkpoint",
        metavar="ADDRESS",
        envvar="FATHOM_CHECKPOINT",
        show_envvar=False,
        help="postgresql://… database for checkpoints (or FATHOM_CHECKPOINT). [default: a file in each run folder]",
    ),
]
Offline = Annotated[bool, typer.Option("--offline", help="Refuse every model and source that is not on this machine.")]


def launch_options(
    env: dict[str, str],
    runs: Path | None,
    *,
    max_connections: int | None = None,
    timeout: float = 120.0,
    budget: float | None = None,
    max_calls: int | None = None,
    price: list[str] | None = None,
    no_cache: bool = False,
    checkpoint: str | None = None,
    offline: bool = False,
) -> "LaunchOptions":
    """What the options amount to. Raises UsageError for a budget that is no amount, or an address that is none."""
    from ...graphs.run.options import LaunchOptions
    from ...tools.cache.database import cache_path
    from ...tools.models.clients import Limits

    if budget is not None and not 0 < budget < float("inf"):
        raise UsageError(f"--budget cannot be {budget:g}: it must be an amount of US dollars above 0.")
    if max_calls is not None and max_calls < 1:
        raise UsageError(f"--max-calls cannot be {max_calls}: it must be at least 1.")
    address = checkpoint or env.get("FATHOM_CHECKPOINT", "").strip() or None
    if address is not None and not address.startswith(("postgresql://", "postgres://")):
        raise UsageError(
            "--checkpoint takes the address of a PostgreSQL database: write postgresql://USER@HOST/DATABASE."
        )
    return LaunchOptions(
        env=env,
        runs=runs,
        limits=Limits(max_connections=max_connections, timeout_s=timeout),
        cache=None if no_cache else cache_path(env),
        data=cache_path(env).parent,
        checkpoint=address,
        offline=offline,
        budget_usd=budget,
        max_calls=max_calls,
        prices=tuple(price or ()),
    )


LAUNCHING = ("max_connections", "timeout", "budget", "max_calls", "price", "no_cache", "checkpoint", "offline")
SIM_KEYS = (
    "Keys: seed; sensitivity, specificity of the judge (0-1); latency, jitter, reverse_window (seconds); "
    f"chance that the evaluator errs (0-1): {', '.join(EVALUATOR_ERRORS)}; "
    f"chance of each fault (0-1): {', '.join(FaultRates.model_fields)}."
)
Seed = Annotated[int, typer.Option("--seed", metavar="SEED", help="Random seed.")]
