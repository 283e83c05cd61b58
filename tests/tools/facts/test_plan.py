"""What `--facts` means, and which sources a launch builds."""

import pytest
from tests.support.fact_server import NOW, query, serving, wiki

from fathom.state.errors import UsageError
from fathom.state.tiers import TIERS, Tier
from fathom.tools.facts.base import Encyclopedia, FactSource
from fathom.tools.facts.plan import at_once
from fathom.tools.facts.registry import Sources, parse_facts, user_agent

KEY = {"TAVILY_API_KEY": "tvly-secret"}
LOWER, UPPER = TIERS[:2], TIERS[2:]
WIKI = "mediawiki:https://wiki.example/w/api.php"


def plan(
    option: str | None, env: dict[str, str] = KEY, *, simulated: bool = False
) -> dict[Tier, tuple[str, ...]]:
    return parse_facts(option, env, simulated=simulated).facts


def test_the_default_with_a_key_serves_every_tier() -> None:
    assert parse_facts(None, KEY, simulated=False).notice is None
    assert plan(None) == dict.fromkeys(LOWER, ("wikipedia",)) | dict.fromkeys(
        UPPER, ("tavily",)
    )


def test_the_default_without_a_key_says_before_the_run_where_it_ends() -> None:
    made = parse_facts(None, {"TAVILY_API_KEY": " "}, simulated=False)
    assert made.facts == dict.fromkeys(LOWER, ("wikipedia",))
    assert made.notice is not None
    assert "ends after TEXTBOOK" in made.notice
    assert "TAVILY_API_KEY" in made.notice


def test_a_simulated_run_is_simulated_throughout() -> None:
    assert plan(None, {}, simulated=True) == dict.fromkeys(TIERS, ("sim",))
    assert plan("COMMON=wikipedia", {}, simulated=True) == dict.fromkeys(TIERS, ("sim",)) | {
        Tier.COMMON: ("wikipedia",)
    }
    assert plan("wikipedia", {}, simulated=True) == dict.fromkeys(LOWER, ("wikipedia",))


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("wikipedia,tavily", dict.fromkeys(LOWER, ("wikipedia",)) | dict.fromkeys(UPPER, ("tavily",))),
        (" wikipedia , tavily ", dict.fromkeys(LOWER, ("wikipedia",)) | dict.fromkeys(UPPER, ("tavily",))),
        ("sim", dict.fromkeys(TIERS, ("sim",))),
        (f"{WIKI},wikipedia", dict.fromkeys(LOWER, (WIKI, "wikipedia"))),
        ("wikipedia+wikipedia", dict.fromkeys(LOWER, ("wikipedia",))),
        ("COMMON=wikipedia,PROFESSIONAL=tavily", plan(None)),
        ("common=tavily", plan(None) | {Tier.COMMON: ("tavily",)}),
        (f"TEXTBOOK={WIKI}+wikipedia+tavily", plan(None) | {Tier.TEXTBOOK: (WIKI, "wikipedia", "tavily")}),
        ("wikipedia,PROFESSIONAL=tavily", dict.fromkeys(LOWER, ("wikipedia",)) | {Tier.PROFESSIONAL: ("tavily",)}),
        ("tavily@https://proxy.example,COMMON=wikipedia,TEXTBOOK=wikipedia",
         dict.fromkeys(LOWER, ("wikipedia",)) | dict.fromkeys(UPPER, ("tavily@https://proxy.example",))),
        ("mediawiki:https://a.example/1,2+3/api.php", dict.fromkeys(LOWER, ("mediawiki:https://a.example/1,2+3/api.php",))),
    ],
)  # fmt: skip
def test_a_list_or_a_source_per_tier(
    option: str, expected: dict[Tier, tuple[str, ...]]
) -> None:
    assert plan(option) == expected
    assert list(plan(option)) == [tier for tier in TIERS if tier in expected]


