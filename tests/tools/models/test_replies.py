"""What becomes of messy replies: one table through `structured`, with the calls each takes."""

import pytest
from pydantic import BaseModel
from tests.support.model_server import ask
from tests.support.scripted_chat import GOOD, VERDICT, Scripted, Verdict

from fathom.state.errors import ReplyUnreadable
from fathom.tools.models.chat import ChatReply
from fathom.tools.models.replies import UnreadableText, read_object, structured


class Aspects(BaseModel):
    aspects: list[str]


ASPECTS = Aspects(aspects=["noble gases", "halogens"])

READ: list[tuple[str, str, Verdict | Aspects]] = [
    ("plain", GOOD, VERDICT),
    ("blanks around", f"\n\n  {GOOD}  \n", VERDICT),
    ("byte order mark", f"\ufeff{GOOD}", VERDICT),
    ("fence with language", f"```json\n{GOOD}\n```", VERDICT),
    ("fence without language", f"```\n{GOOD}\n```", VERDICT),
    ("fence on one line", f"```json {GOOD}```", VERDICT),
    ("fence never closed", f"```json\n{GOOD}\n", VERDICT),
    ("fence amid prose", f"Here it is:\n```json\n{GOOD}\n```\nHope this helps!", VERDICT),
    ("preamble", f"Sure! Here is the JSON you asked for:\n{GOOD}", VERDICT),
    ("epilogue", f"{GOOD}\n\nLet me know if you need more.", VERDICT),
    ("prose with brackets before", f"The set {{a, b}} and [0, 1) aside: {GOOD}", VERDICT),
    ("thought before", f"<think>Is it {{right}}? Yes.</think>\n{GOOD}", VERDICT),
    (
        "thought with a draft",
        f'<think>{{"reason": "no", "right": false, "confidence": 1}}</think>{GOOD}',
        VERDICT,
    ),
    ("thought without its opening tag", f"Let me see. It is.</think>{GOOD}", VERDICT),
    (
        "trailing commas",
        '{"reason": "It says so.", "right": true, "confidence": 0.9,}',
        VERDICT,
    ),
    ("trailing comma in a list", '{"aspects": ["noble gases", "halogens",]}', ASPECTS),
    ("single quotes", "{'reason': 'It says so.', 'right': true, 'confidence': 0.9}", VERDICT),
    ("Python literals", "{'reason': 'It says so.', 'right': True, 'confidence': 0.9}", VERDICT),
    (
        "half a surrogate pair",
        r'{"reason": "It says so.", "right": true, "confidence": 0.9, "more": "\ud83d"}',
        VERDICT,
    ),
    (
        "a pair and a half",
        r'{"aspects": ["\ud83d\ude00 \udc00é"]}',
        Aspects(aspects=["\U0001f600 \ufffdé"]),
    ),
    ("unquoted names", '{reason: "It says so.", right: true, confidence: 0.9}', VERDICT),
    (
        "line comments",
        '{\n// don\'t\n"reason": "It says so.", "right": true, "confidence": 0.9}',
        VERDICT,
    ),
    (
        "block comments",
        '{"reason": "It says so.", /* sure */ "right": true, "confidence": 0.9}',
        VERDICT,
    ),
    (
        "typographic quotes",
        "{“reason”: “It says so.”, “right”: true, “confidence”: 0.9}",
        VERDICT,
    ),
    (
        "further fields",
        '{"reason": "It says so.", "right": true, "confidence": 0.9, "mood": "fine"}',
        VERDICT,
    ),
    (
        "fields in another order",
        '{"confidence": 0.9, "right": true, "reason": "It says so."}',
        VERDICT,
    ),
    (
        "a number as text",
        '{"reason": "It says so.", "right": true, "confidence": "0.9"}',
        VERDICT,
    ),
    ("in a list of one", f"[{GOOD}]", VERDICT),
    ("under one key", f'{{"result": {GOOD}}}', VERDICT),
    ("under two keys, one in the other", f'{{"output": {{"verdict": {GOOD}}}}}', VERDICT),
    (
        "a backslash from the prompt",
        '{"aspects": ["<\\noble gases>", "\\u003chalogens>"]}',
        Aspects(aspects=["<noble gases>", "<halogens>"]),
    ),
    ("a bare list for the only list field", '["noble gases", "halogens"]', ASPECTS),
    ("a bare list in prose", 'These: ["noble gases", "halogens"].', ASPECTS),
    ("JSON inside a string", '"{\\"aspects\\": [\\"noble gases\\", \\"halogens\\"]}"', ASPECTS),
    ("the same object twice", f"{GOOD}\n{GOOD}", VERDICT),
    ("another object beside it", f'{{"note": "draft"}}\n{GOOD}', VERDICT),
    (
        "braces and fences inside strings",
        '{"reason": "so: } ``` {\\"", "right": true, "confidence": 1}',
        Verdict(reason='so: } ``` {"', right=True, confidence=1.0),
    ),
    (
        "apostrophes inside strings",
        '{"reason": "It\'s Bohr\'s", "right": false, "confidence": 0}',
        Verdict(reason="It's Bohr's", right=False, confidence=0.0),
    ),
]

