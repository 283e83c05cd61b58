"""The wording of the library that checks never reaches a screen."""

from datetime import date
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from fathom.state.faults import rule_of


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    word: str = Field("a", pattern="^a$", max_length=3)


@pytest.mark.parametrize(
    ("kind", "value", "rule"),
    [
        (int, "x", "it must be a whole number"),
        (int, 1.5, "it must be a whole number"),
        (float, [], "it must be a number"),
        (bool, "perhaps", "it must be true or false"),
        (str, 5, "it must be a text"),
        (list[int], 5, "it must be a list"),
        (dict[str, int], 5, "it must be an object, as in {…}"),
        (_Closed, 5, "it must be an object, as in {…}"),
        (_Closed, {"other": 1}, "there is no such field"),
        (_Closed, {"word": "b"}, "it must have the form ^a$"),
        (date, "yesterday", "it must be a date"),
        (Literal["a", "b"], "c", "it must be 'a' or 'b'"),
        (bytes, 5, "it must be a text"),
        (type, 5, "it has another form"),
    ],
)
def test_a_fault_is_told_in_plain_words(kind: Any, value: object, rule: str) -> None:
    with pytest.raises(ValidationError) as error:
        TypeAdapter(kind).validate_python(value)
    assert rule_of(error.value.errors()[0]) == rule
