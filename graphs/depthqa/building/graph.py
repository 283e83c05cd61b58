"""Building a DepthQA graph as a LangGraph state machine: open → one Send per source question → sift
→ one Send per gap → settle → one Send per relation (when they are rated) → finish."""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ....agents.explainer.reference import write_reference
from ....agents.judge.rating import RelationReply, rate_relation
from ....agents.paraphraser.open_question import ask_openly, open_up
from ....agents.questioner.deconstruction import TOKENS_EACH, augment, classify, deconstruct
from ....agents.skill import Skill
from ....state.channels import Stop
from ....state.depthqa.build import (
    Classified,
    Deconstructed,
    ReferenceWritten,
    RelationChecked,
    Rewritten,
    Sifted,
)
from ....state.depthqa.spec import DepthQABuildSpec
from ....state.items import BuildItem, build_items
from ....state.question_graph import Depth, QuestionNode, SubQuestion, question_key
from ...run.deps import MethodGraph, RunDeps, Stages, compiled, together
from ...run.due import LIMIT, TEXT_BYTES, PlannedCall, step_cost
from ...run.part_graph import PartNodes
from ...run.record import RunRecord
from ...step import Admission, I, Step, Steps, T, admitted
from .draft import (
    NEAR,
    Alike,
    Draft,
    Sieve,
    fillings,
    first_draft,
    parent_of,
    relation_place,
    sub_id,
)
from .result import ending_of


