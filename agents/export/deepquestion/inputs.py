"""How the skills of DeepQuestion read what a host hands them. Raises UsageError for what cannot be used."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....state.deepquestion.items import KINDS, Distractor, Kind, Problem, woven
from ....state.errors import UsageError
from ....tools.files.deepquestion.fields import problem_of

MOST_SAMPLES = 20


def kind_of(state: Mapping[str, Any]) -> Kind:
    for kind in KINDS:
        if kind == state["kind"]:
            return kind
    raise UsageError(f"There is no transformation {state['kind']!r}; they are {' and '.join(KINDS)}.")


def text_of(state: Mapping[str, Any], name: str) -> str:
    text: str = state[name]
    if not text.strip():
        raise UsageError(f"The {name} is empty: write it.")
    return text


def problem_in(state: Mapping[str, Any]) -> Problem:
    return problem_of(state["problem"])


def samples_in(state: Mapping[str, Any]) -> list[Problem]:
    """The problems that drafting and scoring look at."""
    given = state["problems"]
    if not 1 <= len(given) <= MOST_SAMPLES:
        raise UsageError(f"There are {len(given)} problems to look at: give 1 to {MOST_SAMPLES} as samples.")
    return [problem_of(fields, number) for number, fields in enumerate(given, 1)]


def number_in(state: Mapping[str, Any], name: str, usual: int, low: int, high: int) -> int:
    """A whole number of the state."""
    number: int = state.get(name, usual)
    if not low <= number <= high:
        raise UsageError(f"The {name} cannot be {number}: give {low} to {high}.")
    return number


def told(state: Mapping[str, Any], distractors: Sequence[Distractor] = ()) -> str:
    """The scenario of the state as one text."""
    scenario = state["scenario"]
    text = woven(scenario["sentences"], scenario["question"], distractors)
    if not text:
        raise UsageError("The scenario is empty: write it.")
    return text
