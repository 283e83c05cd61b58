"""Each method inside another LangGraph app: who takes part, what its graph is bound to besides
models, and what the spec of a run is made of."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from langchain_core.embeddings import Embeddings
from typing_extensions import Unpack

from ...state.channels import DrillInput
from ...state.deepquestion.result import DeepQuestionResult
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.depthqa.build import DepthQABuildResult
from ...state.depthqa.result import DepthQAResult
from ...state.depthqa.spec import GIVEN, SourceQuestion
from ...state.eqt.result import EqtResult
from ...state.errors import UsageError
from ...state.options import (
    DeepQuestionOptions,
    DepthQABuildOptions,
    DepthQAOptions,
    DrillOptions,
    EqtOptions,
)
from ...state.problems import ProblemSet
from ...state.question_graph import GivenAnswer, Material, Mode, QuestionGraph
from ...state.result import DrillResult
from ...state.spec import (
    Concept,
    DepthQABuildSpec,
    DepthQASpec,
    DrillSpec,
    EqtSpec,
    is_simulated,
)
from ...state.tiers import Tier
from ...tools.facts.base import FactSource, Whole
from ...tools.facts.registry import Sources, cached_source, parse_facts
from ...tools.files.problem_set import problem_set_of
from ...tools.files.question_graph import check_graph, read_graph
from ...tools.files.source_questions import read_questions
from ...tools.files.text import handed_over
from ...tools.files.transformed import texts_made
from ...tools.models.as_chat import Model
from ...tools.models.embeddings import EmbeddingSimilarity
from ...tools.similarity import LEXICAL, Similarity, similarity_of
from ..run.deps import MethodGraph, RunDeps
from ..run.options import require
from .binding import Embedded, HostOptions, Opened

Bound = tuple[dict[str, Any], dict[str, Any]]
Concepts = str | Iterable[str | Concept] | Mapping[str, Iterable[str]]
Modes = Mode | Iterable[Mode]


class EmbeddedDrill(Embedded[DrillResult]):
    """A drill. `input` takes a domain."""

    method = "drill"
    roles: ClassVar = {"target": "", "evaluator": "", "judge": "evaluator"}

    @classmethod
    async def bind(cls, parts: Opened) -> Bound:
        facts, language = parts.host.get("material"), parts.host.get("language", "en")
        require(facts=facts)
        if isinstance(facts, Mapping):
            names = {
                tier: tuple(source.name for source in of_tier) for tier, of_tier in facts.items()
            }
            return {"sources": facts}, {"facts": names, "language": language}
        simulated = any(is_simulated(chat.name) for chat in parts.chats.values())
        plan = parse_facts(facts, parts.env, simulated=simulated).facts
        sources = await _sources(parts, plan, language)
        return {"sources": sources}, {"facts": plan, "language": language}

    @classmethod
    def build(cls, deps: RunDeps, host: HostOptions) -> MethodGraph:
        from ..drill.graph import build_graph

        return build_graph(deps)

    def spec(self, domain: str, **options: Unpack[DrillOptions]) -> DrillSpec:
        require(domain=domain)
        today = self.deps.clock.now().date()
        return self._checked(DrillSpec, options, domain=domain, as_of=today)

    def input(self, domain: str, **options: Unpack[DrillOptions]) -> DrillInput:
        return Embedded.input(self, domain, **options)


async def _sources(
    parts: Opened, plan: Mapping[Tier, Sequence[str]], language: str
) -> dict[Tier, list[FactSource]]:
    """The sources by tier; each has read beforehand what it has to, and is behind the cache if
    there is one."""
    if any("sim" in names for names in plan.values()):
        await parts.open_world()
    url = parts.running.base_url if parts.running else None
    registry = Sources(parts.env, sim_url=url, language=language, clock=parts.clock.now)
    parts.stack.push_async_callback(registry.aclose)
    by_tier = dict[Tier, list[FactSource]]()
    for tier, names in plan.items():
        by_tier[tier] = []
        for source in registry.for_tier(names):
            if isinstance(source, Whole):
                await source.prepare()
            by_tier[tier].append(
                source if parts.store is None else cached_source(source, parts.store)
            )
    return by_tier


class EmbeddedEqt(Embedded[EqtResult]):
    """An Explain-Query-Test. The examiner explains, asks and paraphrases; the judge checks
    paraphrases and attributes failures where a spec asks for that. `input` takes a concept, several
    (names or `Concept`s), or lists of names by category."""

    method = "eqt"
    roles: ClassVar = {"target": "", "examiner": "target", "judge": "examiner"}

    def spec(self, concepts: Concepts, **options: Unpack[EqtOptions]) -> EqtSpec:
        return self._checked(EqtSpec, options, concepts=_concepts(concepts))

    def input(self, concepts: Concepts, **options: Unpack[EqtOptions]) -> DrillInput:
        return Embedded.input(self, concepts, **options)


def _concepts(names: Any, category: str = "") -> list[Concept]:
    """The concepts as a spec has them. A string is one name, not a list of letters."""
    if isinstance(names, Mapping):
        return [
            concept
            for category, members in names.items()
            for concept in _concepts(members, str(category))
        ]
    if not isinstance(names, Iterable):
        raise UsageError(
            f"Concepts cannot be of type {type(names).__name__}: give a name, or a list of names."
        )
    concepts = [names] if isinstance(names, str) else names
    return [
        concept if isinstance(concept, Concept) else Concept(name=concept, category=category)
        for concept in concepts
    ]


class EmbeddedDepthQA(Embedded[DepthQAResult]):
    """DepthQA over a question graph: a `QuestionGraph`, its fields, JSON, or a file or folder that
    `read_graph` reads. `input` takes ways of asking."""

    method = "depthqa"
    roles: ClassVar = {"target": "", "judge": "evaluator"}

    @classmethod
    def cast(cls, models: Mapping[str, Model]) -> dict[str, Model]:
        players = super().cast(models)
        return players | ({"target": players["judge"]} if _given_name(models) else {})

    @classmethod
    async def bind(cls, parts: Opened) -> Bound:
        answers, name = parts.host.get("answers"), _given_name(parts.models)
        if (answers is None) is not (name is None):
            raise UsageError(
                f"Given answers need a target that is called {GIVEN}NAME, and it needs them: give "
                "both."
            )
        graph = await graph_of(parts.host.get("material"))
        texts = None if answers is None else _answers(answers, graph)
        material = Material(graph=graph, answers=texts)
        fields = {"graph": graph.name or UNNAMED, "material": material.digest}
        return {"material": material}, fields | ({"target": name} if name else {})

    def spec(self, modes: Modes = "zero-shot", **options: Unpack[DepthQAOptions]) -> DepthQASpec:
        chosen = (modes,) if isinstance(modes, str) else tuple(modes)
        spec, material = self._checked(DepthQASpec, options, modes=chosen), self.deps.material
        if material is None or (material.answers is None and material.graph.edges):
            return spec
        if material.answers is not None and len(chosen) > 1:
            raise UsageError("Given answers were asked for in one way: name that mode alone.")
        quoting = next((mode for mode in chosen if mode.startswith("prompt-")), None)
        if quoting is not None and material.answers is None:
            raise UsageError(
                f"The mode {quoting} quotes predecessors, and no question of this graph has any: "
                "name another."
            )
        return spec

    def input(self, modes: Modes = "zero-shot", **options: Unpack[DepthQAOptions]) -> DrillInput:
        return Embedded.input(self, modes, **options)


UNNAMED = "graph"


def _given_name(models: Mapping[str, Model]) -> str | None:
    """What the target is called whose answers are given; None: it is asked."""
    target = models.get("target")
    return target if isinstance(target, str) and target.startswith(GIVEN) else None


async def graph_of(questions: Any) -> QuestionGraph:
    """The question graph that was handed over, checked; a file is read in a thread of its own.

    Raises UsageError for what is no question graph, for one that cannot be asked (`check_graph`),
    as `read_graph` does, and for the standard input, which is the host's.
    """
    if isinstance(questions, QuestionGraph):
        check_graph(questions.nodes, Path("the question graph"))
        return questions
    source = handed_over(questions, "question graph")
    return (await asyncio.to_thread(read_graph, source)).graph


def _answers(answers: Mapping[str, str], graph: QuestionGraph) -> tuple[GivenAnswer, ...]:
    """Given answers in the graph's order. Raises UsageError for none, and for one to a node there
    is not."""
    unknown = next((node for node in answers if node not in graph.by_id), None)
    if unknown is not None:
        raise UsageError(
            f"There is an answer for the node {unknown!r}, and no such node: name nodes of "
            "the graph."
        )
    if not answers:
        raise UsageError(
            "There is no answer among the given ones: give at least one, or name a model to ask."
        )
    nodes = [node.id for node in graph.nodes if node.id in answers]
    return tuple(GivenAnswer(node=node, text=answers[node]) for node in nodes)


class EmbeddedDepthQABuild(Embedded[DepthQABuildResult]):
    """The building of question graphs; what stands in the result as `graph` can be asked. `input`
    takes questions of depth 3: one, or several, each its text or the fields of a `SourceQuestion`
    (reference, key_points, domain, id); those without an id are called q1, q2, … by their place."""

    method = "depthqa_build"
    roles: ClassVar = {"evaluator": ""}

    @classmethod
    async def bind(cls, parts: Opened) -> Bound:
        limits, measure = parts.host.get("limits"), parts.host.get("material") or LEXICAL
        if isinstance(measure, str):
            if measure.startswith("sim:"):
                await parts.open_world()
            measure = similarity_of(measure, parts.env, parts.clients.sim_url, limits=limits)
        elif isinstance(measure, Embeddings):
            name = f"langchain:{type(measure).__name__}"
            measure = EmbeddingSimilarity(measure, name, limits=limits)
        similarity: Similarity = measure
        return {"similarity": similarity}, {"similarity": similarity.name}

    def spec(self, questions: Any, **options: Unpack[DepthQABuildOptions]) -> DepthQABuildSpec:
        single = isinstance(questions, str | Mapping | SourceQuestion)
        source = handed_over([questions] if single else questions, "questions")
        sources = read_questions(source).questions
        return self._checked(DepthQABuildSpec, options, name=UNNAMED, questions=sources)

    def input(self, questions: Any, **options: Unpack[DepthQABuildOptions]) -> DrillInput:
        return Embedded.input(self, questions, **options)


class EmbeddedDeepQuestion(Embedded[DeepQuestionResult]):
    """DeepQuestion over a set of problems: a `ProblemSet`, a list of problems or of their fields
    (question, answer, options, solution, domain, id), JSON of either, or a file: a benchmark, or
    texts that `fathom deepquestion -o` wrote. `input` takes options alone."""

    method = "deepquestion"
    roles: ClassVar = {
        "target": "",
        "evaluator": "",
        "generator": "evaluator",
        "judge": "evaluator",
    }

    @classmethod
    async def bind(cls, parts: Opened) -> Bound:
        # it may be a file
        material: Any = parts.host.get("material")
        problems = await asyncio.to_thread(problem_set_of, material)
        fields = {
            "benchmark": problems.name,
            "material": problems.digest,
            "problems": len(problems.problems),
            "given": problems.transformed is not None,
        }
        return {"problems": problems}, fields

    @property
    def problems(self) -> ProblemSet:
        """The problems, and what was written from them where that is given."""
        assert self.deps.problems is not None  # bound to them
        return self.deps.problems

    def spec(self, **options: Unpack[DeepQuestionOptions]) -> DeepQuestionSpec:
        """A single kind or load may be given as it is. Of texts that are given, all kinds and loads
        that they have are asked unless options name some. Raises UsageError as `Embedded.spec`
        does, for kinds and loads that given texts lack, and for options that have nothing to act
        on."""
        texts = _kinds_and_loads(self.problems)
        spec = self._checked(DeepQuestionSpec, options, **texts)
        if texts:
            _require_texts(spec, texts)
        return _sensible(spec, options)

    def input(self, **options: Unpack[DeepQuestionOptions]) -> DrillInput:
        return Embedded.input(self, **options)

    def written(self, result: DeepQuestionResult | Mapping[str, Any]) -> ProblemSet:
        """The problems with the texts that a run over them has written, for other models to be
        asked the very same. Raises UsageError for a result about other problems."""
        finished = DeepQuestionResult.model_validate(result)
        if finished.spec.material != self.problems.digest:
            raise UsageError(
                f"The result is about other problems ({finished.spec.benchmark}): give one of "
                "this graph."
            )
        if self.problems.transformed is not None:
            return self.problems
        return ProblemSet(
            name=self.problems.name,
            problems=self.problems.problems,
            transformed=finished.transformed,
            made=texts_made(finished, self.problems),
            notices=self.problems.notices,
        )


def _kinds_and_loads(problems: ProblemSet) -> dict[str, tuple[str, ...]]:
    """Kinds and loads of texts that are given; empty where they are still to be written."""
    if problems.transformed is None:
        return {}
    return {"kinds": problems.kinds} | ({"distractors": problems.loads} if problems.loads else {})


def _require_texts(spec: DeepQuestionSpec, texts: Mapping[str, Sequence[str]]) -> None:
    """Raises UsageError for kinds and loads that given texts lack."""
    missing = [str(kind) for kind in spec.kinds if kind not in texts["kinds"]]
    if "q2s" in texts["kinds"] and "q2s" in spec.kinds:
        missing += [load for load in spec.distractors if load not in texts["distractors"]]
    if missing:
        raise UsageError(f"The given texts have nothing for {', '.join(missing)}: leave that out.")


DRAFTING = ("guides", "threshold", "rounds", "single_pass", "use_best", "sample")
"""Fields of a spec about transformation prompts."""


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
