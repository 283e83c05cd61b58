"""Bytes to text, and the front matter at the top of it. Pure."""

import codecs
import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import yaml

from ....state.tiers import Tier
from ..dates import parse_date
from .document import Labels, Unreadable

_DECLARED = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
_FRONT = re.compile(r"---[ \t]*\n(?P<yaml>.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_CHARS = 64_000
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


def decode(data: bytes, *, html: bool = False) -> str:
    r"""The text, with `\n` line ends: UTF-8, else what an HTML page declares, else UTF-16 with its byte order mark or
    Western prose in cp1252. Raises Unreadable: binary, or in an encoding nobody can tell."""
    if b"\x00" in data and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Unreadable("binary")
    try:
        text = data.decode("utf-8-sig")
        if len(_CONTROL.findall(text[:100_000])) > len(text[:100_000]) // 200:
            raise Unreadable("binary")
    except UnicodeDecodeError:
        text = (_declared(data) if html else None) or _guessed(data)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _declared(data: bytes) -> str | None:
    found = _DECLARED.search(data[:4096])
    try:
        return data.decode(found[1].decode("ascii")) if found else None
    except (LookupError, UnicodeDecodeError):
        return None


def _guessed(data: bytes) -> str:
    """Among these few alone: left to itself, a guess at a short text takes Ménière for Méničre."""
    from charset_normalizer import from_bytes  # rarely needed

    best = from_bytes(data, cp_isolation=["utf_16", "cp1252", "latin_1"]).best()
    if best is None or _CONTROL.search(str(best)):
        raise Unreadable("unknown encoding (save it as UTF-8)")
    return str(best)


def split_front(text: str) -> tuple[Labels, str]:
    """What the YAML front matter says, and the text with the front matter blanked, so that lines keep their numbers.

    Raises Unreadable when there is front matter that cannot be understood: a document whose tier was mistyped must not
    pass for one without a tier.
    """
    found = _FRONT.match(text, 0, _FRONT_CHARS)
    if not found:
        return Labels(), text
    try:
        fields = yaml.safe_load(found["yaml"] or "")
    except (yaml.YAMLError, ValueError, RecursionError):
        raise Unreadable("front matter is not valid YAML") from None
    if not isinstance(fields, Mapping):  # prose between two horizontal rules
        return Labels(), text
    return _labels({str(key).casefold(): value for key, value in fields.items()}), (
        "\n" * found.group().count("\n") + text[found.end() :]
    )


def _labels(fields: Mapping[str, Any]) -> Labels:
    return Labels(
        title=_plain(fields.get("title")),
        tiers=_tiers(fields.get("tier", fields.get("tiers"))),
        published=_date(fields.get("published")) or _date(fields.get("date")),
        retracted=_flag(fields, "retracted"),
        preprint=_flag(fields, "preprint"),
    )


def _plain(value: object) -> str:
    return " ".join(str(value).split())[:300] if isinstance(value, str | int | float) else ""


def _tiers(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else str(value).split(",") if value is not None else []
    found = []
    for item in listed:
        tier = tier_named(str(item))
        if tier is None:
            raise Unreadable(f"front matter names an unknown tier, {_plain(str(item))[:40]!r}")
        found.append(tier)
    return tuple(dict.fromkeys(found))


def tier_named(name: str) -> str | None:
    """The tier of this name in any case, `cutting-edge` and `Cutting edge` included; None when there is none."""
    key = re.sub(r"[\s_-]+", "_", name.strip()).upper()
    return str(Tier(key)) if key in Tier.__members__ else None


def _date(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else parse_date(str(value).replace("/", "-")) if value else None


def _flag(fields: Mapping[str, Any], name: str) -> bool | None:
    value = fields.get(name)
    text = str(value).strip().casefold()
    if value is None or text in (*_TRUE, *_FALSE):
        return None if value is None else text in _TRUE
    raise Unreadable(f"front matter says {name}: {text[:20]!r}, neither true nor false")