class Build(Steps):
    """All steps of one build. It remembers the two siftings: to find one in the journal takes as
    long as reading all of it."""

    _first: Sifted | None = None
    _second: Sifted | None = None

    def __init__(self, deps: RunDeps, spec: DepthQABuildSpec, run_id: str) -> None:
        super().__init__(deps, run_id, spec)
        self.spec = spec
        self._sources = {source.id: tree for tree, source in enumerate(spec.questions)}
        self._nodes: dict[str, QuestionNode] = {}
        """What is left so far."""

    # deconstruction

    async def source(self, name: str) -> None:
        """One source question, down to depth 1."""
        source = self.spec.questions[self._sources[name]]
        material = source.reference or source.key_points
        if self.spec.classify:
            classified = await self._ask(
                Classified, f"{name}@depth", classify, _depth, source.question, material
            )
            if classified.depth != 3:
                return
        reference = source.reference.strip()
        if not reference:
            item_name, texts = f"{name}@reference", (source.question, source.key_points)
            reply = await self._ask(
                ReferenceWritten,
                item_name,
                write_reference,
                lambda text: {"text": text},
                *texts,
                node=name,
            )
            reference = reply.text
        if reference:
            await self._question(
                name, SubQuestion(question=source.question, reference=reference), 3
            )

    async def fill(self, name: str) -> None:
        """Questions that take the place of what a question has lost, down to depth 1."""
        first, node = await self.first(), self._nodes[name]
        depth: Depth = node.depth - 1
        left = [self._nodes[name].question for name in node.predecessors]
        removed = [row.question for row in first.removed if row.node.rpartition(".")[0] == name]
        texts = (node.question, node.reference, depth, first.gaps[name], left, removed)
        more = await self._ask(
            Deconstructed,
            f"{name}@more",
            augment,
            lambda subs: {"questions": subs},
            *texts,
            node=name,
            gap=True,
        )
        await self._sub_questions(name, more, depth)

    async def _question(self, node: str, sub: SubQuestion, depth: Depth) -> None:
        """A question as it was written: asked openly, and taken apart."""
        question = question_key(sub.question)
        if sub.yes_or_no:
            question = (await self._reword(node, question, sub.reference)).text
        if not question or depth == 1:
            return
        next_depth: Depth = depth - 1
        domain = self.spec.questions[self._tree_of(node)].domain.replace("_", " ")
        texts = (question, sub.reference, next_depth, self.spec.width, domain)
        parts = await self._ask(
            Deconstructed, f"{node}@parts", deconstruct, dict, *texts, node=node
        )
        if parts.yes_or_no and not sub.yes_or_no:
            await self._reword(node, question, sub.reference)
        await self._sub_questions(node, parts, next_depth)

    async def _sub_questions(self, node: str, parts: Deconstructed, depth: Depth) -> None:
        names = [
            sub_id(node, n, augmented=parts.gap) for n in range(1, len(parts.questions) + 1)
        ]
        subs = zip(names, parts.questions, strict=True)
        await together(*(self._question(name, sub, depth) for name, sub in subs))

    async def _reword(self, node: str, question: str, reference: str) -> Rewritten:
        async def make(step: Step) -> Rewritten:
            rewording = await open_up(
                lambda text: step.ask(ask_openly, text, reference), question
            )
            vain = rewording.sound is None and rewording.failure is None
            return Rewritten(
                **step.fields(),
                node=node,
                before=question,
                text=rewording.sound or "",
                fault=rewording.failure,
                dropped="yes or no still answers it" if vain else None,
            )

        return await self._step(f"{node}@open", "open_question", make)

    async def relate(self, name: str) -> None:
        """How a question and its predecessors go together."""
        await self.second()
        node = self._nodes[name]
        predecessors = [self._nodes[below_id] for below_id in node.predecessors]
        subs = [SubQuestion(question=n.question, reference=n.reference) for n in predecessors]

        def says(reply: RelationReply) -> dict[str, Any]:
            ratings = {node.predecessors[row.number - 1]: row.rating for row in reply.implicit}
            return {
                "comprehensive": reply.comprehensive,
                "missing": reply.missing,
                "implicit": ratings,
            }

        texts = (node.question, node.reference, subs)
        await self._ask(
            RelationChecked, relation_place(node), rate_relation, says, *texts, node=name
        )

    async def _ask(
        self,
        kind: type[I],
        item_name: str,
        skill: Skill[Any, T],
        says: Callable[[T], Mapping[str, Any]],
        /,
        *texts: Any,
        **fields: Any,
    ) -> I:
        async def make(step: Step) -> I:
            reply = await step.ask(skill, *texts)
            return step.item(kind, reply, says, **fields)

        return await self._step(item_name, skill.prompt.name, make)

    async def _step(
        self, item_name: str, prompt: str, make: Callable[[Step], Awaitable[I]]
    ) -> I:
        limit = LIMIT + TOKENS_EACH * self.spec.width
        due = PlannedCall("evaluator", prompt, room=4 * TEXT_BYTES, limit=limit)

        def admission() -> Admission:
            return admitted(self.deps.budget, lambda: step_cost(self.deps, [due]))

        tree = self._tree_of(item_name.partition("@")[0])
        return await self.do(f"{self.short_id}/{item_name}", make, admission, tree=tree)

    def _tree_of(self, node: str) -> int:
        """The source question that a node was written for: its id begins with that one's."""
        while node not in self._sources:
            node = node.rpartition(".")[0]
        return self._sources[node]

    # sifting

    async def first(self) -> Sifted:
        """What is left once what is alike is one, before gaps are filled."""
        if self._first is None:
            draft = first_draft(self.spec, self._items())
            self._first = await self._sift(draft, None)
        return self._first

    async def second(self) -> Sifted:
        """What is left after that: what was written to fill gaps must not be there already."""
        if self._second is None:
            first = await self.first()
            draft = fillings(self.spec, first, self._items())
            self._second = await self._sift(draft, first)
        return self._second

    async def _sift(self, draft: Draft, first: Sifted | None) -> Sifted:
        fixed = first.nodes if first else ()

        async def make(step: Step) -> Sifted:
            sieve = Sieve(await self._alike([*fixed, *draft.nodes]), fixed)
            sieve.take(draft.nodes)
            nodes = sieve.nodes()
            return Sifted(
                **step.fields(),
                settled=first is not None,
                nodes=nodes,
                removed=(*draft.removed, *sieve.removed),
                gaps=_open_gaps(first.gaps if first else {}, draft, sieve, nodes),
            )

        sifted = await self.do(f"{self.short_id}/{draft.sieve}", make, tree=0)
        self._nodes = {node.id: node for node in sifted.nodes}
        return sifted

    def _items(self) -> list[BuildItem]:
        return build_items(self.deps.sink.items(self.run_id))

    async def _alike(self, nodes: Sequence[QuestionNode]) -> Alike:
        """In the order of the nodes: the first of equals wins, whatever the order in which they
        were compared."""
        pairs = await self.deps.similarity.pairs([node.question for node in nodes], NEAR)
        alike: dict[str, dict[str, float]] = defaultdict(dict)
        both = {**pairs, **{(second, first): pairs[first, second] for first, second in pairs}}
        for first, second in sorted(both):
            alike[nodes[first].id][nodes[second].id] = both[first, second]
        return alike


