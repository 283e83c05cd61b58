"""Cut-off answers, refusals and empty ones in prose; and the whole way of a structured reply over a
real socket."""

import json

import pytest
from tests.support.model_server import ask, clients_at, completion, ok, serving
from tests.support.scripted_chat import GOOD, VERDICT, Scripted, Verdict

from fathom.state.errors import ReplyUnreadable
from fathom.tools.models.chat import ChatReply
from fathom.tools.models.dialect import read_completion
from fathom.tools.models.replies import prose, structured


async def test_a_cut_off_answer_is_asked_for_once_more_with_twice_the_limit() -> None:
    chat = Scripted(ChatReply("Ne", finish="length"), ChatReply("Neon."))
    assert (await prose(chat, ask(max_tokens=100))).text == "Neon."
    assert [request.max_tokens for request in chat.asked] == [100, 200]
    chat = Scripted(ChatReply(GOOD, finish="length"), ChatReply(GOOD))
    assert await structured(chat, ask(max_tokens=100), Verdict) == VERDICT
    assert [request.max_tokens for request in chat.asked] == [100, 200]


async def test_the_repair_of_a_lengthened_request_keeps_its_limit() -> None:
    chat = Scripted(ChatReply("", finish="length"), "Right.", GOOD)
    assert await structured(chat, ask(max_tokens=100), Verdict) == VERDICT
    assert [request.max_tokens for request in chat.asked] == [100, 400, 400]


@pytest.mark.parametrize(
    ("replies", "kind", "calls"),
    [
        ((ChatReply("Ne", finish="length"),), "cut_off", 2),
        ((ChatReply(""),), "empty", 2),
        ((ChatReply("", finish="length"), ChatReply("")), "empty", 3),
        ((ChatReply("Neon.", finish="content_filter"),), "content_filter", 1),
    ],
)
async def test_prose_that_is_no_answer(
    replies: tuple[ChatReply, ...], kind: str, calls: int
) -> None:
    chat = Scripted(*replies)
    with pytest.raises(ReplyUnreadable) as caught:
        await prose(chat, ask())
    assert (caught.value.kind, len(chat.asked)) == (kind, calls)


async def test_an_empty_answer_is_asked_for_once_more_as_it_was() -> None:
    chat = Scripted("", "Neon.")
    assert (await prose(chat, ask())).text == "Neon."
    assert chat.asked[0] == chat.asked[1]


async def test_whatever_is_asked_again_keeps_what_it_asks_for_and_the_last_reply_counts() -> (
    None
):
    cut, empty = (
        ChatReply("Ne", finish="length", logprobs=(-9.0,)),
        ChatReply("", logprobs=(-8.0,)),
    )
    chat = Scripted(cut, empty, ChatReply("Neon.", logprobs=(-0.5, -0.25)))
    assert (await prose(chat, ask(logprobs=True, top_p=0.9))).logprobs == (-0.5, -0.25)
    judge = Scripted(ChatReply(GOOD, finish="length"), "Right.", GOOD)
    assert await structured(judge, ask(logprobs=True, top_p=0.9), Verdict) == VERDICT
    assert [(request.logprobs, request.top_p) for request in chat.asked + judge.asked] == [
        (True, 0.9)
    ] * 6


async def test_a_refusal_is_an_answer() -> None:
    chat = Scripted(ChatReply("", refusal="I would rather not."))
    assert (await prose(chat, ask())).refusal == "I would rather not."
    assert len(chat.asked) == 1


async def test_a_structured_reply_over_the_wire_with_one_repair() -> None:
    async with (
        serving(ok("It is right."), ok(f"```json\n{GOOD}\n```")) as server,
        clients_at() as clients,
    ):
        chat = clients.get(f"openai@{server.base_url}:m")
        assert await structured(chat, ask("Judge."), Verdict) == VERDICT
    roles = [message["role"] for message in server.bodies[1]["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert server.bodies[1]["response_format"]["json_schema"]["name"] == "Verdict"


async def test_a_thought_that_used_up_the_limit_is_cut_off() -> None:
    async with (
        serving(ok("<think>Hm, neon or", finish="length")) as server,
        clients_at() as clients,
    ):
        with pytest.raises(ReplyUnreadable) as caught:
            await prose(clients.get(f"openai@{server.base_url}:m"), ask(max_tokens=50))
    assert caught.value.kind == "cut_off"
    assert [body["max_tokens"] for body in server.bodies] == [50, 200, 400]


async def test_everything_in_a_reply_is_kept() -> None:
    message = {"reasoning_content": "Red glow.", "refusal": None}
    async with (
        serving(ok("<think>Sure.</think>Neon.", **message)) as server,
        clients_at() as clients,
    ):
        reply = await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (reply.text, reply.reasoning, reply.finish) == ("Neon.", "Red glow.\nSure.", "stop")
    assert (reply.model, reply.usage.input_tokens, reply.usage.output_tokens) == (
        "served-model",
        11,
        7,
    )
    assert (reply.refusal, reply.attempts, reply.cached) == (None, 1, False)
    assert 0.0 < reply.latency_s < 10.0


TWO_PARTS = [{"type": "text", "text": "Ne"}, {"type": "text", "text": "on."}]


@pytest.mark.parametrize(
    ("choice", "text", "finish", "refusal"),
    [
        (completion(TWO_PARTS), "Neon.", "stop", None),  # type: ignore[arg-type]  # parts
        (completion([{"type": "thinking", "thinking": "x"}, "Neon."]), "Neon.", "stop", None),  # type: ignore[arg-type]  # parts
        (completion(None, refusal="No."), "", "stop", "No."),
        (completion(None), "", "stop", None),
        (completion("Neon.", None), "Neon.", "stop", None),
        (completion("Ne", "MAX_TOKENS"), "Ne", "length", None),
        (completion("Ne", "model_length"), "Ne", "length", None),
        (completion("", "SAFETY"), "", "content_filter", None),
        (completion("Neon.") | {"usage": None}, "Neon.", "stop", None),
    ],
)
def test_replies_of_many_servers(
    choice: dict[str, object], text: str, finish: str, refusal: str | None
) -> None:
    read = read_completion(json.dumps(choice).encode())
    assert read is not None
    assert (read.reply.text, read.reply.finish, read.reply.refusal) == (text, finish, refusal)


@pytest.mark.parametrize(
    "body",
    [
        *(
            b"",
            b"[]",
            b"null",
            b'"x"',
            b"{}",
            b'{"choices": null}',
            b'{"choices": [{}]}',
            b'{"choices": ["x"]}',
            b"\xff",
        ),
        json.dumps(completion("", "error")).encode(),
        json.dumps(completion() | {"error": "x"}).encode(),
    ],
)
def test_what_is_no_completion(body: bytes) -> None:
    assert read_completion(body) is None
