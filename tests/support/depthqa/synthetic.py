"""A graph of questions about chemical elements, and results over it, made by hand for whatever shows them."""

from collections.abc import Iterator, Sequence
from random import Random

from fathom.state.depthqa.build import DepthQABuildResult, RelationChecked, RelationTable, Removal, RewrittenRow
from fathom.state.depthqa.items import Mode, QuestionGraph, QuestionNode
from fathom.state.depthqa.result import DepthQAResult, GraphRow
from fathom.state.depthqa.spec import SourceQuestion
from fathom.state.result import RoleUsage
from fathom.state.spec import DepthQABuildSpec, DepthQASpec

from .numbers import cases_of, changes_of, labels_of, min_k_of, numbers_of
from .scores import asked_of

ELEMENTS = ("copper", "sodium", "aluminium", "iron", "chlorine", "titanium", "silicon", "uranium", "gold", "helium")
_D3 = (
    "A plant that works beside the sea has to replace a part which wears out within months. How would you decide "
    "whether {0} or one of its compounds is the right material for it, and what would change your mind?",
    "Compare two ways of recovering {0} from waste by yield, energy and what is left behind. Which is to be preferred?",
    "How would a world without any {0} have to change its technology over the next fifty years?",
)
_D3_REASONING = (("evaluative", "criteria"), ("comparative", "quantitative", "evaluative"), ("causal", "inductive"))
_D2 = (
    ("How does the electron configuration of {0} determine its usual oxidation states?", ("relational", "causal")),
    ("By which steps is pure {0} obtained from its most important natural source?", ("procedural",)),
    ("How do lattice and bonding explain the melting point of {0}?", ("causal", "application")),
    ("How is the number of atoms in a sample of {0} calculated from its volume?", ("quantitative", "procedural")),
)
_D1 = (
    "What is the atomic number of {0}?",
    "What is the electron configuration of {0} in its ground state?",
    "What is an oxidation state?",
    "Which oxidation states of {0} are common in its compounds?",
    "In which ores, brines or gases does {0} occur?",
    "What is electrolysis?",
    "Which impurities does raw {0} usually contain?",
    "What are the melting point and the boiling point of {0} at standard pressure?",
    "What type of lattice does solid {0} have?",
    "What is the density of {0} at 20 °C?",
    "What is the molar mass of {0}?",
    "What is Avogadro's constant?",
)
_LEADS = ((1, 2, 3, 4), (5, 6, 7), (2, 8, 9), (1, 10, 11, 12))
"""Numbers of the D1 that lead to each D2; the first, atomic number, leads to two of them, as the second does."""
_SHARED = 3
"""The D1 of the first tree that serves every other tree too."""


def graph(trees: int = 3) -> QuestionGraph:
    """Trees 1 … n, of 17 questions the first and 16 each further one, with ids `1_d3`, `1_d2_n1`, `1_d1_n1`.

    `1_d1_n1` and `1_d1_n2` lead to two D2 of their tree; `1_d1_n3` leads to a D2 of every tree; `2_d1_n6`,
    `3_d1_n6` … hold the same question as `1_d1_n6`, as `…_n12` do; `…_d1_n7` are augmented."""
    return QuestionGraph(name="elements", nodes=tuple(node for tree in range(1, trees + 1) for node in _tree(tree)))


def _tree(tree: int) -> Iterator[QuestionNode]:
    element = ELEMENTS[(tree - 1) % len(ELEMENTS)] + ("" if tree <= len(ELEMENTS) else f" isotope {tree}")
    domain = ("inorganic chemistry", "materials science")[tree % 2 == 0]
    kind = (tree - 1) % len(_D3)

    def node(name: str, depth: int, text: str, **more: object) -> QuestionNode:
        question = text.format(element)
        held = {"reference": f"What is known about “{question}”.", "domain": domain, **more}
        return QuestionNode.model_validate({"id": f"{tree}_{name}", "depth": depth, "question": question, **held})

    below = tuple(f"{tree}_d2_n{number}" for number in range(1, 5))
    yield node("d3", 3, _D3[kind], predecessors=below, reasoning=_D3_REASONING[kind])
    for number, (text, reasoning) in enumerate(_D2, start=1):
        leads = tuple(f"{1 if place == _SHARED else tree}_d1_n{place}" for place in _LEADS[number - 1])
        yield node(f"d2_n{number}", 2, text, predecessors=leads, reasoning=reasoning)
    for number, text in enumerate(_D1, start=1):
        if tree == 1 or number != _SHARED:
            yield node(f"d1_n{number}", 1, text, augmented=number == 7)