# read only after one repair; what stands first is what the endpoint said first, and what the repair
# has to name
REPAIRED: list[tuple[str, str, str]] = [
    ("prose only", "The answer is right.", "no JSON object"),
    ("empty", "", "empty"),
    ("blanks", " \n ", "empty"),
    ("only a thought", "<think>Yes.</think>", "empty"),
    ("a thought that never ends", f"<think>Is it? {GOOD}", "empty"),
    ("breaks off", '{"reason": "It says so.", "right": tr', "breaks off"),
    ("breaks off after a whole object", f'[{GOOD}, {{"reason": "It', "breaks off"),
    ("a draft, then one that breaks off", f'{GOOD}\nNo: {{"reason": "It', "breaks off"),
    (
        "brackets that do not match",
        '{"reason": ["a"}, "right": true, "confidence": 1]',
        "do not match",
    ),
    ("the string false", '{"reason": "x", "right": "false", "confidence": 1}', "field right"),
    ("the number one for true", '{"reason": "x", "right": 1, "confidence": 1}', "field right"),
    ("null", '{"reason": "x", "right": null, "confidence": 1}', "field right"),
    ("NaN", '{"reason": "x", "right": true, "confidence": NaN}', "field confidence"),
    ("infinity", '{"reason": "x", "right": true, "confidence": Infinity}', "field confidence"),
    ("out of range", '{"reason": "x", "right": true, "confidence": 95}', "field confidence"),
    ("a missing field", '{"reason": "x", "right": true}', "field confidence is missing"),
    (
        "the schema itself",
        '{"type": "object", "properties": {"right": {"type": "boolean"}}}',
        "is missing",
    ),
    (
        "two different objects",
        f"{GOOD}\n{GOOD.replace('true', 'false')}",
        "2 different objects",
    ),
    ("a list of two", f"[{GOOD}, {GOOD.replace('true', 'false')}]", "a list where one object"),
    ("a Python set", "{'reason': {'x'}, 'right': True, 'confidence': 1}", "malformed"),
    ("a bare word", "true", "no JSON object"),
    ("HTML", "<html><body>Error</body></html>", "no JSON object"),
]

UNSCORED: list[tuple[str, tuple[ChatReply | str, ...], str, int]] = [
    ("prose twice", ("Right.", "Right, I said."), "parse", 2),
    ("empty twice", ("", ""), "empty", 2),
    ("prose, then empty", ("Right.", ""), "empty", 2),
    ("empty, then prose", ("", "Right."), "parse", 2),
    (
        "the string false twice",
        ('{"reason": "", "right": "false", "confidence": 1}',),
        "parse",
        2,
    ),
    ("refusal", (ChatReply("", refusal="I can't help with that."),), "refusal", 1),
    ("refusal after a repair", ("Right.", ChatReply("", refusal="No.")), "refusal", 2),
    ("content filter", (ChatReply(GOOD, finish="content_filter"),), "content_filter", 1),
    ("cut off twice, though it looks whole", (ChatReply(GOOD, finish="length"),), "cut_off", 2),
    (
        "cut off, bad, cut off",
        (ChatReply("Ne", "length"), "Right.", ChatReply(GOOD, "length")),
        "cut_off",
        3,
    ),
]


@pytest.mark.parametrize(("label", "text", "expected"), READ, ids=[row[0] for row in READ])
async def test_read_at_once(label: str, text: str, expected: Verdict | Aspects) -> None:
    chat = Scripted(text)
    assert await structured(chat, ask(), type(expected)) == expected
    assert len(chat.asked) == 1


@pytest.mark.parametrize(
    ("label", "text", "reason"), REPAIRED, ids=[row[0] for row in REPAIRED]
)
async def test_repaired_once(label: str, text: str, reason: str) -> None:
    chat = Scripted(text, GOOD)
    assert await structured(chat, ask("Judge."), Verdict) == VERDICT
    first, second = chat.asked
    assert second.messages[: len(first.messages)] == first.messages
    bad, wrong = second.messages[len(first.messages) :]
    assert (bad.role, wrong.role) == ("assistant", "user")
    assert bad.content == ("(an empty reply)" if reason == "empty" else text)
    assert reason in wrong.content
    assert second.schema is Verdict


@pytest.mark.parametrize(
    ("label", "replies", "kind", "calls"), UNSCORED, ids=[row[0] for row in UNSCORED]
)
async def test_unscored(
    label: str, replies: tuple[ChatReply | str, ...], kind: str, calls: int
) -> None:
    chat = Scripted(*replies)
    with pytest.raises(ReplyUnreadable) as caught:
        await structured(chat, ask(), Verdict)
    assert (caught.value.kind, len(chat.asked)) == (kind, calls)


def test_a_huge_reply_is_not_mended_at_any_price() -> None:
    with pytest.raises(UnreadableText):
        read_object("{'aspects': [" + "'an aspect', " * 20_000 + "]}", Aspects)
    plain = '{"aspects": [' + ", ".join(['"an aspect"'] * 20_000) + "]}"
    assert len(read_object(plain, Aspects).aspects) == 20_000


def test_a_long_reply_with_half_a_surrogate_pair_is_read() -> None:
    text = '{"aspects": ["' + 20_000 * "a" + r'\ud83d"]}'
    assert read_object(text, Aspects).aspects == [20_000 * "a" + "\ufffd"]


def test_deep_nesting_is_unreadable_and_no_crash() -> None:
    with pytest.raises(UnreadableText):
        read_object("[" * 9_000 + "]" * 9_000, Aspects)
