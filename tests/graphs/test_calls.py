"""What a scored probe costs against an endpoint that is not the simulated world, by its usage, and
how much of a prompt a provider's cache can know already. The endpoint words a reference, and the
answer of its check, each in a way of its own, as models do; the evidence is a folder of documents.
"""

import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import fmean

import pytest
from aiohttp import web

from fathom.state.tiers import LEVELS, TIERS

from ..support.careless import blocks, purpose_of
from ..support.drill.drills import drill, sim_spec
from ..support.drill.toy import share

TOPICS = [
    a + b
    for a in ("Kel", "Bra", "Mon", "Tir", "Sol", "Ves")
    for b in ("vor", "dane", "mit", "pruk", "ssen")
]
FACTS = (
    (
        "{} melts at {v} °C under the pressure of dry air.",
        "At what temperature does {} melt in dry air?",
        "{} melts at {v} °C.",
        "{v} °C",
    ),
    (
        "{} was first described in {v} by Ana Ruiz.",
        "In which year was {} first described?",
        "{} was described in {v}.",
        "{v}",
    ),
    (
        "A dry unit of {} weighs {v} grams in the hand.",
        "How many grams does a dry unit of {} weigh?",
        "A unit of {} weighs {v} grams.",
        "{v}",
    ),
)
"""Sentence of a document, question, one way to say the answer, and the answer alone."""


def value(topic: str, fact: int) -> int:
    return 100 + int(900 * share(topic, fact))


def documents(folder: Path) -> None:
    for topic in TOPICS:
        told = [
            sentence.format(topic, v=value(topic, n)) for n, (sentence, *_) in enumerate(FACTS)
        ]
        body = "\n\n".join(
            f"{one} {topic} is kept beside {topic} of an older year." for one in told
        )
        (folder / f"{topic.lower()}.md").write_text(
            f"# {topic}\n\n{body}\n\n## More on it\n\n{body}\n"
        )


class Endpoint:
    """Evaluator and target by plain rules. It keeps what it was asked, by task."""

    def __init__(self) -> None:
        self.asked: dict[str, list[str]] = defaultdict(list)
        self.url = ""

    async def chat(self, request: web.Request) -> web.Response:
        body = await request.json()
        text = "\n".join(message["content"] for message in body["messages"])
        task = purpose_of(body)
        self.asked[task].append(text)
        reply = getattr(self, task)(blocks(text), text)
        said = reply if isinstance(reply, str) else json.dumps(reply)
        usage = {
            "prompt_tokens": len(text) // 4,
            "completion_tokens": len(said) // 4,
            "total_tokens": 0,
        }
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": said},
        }
        return web.json_response(
            {
                "id": "x",
                "object": "chat.completion",
                "model": "m",
                "choices": [choice],
                "usage": usage,
            }
        )

    def aspects(self, given: dict[str, str], _: str) -> object:
        left = [topic for topic in TOPICS if topic not in given["named"].split()]
        return {"aspects": left[: int(given["count"])]}

    def question(self, given: dict[str, str], _: str) -> object:
        for sentence, question, own, short in FACTS:
            if found := re.search(
                re.escape(sentence).replace(r"\{\}", r"(\w+)").replace(r"\{v\}", r"(\d+)"),
                given["passage"],
            ):
                topic, number = found.groups()
                words = worded(topic, number, own, short, "reference")
                return {
                    "passage": 1,
                    "question": question.format(topic),
                    "answer": short.format(v=number),
                    "reference": words,
                    "quote": found[0],
                }
        return {"refused": ["1: no fact"], "question": ""}

    def check(self, given: dict[str, str], _: str) -> object:
        number = re.search(r"\d+", given["passage"])
        (topic, own, short) = next(
            (t, own, s)
            for t in TOPICS
            for _, q, own, s in FACTS
            if q.format(t) == given["question"]
        )
        answer = worded(topic, number[0] if number else "", own, short, "check")
        line = given["line"].splitlines()
        level = (*LEVELS, LEVELS[-1])[len(line)]
        return {"answerable": True, "answer": answer, "level": level, "step": "deeper"}

    def same(self, given: dict[str, str], _: str) -> object:
        numbers = [re.findall(r"\d+", given[part]) for part in ("reference", "answer")]
        return {"same": numbers[0] == numbers[1]}

    def answer(self, given: dict[str, str], text: str) -> str:
        topic, number = next(
            (t, n) for t in TOPICS for n, (_, q, *_) in enumerate(FACTS) if q.format(t) in text
        )
        right = value(topic, number) + (share("knows", topic, number) > 0.9)
        other = [TOPICS[int(share(topic, number, i) * len(TOPICS))] for i in range(3)]
        return f"It is {right}, as far as I know. It belongs with {', '.join(other)}."

    def verdict(self, given: dict[str, str], _: str) -> object:
        right = re.findall(r"\d+", given["reference"]) == re.findall(r"\d+", given["answer"])
        return {"reason": "", "verdict": "asserts" if right else "contradicts"}

    def concepts(self, given: dict[str, str], _: str) -> object:
        names = [topic for topic in TOPICS if topic in given["answer"]]
        return {
            "concepts": [{"said": name, "name": name} for name in names],
            "aspects": TOPICS[:4],
        }


def worded(topic: str, number: str, own: str, short: str, part: str) -> str:
    """A bare answer in one of four manners, which question and check draw apart."""
    alone = short.format(v=number)
    manners = (alone, f"{alone}.", f"It is {alone}.", own.format(topic, v=number))
    return manners[int(share(part, topic, number) * len(manners))]


@asynccontextmanager
async def serving() -> AsyncIterator[Endpoint]:
    served, app = Endpoint(), web.Application()
    app.router.add_post("/v1/chat/completions", served.chat)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    served.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield served
    finally:
        await runner.cleanup()


def prefix_share(prompts: list[str]) -> float:
    """The share of a prompt that is the same in all of them, from its beginning."""
    first, last = (
        min(prompts),
        max(prompts),
    )  # what these two share at the beginning, all between them share
    same = next(
        (n for n, (one, other) in enumerate(zip(first, last, strict=False)) if one != other),
        len(first),
    )
    return same / fmean(map(len, prompts))


async def test_calls_of_a_scored_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    async with serving() as endpoint:
        model, folder = f"openai@{endpoint.url}:m", (f"folder:{tmp_path}",)
        spec = sim_spec(
            domain="Minerals", target=model, evaluator=model, judge=model, facts=dict.fromkeys(TIERS[:4], folder), n=15,
            passes=1, max_depth=4, threshold=0.01, world=None,
        )  # fmt: skip
        result = (await drill(spec)).result
    assert result is not None
    scored = sum(row.scored for row in result.depths)
    calls = sum(usage.calls for usage in result.usage.values())
    shares = {
        task: prefix_share(endpoint.asked[task])
        for task in ("question", "check", "verdict", "concepts")
    }
    assert scored == 60
    assert calls / scored <= 5.2
    assert min(shares["question"], shares["verdict"]) >= 0.6