def _open_gaps(
    earlier: Mapping[str, int], draft: Draft, sieve: Sieve, nodes: Sequence[QuestionNode]
) -> dict[str, int]:
    """Gaps of questions that are still there: those that are not filled, and those that have come
    below what filled others."""
    filled = Counter(map(parent_of, draft.nodes))
    gaps = Counter(sieve.gaps)
    for name, number in earlier.items():
        gaps[name] += number - filled[name]
    left = {node.id for node in nodes}
    return {name: number for name, number in gaps.items() if number > 0 and name in left}


def _depth(reply: tuple[Depth, str]) -> dict[str, Any]:
    return {"depth": reply[0], "reason": reply[1]}


SUPERSTEPS = 15
"""At most."""


class BuildState(TypedDict, total=False):
    """All channels. What was written is in the sink."""

    spec: dict[str, Any]
    run_id: str
    node: str
    """The task's. Not the spec: with all its questions in every task, checkpoints would grow with
    their square."""
    gaps: list[str]
    """Questions that have lost a predecessor."""
    relations: list[str]
    """Questions whose relation to their predecessors is rated."""
    result: dict[str, Any]


def recursion_limit(spec: DepthQABuildSpec) -> int:
    return SUPERSTEPS


class Nodes(PartNodes[Build]):
    """The nodes, bound to their dependencies."""

    def prepare(self, spec: DepthQABuildSpec, run_id: str) -> Build:
        return Build(self.deps, spec, run_id)

    def stop_of(self, play: Build, record: RunRecord) -> Stop:
        return ending_of(play.spec, build_items(record.items))

    async def open(self, state: BuildState) -> dict[str, Any]:
        """Begin the run."""
        await self.begin(state, SUPERSTEPS)
        return {}

    async def sift(self, state: BuildState) -> dict[str, Any]:
        """What is alike becomes one."""
        await self.deps.gate.pass_through()
        sifted = await self.playing(state["run_id"]).first()
        return {"gaps": sorted(sifted.gaps)}

    async def settle(self, state: BuildState) -> dict[str, Any]:
        """What was written to fill gaps must not be there already."""
        await self.deps.gate.pass_through()
        build = self.playing(state["run_id"])
        nodes = (await build.second()).nodes
        related = [node.id for node in nodes if node.predecessors]
        return {"relations": related if build.spec.check else []}

    async def deconstruct(self, task: BuildState) -> dict[str, Any]:
        """One source question, down to depth 1."""
        return await self._work(task, Build.source)

    async def fill(self, task: BuildState) -> dict[str, Any]:
        """One gap."""
        return await self._work(task, Build.fill)

    async def relate(self, task: BuildState) -> dict[str, Any]:
        """One question and its predecessors."""
        return await self._work(task, Build.relate)

    async def _work(
        self, task: BuildState, step: Callable[[Build, str], Awaitable[None]]
    ) -> dict[str, Any]:
        work = partial(step, self.playing(task["run_id"]), task["node"])
        return await self.step_paid(work, node=task["node"])


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled builder."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_sources, ["deconstruct"])),
        "deconstruct": (nodes.deconstruct, "sift"),
        "sift": (nodes.sift, (_gaps, ["fill", "settle"])),
        "fill": (nodes.fill, "settle"),
        "settle": (nodes.settle, (_relations, ["relate", "finish"])),
        "relate": (nodes.relate, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("depthqa_build", BuildState, deps, stages)


def _sources(state: BuildState) -> list[Send]:
    return _sends("deconstruct", state, [source["id"] for source in state["spec"]["questions"]])


def _gaps(state: BuildState) -> str | list[Send]:
    return _sends("fill", state, state["gaps"]) or "settle"


def _relations(state: BuildState) -> str | list[Send]:
    return _sends("relate", state, state["relations"]) or "finish"


def _sends(task: str, state: BuildState, nodes: Sequence[str]) -> list[Send]:
    return [Send(task, {"run_id": state["run_id"], "node": node}) for node in nodes]
