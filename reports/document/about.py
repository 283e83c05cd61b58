"""What a report says of how it was made: methods, deviations, versions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...state.results import Result
from ..page.blocks import Block, Column, Table, Text, bulleted
from ..page.remarks import DEVIATES
from ..page.sanitise import model_name
from ..views.profile import NAMES

METHODS: Mapping[str, str] = {
    "drill": "Depth of knowledge was measured by adaptive drilling (DepthCharge). At each depth {spec.n} questions,"
    " written by {evaluator} from retrieved passages, were put to the model; {judge} judged the "
    "answers against the"
    " passages. Follow-up questions ask about what correct answers mention, in harder tiers of "
    "sources every"
    " {spec.passes} depths. A drill ends when survival, the product of the accuracies so far, "
    "falls below"
    " {spec.threshold:.0%}, or at depth {spec.max_depth}. Expected Valid Depth (EVD) is the sum of "
    "survival over"
    " depths; its 95% interval simulates this protocol and allows for questions that share an "
    "opening sub-topic.",
    "eqt": "Self-consistency was measured by Explain-Query-Test: {examiner} explained each concept and wrote"
    " {spec.questions} multiple-choice questions from its explanation, which the model answered "
    "without it, each also"
    " in {spec.paraphrases} other wordings. Intervals are clustered by concept.",
    "depthqa": "Whether knowledge hangs together was measured by DepthQA: questions of three depths form a graph,"
    " {judge} scored the answers from 1 to 5 against references, and discrepancies compare each "
    "question with those it"
    " rests on. Intervals are clustered by tree.",
    "depthqa_build": "The graph of questions was built by {evaluator} (DepthQA).",
    "deepquestion": "Use of knowledge was measured by DeepQuestion: {generator} wrapped each problem in a scenario"
    " (Q2S) and in the instruction to write such a problem (Q2I), {evaluator} verified what was "
    "written, and the model"
    " answered both. Drops are paired by problem.",
    "replay": "The questions of a finished drill were put to another model, in the same wording; differences are paired"
    " by question.",
    "rejudge": "The answers of a finished drill were judged again by {judge}.",
}
"""By method; what is in braces is the run's."""


def title_of(method: str) -> str:
    """The name of a method as a heading has it."""
    name = NAMES.get(method, method.replace("_", " "))
    return name[:1].upper() + name[1:]


def how_measured(results: Sequence[Result]) -> Iterator[Block]:
    """A paragraph on each method for a methods section, and where the runs deviate from what was
    published."""
    for method in dict.fromkeys(result.method for result in results):
        own = [result for result in results if result.method == method]
        told = dict.fromkeys(_paragraph(result) for result in own)
        yield Text([*told], title_of(method))
        listed = dict.fromkeys(
            line for result in own for line in getattr(result, "conformance", ())
        )
        yield from bulleted(DEVIATES, [*listed])


def _paragraph(result: Result) -> str:
    spec = result.spec
    roles = {
        role: model_name(str(getattr(spec, role, "")))
        for role in ("evaluator", "judge", "examiner", "generator")
    }
    return METHODS[result.method].format(spec=spec, **roles)


def provenance(results: Sequence[Any]) -> Iterator[Block]:
    """What made each run: versions, the models as they call themselves, digests."""
    rows = []
    for result in results:
        made = result.provenance
        models = "; ".join(
            f"{role}: {', '.join(names)}" for role, names in made.get("models", {}).items() if names
        )
        seed = getattr(result.spec, "seed", None)
        row = {
            "run": result.run_id,
            "models": models,
            "seed": seed,
            "spec": made.get("spec_digest", ""),
        }
        rows.append(row | {"fathom": made.get("fathom", ""), "python": made.get("python", "")})
    columns = (
        Column("run", "run", fold=True),
        Column("models, as they call themselves", "models", fold=True),
        Column("seed", "seed", "text"),
        Column("digest of the spec", "spec"),
        Column("Fathom", "fathom"),
        Column("Python", "python"),
    )
    shown = [row | {"seed": str(row["seed"])} for row in rows]
    yield Table(
        "", columns, shown, ["each run's own page has the rest of its provenance in its JSON"]
    )


def about(results: Sequence[Result]) -> Iterable[tuple[str, Iterable[Block]]]:
    """The sections: title and blocks."""
    return (
        ("How it was measured", how_measured(results)),
        ("Provenance", provenance(results)),
    )