def result(
    target: str = "sim:student",
    modes: Sequence[Mode] = ("zero-shot",),
    min_k: bool = False,
    *,
    trees: int = 3,
    **changes: object,
) -> DepthQAResult:
    """A run over `graph(trees)`. Scores, and with them all means and discrepancies, depend on the target's name and the
    mode; intervals are made up around the figures. `changes`: fields of the result to set. Any target or judge but
    `sim:…` makes a result that is not simulated."""
    over = graph(trees)
    judge = "sim:judge" if target.startswith("sim:") else "openai:gpt-5"
    spec = DepthQASpec(
        graph=over.name, material="0" * 16, target=target, judge=judge, modes=tuple(modes), logprobs=min_k
    )
    run_id = f"20260101-120000-depthqa-elements-{Random(target).randrange(16**8):08x}"
    asked = tuple(answer for mode in modes for answer in asked_of(over, target, mode, run_id, min_k=min_k))
    usage = RoleUsage(
        calls=len(asked),
        cached=0,
        failed=1,
        attempts=len(asked) + 3,
        input_tokens=90 * len(asked),
        output_tokens=160 * len(asked),
        cost_usd=0.12,
    )
    made = DepthQAResult(
        run_id=run_id,
        spec=spec,
        simulated=spec.simulated,
        status="complete",
        stop_reason="all_asked",
        stop_detail="",
        graph=graph_row(over),
        modes=tuple(numbers_of(over, mode, asked, min_k_of(over, mode, asked)) for mode in modes),
        by_domain=labels_of(over, modes[0], asked, "domain"),
        by_reasoning=labels_of(over, modes[0], asked, "reasoning"),
        changes=changes_of(over, modes, asked),
        cases=cases_of(over, modes[0], asked),
        answers=asked,
        usage={"target": usage, "judge": usage},
        cost_usd=0.24,
        wall_s=75.2,
        conformance=("backward discrepancy: over all successors",),
        notes=("The judge could not be given a seed.",),
        provenance={"fathom": "0.1.0"},
    )
    return made.model_copy(update=changes)


def graph_row(over: QuestionGraph) -> GraphRow:
    """What a result says of the graph."""
    distinct = [node for node in over.nodes if over.first_of[node.id] == node.id]
    by_depth = {f"D{depth}": sum(node.depth == depth for node in distinct) for depth in (1, 2, 3)}
    return GraphRow.model_validate(
        {
            "name": over.name,
            "trees": len(over.trees),
            "nodes": len(over.nodes),
            "questions": len(distinct),
            "edges": over.edges,
            "depths": {**by_depth, "overall": len(distinct)},
        }
    )


def build_result(*, trees: int = 3, checked: bool = False, **changes: object) -> DepthQABuildResult:
    """What came of building `graph(trees)` in the simulated world; with `checked` its relations are rated. `changes`:
    fields of the result to set."""
    over = graph(trees)
    roots = [node for node in over.nodes if node.depth == 3]
    spec = DepthQABuildSpec(
        name=over.name,
        questions=tuple(SourceQuestion(id=node.id, question=node.question, domain=node.domain) for node in roots),
        evaluator="sim:evaluator",
        check=checked,
    )
    usage = RoleUsage(calls=30, cached=0, failed=0, attempts=31, input_tokens=9000, output_tokens=7000, cost_usd=0.05)
    gone = {"node": "1_d2_n5", "depth": 2, "question": "What is a mole of copper?", "like": "1_d1_n11"}
    made = DepthQABuildResult(
        run_id="20260101-120000-depthqa-build-elements-1a2b3c4d",
        spec=spec,
        simulated=spec.simulated,
        status="complete",
        stop_reason="all_asked",
        stop_detail="",
        graph=over.model_copy(update={"made": {"evaluator": spec.evaluator, "similarity": spec.similarity}}),
        similarity="lexical",
        removed=(
            Removal(**gone, reason="like a shallower", like_question="What is the molar mass?", similarity=0.912),
            Removal(node="1_d1_n13", depth=1, question="Is copper a metal?", reason="yes or no"),
            Removal(node="1_d1_n14", depth=1, question="What does copper cost?", reason="orphan"),
        ),
        rewritten=(RewrittenRow(node="1_d1_n9", before="Is copper cubic?", after=over.by_id["1_d1_n9"].question),),
        augmented=tuple(node.id for node in over.nodes if node.augmented),
        unfilled=1,
        relations=_relations() if checked else (),
        checks=_checks(over) if checked else (),
        usage={"evaluator": usage},
        cost_usd=0.05,
        wall_s=12.5,
        conformance=("similarity: lexical, only near-verbatim repetitions are found",),
        notes=(),
        provenance={"fathom": "0.1.0"},
    )
    return made.model_copy(update=changes)


def _relations() -> tuple[RelationTable, ...]:
    return (
        RelationTable(
            pair="D3 → D2",
            relations=3,
            unrated=0,
            comprehensive={"comprehensive": 2, "partial": 1, "insufficient": 0},
            predecessors=12,
            implicit={"implicit": 10, "partial": 1, "revealing": 1},
        ),
        RelationTable(
            pair="D2 → D1",
            relations=12,
            unrated=1,
            comprehensive={"comprehensive": 9, "partial": 1, "insufficient": 1},
            predecessors=38,
            implicit={"implicit": 38, "partial": 0, "revealing": 0},
        ),
    )


def _checks(over: QuestionGraph) -> tuple[RelationChecked, ...]:
    return tuple(
        RelationChecked(
            id=f"run/relation/{node.id}",
            tree=over.tree_of[node.id],
            node=node.id,
            comprehensive="partial" if node.id == "1_d3" else "comprehensive",
            missing="what the part costs" if node.id == "1_d3" else "",
            implicit={each: "revealing" if each == "1_d2_n4" else "implicit" for each in node.predecessors},
        )
        for node in over.nodes
        if node.predecessors
    )
