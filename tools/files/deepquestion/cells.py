"""Cells of a benchmark's rows as texts."""

import math

from ....state.errors import UsageError
from ..table.row import Row, kind, text


def said(value: object, where: str, what: str) -> str | None:
    """What a cell says: a text as it is, a number as it is written, yes or no as `true` or `false`, and of a list with
    one entry that entry; None for null, and for what is no number (NaN), by which data frames mean it.

    `where` and `what` begin the message of the UsageError that any other value raises.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value):  # data frames write 18 as 18.0
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, str | int):
        return text(Row(where, {what: value}), where, what)
    raise UsageError(f"{where} has {kind(value)} as its {what}: it must be a text or a number.")
