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
from ...state.depthqa.spec import SourceQuestion
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
from ...state.question_graph import Material, Mode, QuestionGraph
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
from ...tools.facts.base import FactSource
from ...tools.facts.registry import parse_facts
from ...tools.files.problem_set import problem_set_of
from ...tools.files.question_graph import check_graph, read_graph
from ...tools.files.source_questions import read_questions
from ...tools.files.text import handed_over
from ...tools.files.transformed import texts_made
from ...tools.models.embeddings import EmbeddingSimilarity
from ...tools.similarity import LEXICAL, Similarity
from ..run.deps import MethodGraph, RunDeps
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
        if isinstance(facts, Mapping):
            by_name = {tier: tuple(source.name for source in facts[tier]) for tier in facts}
            return {"sources": facts}, {"facts": by_name, "language": language}
        simulated = any(is_simulated(chat.name) for chat in parts.chats.values())
        plan = parse_facts(facts, parts.resources.options.env, simulated=simulated).facts
        if any("sim" in names for names in plan.values()):
            await parts.open_world()
        sources = dict[Tier, list[FactSource]]()
        for tier, names in plan.items():
            sources[tier] = [await parts.resources.source(language, name) for name in names]
        return {"sources": sources}, {"facts": plan, "language": language}

    @classmethod
    def build(cls, deps: RunDeps, host: HostOptions) -> MethodGraph:
        from ..drill.graph import build_graph

        return build_graph(deps, agents_as_nodes=host.get("agents_as_nodes", False))

    def spec(self, domain: str, **options: Unpack[DrillOptions]) -> DrillSpec:
        today = self.deps.clock.now().date()
        return self._checked(DrillSpec, options, domain=domain, as_of=today)

    def input(self, domain: str, **options: Unpack[DrillOptions]) -> DrillInput:
        return Embedded.input(self, domain, **options)


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
    async def bind(cls, parts: Opened) -> Bound:
        graph = await graph_of(parts.host.get("material"))
        material = Material(graph=graph)
        fields = {"graph": graph.name or UNNAMED, "material": material.digest}
        return {"material": material}, fields

    def spec(
        self, modes: Modes = "zero-shot", **options: Unpack[DepthQAOptions]
    ) -> DepthQASpec:
        chosen = (modes,) if isinstance(modes, str) else tuple(modes)
        return self._checked(DepthQASpec, options, modes=chosen)

    def input(
        self, modes: Modes = "zero-shot", **options: Unpack[DepthQAOptions]
    ) -> DrillInput:
        return Embedded.input(self, modes, **options)


UNNAMED = "graph"


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


class EmbeddedDepthQABuild(Embedded[DepthQABuildResult]):
    """The building of question graphs; what stands in the result as `graph` can be asked. `input`
    takes questions of depth 3: one, or several, each its text or the fields of a `SourceQuestion`
    (reference, key_points, domain, id); those without an id are called q1, q2, … by their place."""

    method = "depthqa_build"
    roles: ClassVar = {"evaluator": ""}

    @classmethod
    async def bind(cls, parts: Opened) -> Bound:
        measure = parts.host.get("material") or LEXICAL
        if isinstance(measure, str):
            if measure.startswith("sim:"):
                await parts.open_world()
            measure = parts.resources.similarity(measure)
        elif isinstance(measure, Embeddings):
            name = f"langchain:{type(measure).__name__}"
            measure = EmbeddingSimilarity(measure, name, limits=parts.resources.limits)
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
        does, and for kinds and loads that given texts lack."""
        problems = self.problems
        if problems.transformed is None:
            return self._checked(DeepQuestionSpec, options)
        texts: dict[str, Sequence[str]] = {"kinds": problems.kinds}
        if problems.loads:
            texts["distractors"] = problems.loads
        spec = self._checked(DeepQuestionSpec, options, **texts)
        wanted = (*spec.kinds, *(spec.distractors if "q2s" in spec.kinds else ()))
        missing = [name for name in wanted if name not in (*problems.kinds, *problems.loads)]
        if missing:
            raise UsageError(
                f"The given texts have nothing for {', '.join(missing)}: leave that out."
            )
        return spec

    def input(self, **options: Unpack[DeepQuestionOptions]) -> DrillInput:
        return Embedded.input(self, **options)

    def written(self, result: DeepQuestionResult | Mapping[str, Any]) -> ProblemSet:
        """The problems with the texts that a run over them has written, for other models to be
        asked the very same."""
        if self.problems.transformed is not None:
            return self.problems
        finished = DeepQuestionResult.model_validate(result)
        return ProblemSet(
            name=self.problems.name,
            problems=self.problems.problems,
            transformed=finished.transformed,
            made=texts_made(finished, self.problems),
            notices=self.problems.notices,
        )