@pytest.mark.parametrize(
    ("option", "env", "says"),
    [
        ("google", KEY, "Unknown fact source 'google'. Known are wikipedia"),
        ("wikipedia:de", KEY, "Unknown fact source"),
        ("Wikipedia", KEY, "Unknown fact source"),
        ("wikipedia,,tavily", KEY, "empty place"),
        ("wikipedia,", KEY, "empty place"),
        ("tavily", {}, "TAVILY_API_KEY"),
        ("wikipedia,SPECIALIST=tavily", {}, "TAVILY_API_KEY"),
        ("tavily@https://x.example,wikipedia", {}, "TAVILY_API_KEY"),
        ("tavily", KEY, "No fact source serves COMMON"),
        ("mediawiki", KEY, "malformed"),
        ("mediawiki:", KEY, "malformed"),
        ("mediawiki:wiki.example/api.php", KEY, "malformed"),
        ("mediawiki:ftp://wiki.example/api.php", KEY, "malformed"),
        ("mediawiki:https://", KEY, "malformed"),
        ("mediawiki:https://host:port/api.php", KEY, "malformed"),
        ("mediawiki:https://wiki.example", KEY, "api.php"),
        ("mediawiki:https://me:secret@wiki.example/api.php", KEY, "password"),
        ("mediawiki:https://@wiki.example/api.php", KEY, "password"),
        ("mediawiki:https://wiki.example/api.php?token=secret", KEY, "has a query"),
        ("mediawiki:https://wiki.example/api.php?", KEY, "has a query"),
        ("mediawiki:wiki.example/api.php?token=secret", KEY, "malformed"),
        (
            "COMMON=wikipedia,TEXTBOOK=tavily@https://x.example?api_key=secret",
            KEY,
            "has a query",
        ),
        ("openalex@https://x.example/#secret", KEY, "has a query or a fragment"),
        ("https://wiki.example/api.php?token=secret", KEY, "Unknown fact source"),
        (
            "tavily",
            {"TAVILY_API_KEY": "tvly-“secret”"},
            "TAVILY_API_KEY cannot be a key: it contains characters",
        ),
        (
            "openalex",
            {"OPENALEX_API_KEY": "secret 1"},
            "OPENALEX_API_KEY cannot be a key: it contains spaces",
        ),
        (
            None,
            {"TAVILY_API_KEY": "secret"},
            "TAVILY_API_KEY cannot be a key: it is shorter than 8",
        ),
        ("tavily@nowhere,wikipedia", KEY, "malformed"),
        ("EXPERT=wikipedia", KEY, "Unknown tier 'EXPERT'"),
        ("COMMON=", KEY, "no source for COMMON"),
        ("PROFESSIONAL=wikipedia", KEY, "cannot serve PROFESSIONAL, only COMMON and TEXTBOOK"),
        ("wikipedia,SPECIALIST=tavily", KEY, "No fact source serves PROFESSIONAL"),
    ],
)
def test_what_cannot_be_right_is_refused_in_one_sentence(
    option: str | None, env: dict[str, str], says: str
) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        plan(option, env)
    assert "secret" not in str(refused.value)


async def test_each_source_is_built_once_and_closed_with_the_rest() -> None:
    names = ("wikipedia", WIKI, "tavily", "sim")
    sources = Sources(KEY, clock=lambda: NOW, sim_url="http://127.0.0.1:9")
    first, second = sources.for_tier(names), sources.for_tier(names[::-1])
    assert [source.name for source in first] == list(names)
    assert all(isinstance(source, FactSource) for source in first)
    assert [source is again for source, again in zip(first, second[::-1], strict=True)] == [
        True
    ] * 4
    assert all(isinstance(source, Encyclopedia) for source in first)
    await sources.aclose()
    await sources.aclose()
    assert sources.for_tier(("wikipedia",))[0] is not first[0]
    await sources.aclose()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("google", "Unknown"),
        ("tavily", "TAVILY_API_KEY"),
        ("sim", "simulated world"),
        ("mediawiki:x", "malformed"),
    ],
)
def test_a_source_that_cannot_be_built_is_refused(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Sources({}, clock=lambda: NOW).for_tier((name,))


async def test_wikipedia_may_be_a_mirror_and_is_told_who_asks() -> None:
    async with serving(
        wiki({"Sodium": "Sodium is a chemical element with symbol Na."})
    ) as server:
        env = {
            "FATHOM_WIKIPEDIA_URL": f"{server.url}/{{language}}/api.php",
            "FATHOM_CONTACT": "me@lab.example\r\nX: y",
        }
        sources = Sources(env, clock=lambda: NOW, language="de")
        (source,) = sources.for_tier(("wikipedia",))
        found = await source.find(query("Sodium", language="de"))
        await sources.aclose()
    assert [evidence.source for evidence in found] == ["wikipedia"]
    assert server.headers[0]["User-Agent"].startswith("Fathom/")
    assert "contact: me@lab.exampleX: y" in server.headers[0]["User-Agent"]
    assert "no contact given" in user_agent({})


@pytest.mark.parametrize(
    ("address", "permitted"),
    [
        ("https://{language}.wikipedia.org/w/api.php", 3),
        ("https://www.mediawiki.org/w/api.php", 3),
        ("https://wikipedia.org.example/w/api.php", 16),
        ("https://wiki.hospital.example/api.php", 16),
        ("http://127.0.0.1:8080/api.php", 16),
    ],
)
def test_wikimedia_is_asked_three_things_at_a_time(address: str, permitted: int) -> None:
    assert at_once(address, 16) == permitted
    assert at_once(address, 2) == 2
