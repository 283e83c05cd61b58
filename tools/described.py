"""JSON schemas with the docstrings that stand beneath the fields in the source.

Pydantic could take them up itself, at the price of reading the source of every class whenever the
program starts.
"""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel


def described(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema, in which each field that has a docstring is described by it."""
    # two methods may have a record of the same name: its fields tell which one is meant
    kinds = {
        (
            kind.__name__,
            frozenset(field.alias or name for name, field in kind.model_fields.items()),
        ): kind
        for kind in _kinds(BaseModel)
    }
    for name, part in {schema.get("title"): schema, **schema.get("$defs", {})}.items():
        fields = part.get("properties", {})
        kind = kinds.get((name, frozenset(fields)))
        for field, text in _docstrings_of(kind).items() if kind else ():
            fields[field].setdefault("description", text)
    return schema


def _kinds(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """All records that a schema may tell of, those that a command makes up included."""
    for child in kind.__subclasses__():
        if child.__module__.startswith(("fathom.state", "fathom.commands")):
            yield child
        yield from _kinds(child)


def _docstrings_of(kind: type[BaseModel]) -> dict[str, str]:
    """Field, as it stands in the JSON, → its docstring; that of the class nearest to this one
    counts."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("fathom.state"):
            texts |= _docstrings(base)
    fields = kind.model_fields.items()
    return {field.alias or name: texts[name] for name, field in fields if name in texts}


@cache
def _docstrings(kind: type) -> dict[str, str]:
    (stated,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(stated, ast.ClassDef)
    return {
        line.target.id: " ".join(ast.literal_eval(text.value).split())
        for line, text in zip(stated.body, stated.body[1:], strict=False)
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }
