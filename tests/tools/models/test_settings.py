"""Settings behind a model's name: the key it is sent, its label, headers and system prompt."""

from pathlib import Path

import orjson
import pytest
from tests.support.command_line import Caller
from tests.support.model_server import ask, clients_at, ok, refuse, serving

from fathom.state.errors import EndpointRefused, UsageError
from fathom.state.spec import label_of
from fathom.tools.models.address import parse_model
from fathom.tools.models.chat import Message
from fathom.tools.models.clients import Clients
from fathom.tools.models.dialect import instructed
from fathom.tools.models.model import reply_key
from fathom.tools.models.pricing import PriceList

OURS, THEIRS, TEAM = "sk-evaluator-1234", "rag-key-5678", "team-secret-90"
ENV = {"OPENAI_API_KEY": OURS, "RAG_KEY": THEIRS, "TEAM": TEAM}


async def test_an_address_of_ones_own_is_sent_what_is_named_for_it_and_nothing_else() -> None:
    echo = ok(f"{THEIRS} of {TEAM}")
    async with serving(echo) as server, clients_at(env=ENV) as clients:
        at = f"openai@{server.base_url}:rag"
        await clients.get(at).complete(ask())
        chosen = f"{at} key=RAG_KEY header='X-Team: Token $TEAM' system='Be brief.'"
        reply = await clients.get(chosen).complete(ask())
    bare, sent = server.headers
    assert OURS not in repr(server.headers)
    assert THEIRS not in repr(bare)
    assert sent["Authorization"] == f"Bearer {THEIRS}"
    assert sent["X-Team"] == f"Token {TEAM}"
    assert reply.text == "[key] of [key]"
    first = server.bodies[1]["messages"][0]
    assert first == {"role": "system", "content": "Be brief."}
    assert server.bodies[1]["messages"][1:] == server.bodies[0]["messages"]


async def test_a_provider_at_its_own_address_gets_its_key_however_it_is_named() -> None:
    async with (
        serving(ok()) as server,
        clients_at(env={**ENV, "OPENAI_BASE_URL": server.base_url}) as clients,
    ):
        for name in ("openai:m", f"openai@{server.base_url}:m"):
            await clients.get(name).complete(ask())
    assert [headers["Authorization"] for headers in server.headers] == [f"Bearer {OURS}"] * 2


async def test_whoever_is_refused_for_want_of_a_key_is_told_how_to_name_one() -> None:
    async with serving(refuse(401, "no key")) as server, clients_at(env=ENV) as clients:
        with pytest.raises(
            EndpointRefused,
            match=r"sent no key unless you name one, as in '.*:m key=OPENAI_API_KEY'",
        ):
            await clients.get(f"openai@{server.base_url}:m").complete(ask())


def test_settings_are_one_text_whatever_their_order_and_a_model_of_its_own_to_cache_and_prices() -> (
    None
):
    at = "openai@https://host/v1:rag"
    one = parse_model(f'{at}  system="Be brief." name="support bot" key=K')
    assert one.text == parse_model(f"{at} key=K system='Be brief.' name='support bot'").text
    assert parse_model(one.text) == one
    assert (one.label, label_of(at), label_of("a host's own model")) == (
        "support bot",
        at,
        "a host's own model",
    )
    others = [
        one.text,
        at,
        f"{at} system=Other",
        f"{at} header='X-Team: a'",
        f"{at} header='X-Team: b'",
    ]
    assert len({reply_key("https://host/v1", name, ask()) for name in others}) == len(others)
    prices = PriceList.parse(["rag=1/2"])
    worst = [
        prices.worst_usd(f"{at} name=rag{more}", ask()) or 0
        for more in ("", " system='Be brief.'")
    ]
    assert worst[1] - worst[0] >= len("Be brief.") / 1e6
    with pytest.raises(
        UsageError,
        match="names rag, which is not a model of this run: its models are support bot",
    ):
        prices.require_named([one.text])


def test_a_models_own_system_prompt_stands_before_that_of_the_request() -> None:
    settings = parse_model("sim:student system=First.").settings
    request = ask()
    once = instructed(request, settings)
    assert once.messages[0] == Message("system", "First.")
    twice = instructed(once, parse_model("sim:student system=Zero.").settings)
    assert twice.messages[0] == Message("system", "Zero.\n\nFirst.")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("colour=red", "no spaces"),
        ("key=sk-proj-abc123", "the name of the variable"),
        ("key=", "key= is empty"),
        ("key=A key=B", "key= stands there twice"),
        ("system='Be brief.", "a quote without its other half"),
        ("system=@file.txt", "on the command line only"),
        ("header=X-Team", "takes a name and a value"),
        ("header='X Team: a'", "takes a name and a value"),
        ("header='X-Team: a\nb'", "takes a name and a value"),
        ("header='Host: other'", "sets it itself"),
        ("header='Authorization: Bearer abc'", "put it into a variable"),
        ("header='X-Team: $'", "stray"),
        (f"name={'x' * 61}", "at most 60"),
        (f"system={'x' * 20_001}", "at most 20,000"),
    ],
)
def test_wrong_settings_are_refused_without_repeating_them(settings: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        parse_model(f"openai:m {settings}")
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "env", "says"),
    [
        ("openai@https://h/v1:m key=RAG_KEY", {}, "needs a key: set RAG_KEY"),
        (
            "openai@https://h/v1:m name=rag key=RAG_KEY",
            {"RAG_KEY": "'x'"},
            "RAG_KEY cannot be a key",
        ),
        ("openai@https://h/v1:m header='X-A: $TEAM'", {}, "header X-A needs TEAM"),
        ("openai@https://h/v1:m header='X-A: $TEAM'", {"TEAM": "bäh"}, "no header can have"),
        (
            "openai@http://h/v1:m header='X-A: $TEAM'",
            {"TEAM": TEAM},
            "would send your key unencrypted",
        ),
        ("anthropic:m header='X-A: b'", {"ANTHROPIC_API_KEY": THEIRS}, "takes no header="),
        (
            "rag",
            {"FATHOM_MODEL_RAG": "other key=K"},
            "FATHOM_MODEL_RAG must name a model as provider:model",
        ),
    ],
)
def test_what_cannot_be_sent_is_refused_before_any_call(
    model: str, env: dict[str, str], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        Clients(env).get(model)


def test_a_model_is_defined_once_in_dot_env_and_used_in_every_role(call: Caller) -> None:
    (call.folder / "nurse.txt").write_text("Answer as a nurse.\nBriefly.\n", encoding="utf-8")
    (call.folder / ".env").write_text(
        'FATHOM_MODEL_MY_NURSE="sim:student system=@nurse.txt"\n'
        'FATHOM_MODEL_BOT="openai@http://127.0.0.1:9/v1:m key=K"\n',
        encoding="utf-8",
    )
    sim = ("-e", "sim:evaluator", "-n", "2", "--max-depth", "1", "--display", "none")
    said = call(
        "drill",
        "Chemical elements",
        "-t",
        "my-nurse",
        "-t",
        "sim:student name=plain",
        *sim,
        "--json",
    )
    assert said.code == 0, said.err
    first, second = orjson.loads(said.out)
    assert (
        first["spec"]["target"]
        == "sim:student name=my-nurse system='Answer as a nurse.\nBriefly.'"
    )
    assert second["spec"]["target"] == "sim:student name=plain"
    assert all("my-nurse" in name or "plain" in name for name in map(str, _runs(call.folder)))
    for roles in (("-t", "sim:student", "-e", "bot"), ("-t", "bot", "-e", "sim:evaluator")):
        refused = call("drill", "Chemical elements", *roles)
        assert (refused.code, refused.err.splitlines()[-1]) == (2, WANTED)
    twice = call(
        "drill", "Chemical elements", "-t", "my-nurse", "-t", "sim:expert name=my-nurse", *sim
    )
    assert (twice.code, "my-nurse more than once" in twice.err) == (2, True)


WANTED = "Error: bot needs a key: set K in the environment or in .env."


def _runs(folder: Path) -> list[str]:
    return [path.name for path in (folder / "runs").iterdir() if path.is_dir()]


def test_screens_lists_and_results_call_a_model_by_its_label(call: Caller) -> None:
    model = 'sim:student name=nurse system="Be brief." header="X-Team: a"'
    sim = ("-n", "2", "--max-depth", "1", "--display", "lines")
    drilled = call(
        "drill",
        "Chemical elements",
        "-t",
        model,
        "-e",
        'sim:evaluator name="the examiner"',
        *sim,
    )
    others = [call("show", "last"), call("list"), call("show", "last", "--path", "d01.s01")]
    assert [said.code for said in (drilled, *others)] == [0, 0, 0, 0], drilled.err
    seen = "".join(said.out + said.err for said in (drilled, *others))
    assert seen.count("nurse") >= 4
    assert "the examiner" in seen
    assert [hint for hint in ("name=", "system=", "header=", "Be brief") if hint in seen] == []
