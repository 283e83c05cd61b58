"""Keys: everything that shapes a reply or a look-up changes them, and nothing else does."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel

from fathom.state.tiers import Tier
from fathom.tools.facts.base import FactQuery
from fathom.tools.facts.registry import lookup_key, page_key
from fathom.tools.models.chat import Message
from fathom.tools.models.model import reply_key

from ...support.cached import ask
from ...support.scripted_chat import Verdict

PLACE = "https://host/v1"
QUERY = FactQuery("Neon", "Chemical elements", Tier.COMMON, date(2026, 11, 20))


class Other(BaseModel):
    reason: str


@pytest.mark.parametrize(
    "changes",
    [
        {"messages": (Message("user", "Which gas glows blue?"),)},
        {"messages": (Message("system", "Which gas glows red?"),)},
        {"messages": (Message("user", "Which gas"), Message("user", " glows red?"))},
        {"max_tokens": 101},
        {"temperature": None},
        {"temperature": 0.1},
        {"seed": 1},
        {"sample": 1},
        {"top_p": 0.9},
        {"top_p": 1.0},
        {"logprobs": True},
        {"schema": Verdict},
        {"schema": Other},
    ],
    ids=str,
)
def test_what_shapes_a_reply_is_in_its_key(changes: dict[str, Any]) -> None:
    assert reply_key(PLACE, "openai:m", ask(**changes)) != reply_key(PLACE, "openai:m", ask())
    if "schema" in changes:
        assert reply_key(PLACE, "openai:m", ask(schema=Verdict)) != reply_key(
            PLACE, "openai:m", ask(schema=Other)
        )


def test_place_model_and_the_providers_way_of_asking_are_in_the_key() -> None:
    keys = [
        reply_key(place, name, ask())
        for place, name in [
            (PLACE, "openai:m"),
            ("https://elsewhere/v1", "openai:m"),
            (PLACE, "openai:m2"),
            (PLACE, "deepseek:m"),  # asks for JSON in another manner
            (PLACE, "mistral:m"),  # names the seed differently
        ]
    ]
    assert len(set(keys)) == len(keys)


def test_what_does_not_shape_a_reply_is_not_in_its_key() -> None:
    class Payer:
        async def hold(self, worst_usd: float | None) -> float:
            raise NotImplementedError

        def settle(self, held_usd: float, cost_usd: float | None, calls: int = 1) -> None:
            raise NotImplementedError

    key = reply_key(PLACE, "openai:m", ask())
    assert reply_key(PLACE, "openai:m", ask(purpose="verdict", payer=Payer())) == key
    assert (
        reply_key(PLACE, "openai@https://host/v1:m", ask()) == key
    )  # the address is the place's
    assert reply_key(PLACE, "openai:m", ask(temperature=0)) == key
    assert len(key) == 64


def test_the_key_of_a_request_does_not_move_by_itself() -> None:
    # a changed key throws every cache away: when that is meant, change the format in keys.py and
    # this digest
    assert reply_key(PLACE, "openai:m", ask())[:16] == "206d6240696547cd"
    full = ask(seed=7, sample=2, temperature=None, schema=Verdict)
    assert reply_key(PLACE, "mistral:m", full)[:16] == "7ea9d707bd740790"


def test_half_a_surrogate_pair_has_a_key_like_everything_else() -> None:
    keys = {reply_key(PLACE, "openai:m", ask(text)) for text in ("\ud800", "\ud801", "\\ud800")}
    assert len(keys) == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"concept": "Argon"},
        {"domain": "Lighting"},
        {"tier": Tier.TEXTBOOK},
        {"as_of": date(2026, 11, 21)},
        {"language": "de"},
        {"limit": 6},
        {"line": ("Lamps", "Tubes")},
    ],
    ids=str,
)
def test_every_part_of_a_query_is_in_the_key_of_its_look_up(changes: dict[str, Any]) -> None:
    assert lookup_key("wikipedia", "w", replace(QUERY, **changes)) != lookup_key(
        "wikipedia", "w", QUERY
    )


def test_source_and_place_are_in_the_key_of_a_look_up() -> None:
    keys = {lookup_key(source, place, QUERY) for source in ("a", "b") for place in ("a", "b")}
    pages = {
        page_key("a", "a", title, language) for title in ("t", "u") for language in ("en", "de")
    }
    assert len(keys) == len(pages) == 4
    assert not keys & pages
