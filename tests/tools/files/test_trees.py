"""JSON and YAML are bounded before anything walks through them."""

import pytest
import yaml

from fathom.state.errors import UsageError
from fathom.tools.files.trees import parse_json, require_bounded

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)
)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[" * 200_000, "nested too deeply"),
        ("- " * 200_000, "nested too deeply"),
        (LAUGHS, "holds too much once its aliases"),
        ("a: &a [*a]", "holds too much once its aliases"),
    ],
)
def test_yaml_that_would_take_all_memory_or_end_the_process(text: str, part: str) -> None:
    with pytest.raises(UsageError, match=f"^s.yaml .*{part}"):
        require_bounded(text, "s.yaml")


def test_aliases_in_reason_are_fine() -> None:
    text = "base: &base {seed: 1}\nmethods: [{<<: *base}, {<<: *base}]"
    require_bounded(text, "s.yaml")
    assert yaml.safe_load(text)["methods"] == [{"seed": 1}, {"seed": 1}]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[" * 200_000, "nested too deeply"),
        ('{"a": ' * 500 + "1" + "}" * 500, "nested too deeply"),
        ("[" + "9" * 5000 + "]", "Exceeds the limit"),
    ],
)
def test_json_that_no_file_of_ours_holds(text: str, part: str) -> None:
    with pytest.raises(UsageError, match=f"^s.json .*{part}"):
        parse_json(text, "s.json")
    assert parse_json("[" * 99 + "]" * 99, "s.json")
