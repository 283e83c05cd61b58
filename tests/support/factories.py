"""The factories that langgraph.json names, called as a server calls them."""

import importlib
import json
from typing import Any

import pytest

from .paths import ROOT

NAMED: dict[str, str] = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]
_SETTINGS = (
    "TARGET EVALUATOR EXAMINER GENERATOR JUDGE FACTS BENCHMARK QUESTION_GRAPH SIMILARITY LANGUAGE "
    "JOURNAL"
)


def built(name: str, values: dict[str, Any] | None = None) -> Any:
    """The graph with these configurable values."""
    module, _, factory = NAMED[name].partition(":")
    return getattr(importlib.import_module(module), factory)(
        {} if values is None else {"configurable": values}
    )


def name_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in _SETTINGS.split():
        monkeypatch.delenv(f"FATHOM_{setting}", raising=False)
