"""DeepQuestion inside another LangGraph app: problems of your own taken up Bloom's taxonomy, for your own models.

async with embed_deepquestion("gsm8k.jsonl", target=my_chat_model, evaluator="openai:gpt-5", env=os.environ) as deep:
    builder.add_node("deepquestion", deep.graph)      # channels `spec`, `run_id` in, `result` out
    state = deep.input(kinds="q2s", distractors=["none", "many"])

async with embed_deepquestion(deep.written(result), target=another, evaluator="openai:gpt-5", env=os.environ) as again:
    ...                                               # another model, asked the very same texts
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from typing_extensions import Unpack

from ...state.deepquestion.items import ProblemSet
from ...state.deepquestion.result import DeepQuestionResult
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.errors import UsageError
from ...tools.files.deepquestion.fields import Problems, problem_set_of
from ...tools.files.deepquestion.transformed import texts_made
from ...tools.models.as_chat import Model
from ..deepquestion.graph import build_graph
from .binding import Embedded, HostOptions, one_at_a_time, opened

DRAFTING = ("guides", "threshold", "rounds", "single_pass", "use_best", "sample")
"""Fields of a spec about transformation prompts."""


@dataclass(frozen=True, slots=True)
class EmbeddedDeepQuestion(Embedded[DeepQuestionResult]):
    """A compiled DeepQuestion over a set of problems, and what it is bound to."""

    problems: ProblemSet
    """The problems, and what was written from them where that is given."""

    def spec(self, **options: Any) -> DeepQuestionSpec:
        """The spec of a run of the bound models over the bound problems. Options are fields of
        `DeepQuestionSpec`: kinds, distractors, guides, threshold, rounds, single_pass, use_best,
        baseline, tolerance, seed, … A single kind or load may be given as it is. Of texts that are
        given, all kinds and loads that they have are asked unless options name some.

        Raises UsageError as `Embedded.spec` does, for kinds and loads that given texts lack, and
        for options that have nothing to act on.
        """
        bound = {
            "benchmark": self.problems.name,
            "material": self.problems.digest,
            "problems": len(self.problems.problems),
            "given": self.problems.transformed is not None,
            "target": self.deps.target.name,
            "generator": (self.deps.generator or self.deps.evaluator).name,
            "evaluator": self.deps.evaluator.name,
            "judge": self.deps.judge.name,
        }
        held = _held(self.problems)
        listed = options | {
            name: (options[name],) for name in _LISTS if isinstance(options.get(name), str)
        }
        spec = self._checked(DeepQuestionSpec, listed, bound, held)
        if held:
            _require_held(spec, held)
        return _sensible(spec, options)

    def written(self, result: DeepQuestionResult | Mapping[str, Any]) -> ProblemSet:
        """The problems with the texts that a run over them has written, for other models to be
        asked the very same. Raises UsageError for a result about other problems."""
        held = DeepQuestionResult.model_validate(result)
        if held.spec.material != self.problems.digest:
            raise UsageError(
                f"The result is about other problems ({held.spec.benchmark}): give one of "
                "this graph."
            )
        if self.problems.transformed is not None:
            return self.problems
        return ProblemSet(
            name=self.problems.name,
            problems=self.problems.problems,
            transformed=held.transformed,
            made=texts_made(held, self.problems),
            notices=self.problems.notices,
        )


@asynccontextmanager
async def embed_deepquestion(
    problems: Problems,
    target: Model,
    evaluator: Model,
    generator: Model | None = None,
    judge: Model | None = None,
    **host: Unpack[HostOptions],
) -> AsyncIterator[EmbeddedDeepQuestion]:
    """A graph that plays these problems, for as long as the block lasts; clients made here are
    closed at its end.

    `problems`: a `ProblemSet`, a list of problems or of their fields (question, answer, options,
    solution, domain, id), JSON of either, or a file: a benchmark, or texts that `fathom
    deepquestion -o` wrote. A benchmark with other names of columns is read by `read_benchmark`.
    `evaluator` scores, solves independently and checks; it also drafts and writes where no
    `generator` is given, and compares where no `judge` is. A transformation prompt is an option of
    the spec (`guides`). Raises UsageError, for the problems as `problem_set_of` does.
    """
    held = await asyncio.to_thread(problem_set_of, problems)  # it may be a file
    models = (
        target,
        evaluator,
        *(evaluator if model is None else model for model in (generator, judge)),
    )
    async with opened("deepquestion", models, host) as found:
        asked, helping, writing, judging = found.chats
        deps = found.deps(asked, helping, judging, generator=writing, problems=held)
        compiled = one_at_a_time(build_graph(deps))
        yield EmbeddedDeepQuestion(compiled, deps, found.clients, found.prompts, found.world, held)


_LISTS = ("kinds", "distractors")


def _held(problems: ProblemSet) -> dict[str, tuple[str, ...]]:
    """Kinds and loads of texts that are given; empty where they are still to be written."""
    if problems.transformed is None:
        return {}
    return {"kinds": problems.kinds} | ({"distractors": problems.loads} if problems.loads else {})


def _require_held(spec: DeepQuestionSpec, held: Mapping[str, Sequence[str]]) -> None:
    """Raises UsageError for kinds and loads that given texts lack."""
    wanted: dict[str, Sequence[str]] = {"kinds": spec.kinds}
    if "q2s" in held["kinds"] and "q2s" in spec.kinds:
        wanted["distractors"] = spec.distractors
    lacking = [
        name for field_, names in wanted.items() for name in names if name not in held[field_]
    ]
    if lacking:
        raise UsageError(f"The given texts have nothing for {', '.join(lacking)}: leave that out.")


def _sensible(spec: DeepQuestionSpec, options: Mapping[str, Any]) -> DeepQuestionSpec:
    """The spec, without what is about kinds that are not asked. Raises UsageError for what would be
    passed over in silence."""
    idle = next((name for name in DRAFTING if name in options), None)
    if idle is not None and spec.given:
        raise UsageError(
            f"The texts are given, so that no prompt is drafted or used: leave {idle} out."
        )
    if blank := [kind for kind, guide in spec.guides.items() if not guide.strip()]:
        raise UsageError(
            f"The transformation prompt for {blank[0]} is empty: write it, or have it drafted."
        )
    comparing = "q2i" in spec.kinds
    if options.get("baseline") and not comparing:
        raise UsageError(
            "Without q2i no questions are compared, and a baseline says nothing: leave it out."
        )
    guides = {kind: guide for kind, guide in spec.guides.items() if kind in spec.kinds}
    return spec.model_copy(update={"guides": guides, "baseline": spec.baseline if comparing else 0})
