"""Cells of campaigns, made up."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from fathom.state.campaign import CellState, CellStatus

NOON = datetime(2026, 11, 26, 12, 0, tzinfo=UTC)
DOMAINS = (
    "Cardiology",
    "Infectious diseases",
    "Anaesthesia",
    "Pharmacology",
    "Endocrinology and metabolism",
)
MODELS = ("openai:gpt-5", "openai:gpt-5-mini", "anthropic:claude-opus-4-5", "ollama:qwen3-32b")
REASONS = (
    "openai:gpt-5 does not exist (404). Check the model name.",
    "12 of 30 probes failed (limit 10).",
)
STATUSES: Sequence[CellStatus] = (
    "complete",
    "running",
    "waiting",
    "failed",
    "interrupted",
    "partial",
)


def cell(
    domain: str = "Physics", target: str = "openai:gpt-5", seed: int = 0, **changes: Any
) -> CellState:
    held = {"method": "drill", "domain": domain, "target": target, "seed": seed, **changes}
    return CellState(cell="/".join(map(str, (held["method"], domain, target, seed))), **held)


def campaign(
    domains: int, models: int, repeats: int = 1, over: int | None = None
) -> list[CellState]:
    """Cells of which the first `over` (by default half) are over, a few of them failed or cut off,
    the next ten run, and the rest wait."""
    places = [(d, m, r) for d in range(domains) for m in range(models) for r in range(repeats)]
    half = len(places) // 2 if over is None else over
    return [_one(number, *place, half) for number, place in enumerate(places)]


def _one(number: int, domain: int, model: int, seed: int, over: int) -> CellState:
    again, name = divmod(domain, len(DOMAINS))
    made = cell(
        f"{DOMAINS[name]} {again + 1}" if again else DOMAINS[name],
        MODELS[model % len(MODELS)]
        + (f"-v{model // len(MODELS) + 1}" if model >= len(MODELS) else ""),
        seed,
    )
    if number >= over + 10:
        return made
    figure = 2 + model % 7 + (number * 37 % 100) / 100
    begun = {"run": f"20261126-{number:08x}", "attempts": 1, "calls": 120, "usd": 0.0125}
    if number >= over:
        return made.model_copy(
            update=begun
            | {"status": "running", "share": 0.5, "figure": figure if number % 3 else None}
        )
    status: CellStatus = "complete" if number % 17 else STATUSES[3 + number // 17 % 3]
    ended: dict[str, Any] = {
        "status": status,
        "share": 1.0,
        "changed": NOON + timedelta(seconds=number),
    }
    if status == "complete":
        ended |= {
            "figure": figure,
            "interval": (figure - 0.8, figure + 0.9),
            "at_least": number % 11 == 0,
        }
    return made.model_copy(
        update=begun | ended | {"error": REASONS[number % 2] if status == "failed" else ""}
    )
