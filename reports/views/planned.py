"""Where the calls of a plan come from, in a few lines per method, and what planned drills would
settle."""

from collections.abc import Callable, Mapping

from ...graphs.drill.depths import separation_of
from ...graphs.run.plan import Plan
from ...graphs.run.spread import Spread
from ...state.deepquestion.items import DISTRACTORS
from ...state.depthqa.spec import GIVEN
from ...stats.drill.power import MOST_REPEATS
from ..page import figures


def lines_of(plan: Plan) -> list[str]:
    """Where the number of calls comes from; all runs of a launch have the same settings."""
    lines = LINES[plan.specs[0].method](plan)
    repeated = round(sum(run.repeated for run in plan.runs))
    if repeated:
        same = figures.count(
            repeated, "call repeats an earlier one exactly", "calls repeat earlier ones exactly"
        )
        lines.append(f"{same} and will come from the cache.")
    return lines


def closing_of(plan: Plan) -> list[str]:
    """What the runs can tell apart, bad news first, and what it would take; nothing but of
    drills."""
    if plan.specs[0].method != "drill":
        return []
    made, spread = separation_of(plan.specs, plan.past.runs)
    if made is None:
        return ["Detectable differences are unknown: at this accuracy EVD would not vary."]
    said = f"differences in EVD below {made.smallest:.1f} will mostly be missed"
    if made.smallest > max(float(spec.max_depth) for spec in plan.specs):
        said = "no possible difference in EVD is detected reliably"
    source = (
        "estimated from past runs"
        if spread == "past runs"
        else "assuming an accuracy of 85% per depth"
    )
    needs = [
        f"{f'over {MOST_REPEATS}' if repeats is None else repeats} for {difference:.1f}"
        for difference, repeats in made.needed.items()
    ]
    needed = ", ".join(needs).replace("for", "to detect a difference of", 1)
    within = (
        " in each domain" if len({spec.domain for spec in plan.specs}) > 1 else ""
    )  # all together tell more
    return [
        f"With {figures.count(made.repeats, 'drill')} per model{within}, {said}. A difference of "
        "1.0 is detected with"
        f" {figures.percent(made.power[1.0])} power.",
        (
            f"For 80% power: --repeats {needed}. Standard deviation of the EVD of one drill: "
            f"{made.sd:.2f} ({source})."
        ),
    ]


def _drill(plan: Plan) -> list[str]:
    """How deep the drills go; most of a range of costs is not knowing that."""
    low, mid, high = (depths - 1 for depths in plan.parts)
    if low == high:
        return [f"Depth: {low:g} per drill."]
    return [
        (
            f"Depth: about {mid:.1f} per drill ({low:g}–{high:g}; this uncertainty causes most of "
            "the ranges)."
        )
    ]


def _eqt(plan: Plan) -> list[str]:
    spec = plan.specs[0]
    q, k = spec.questions, spec.paraphrases
    parts = ["1 explanation", figures.count(q, "question")]
    if k:
        parts.append(figures.count(q * k, "paraphrase"))
        parts += [figures.count(q * k, "check")] if spec.verify_paraphrases else []
    parts.append(figures.count(q * (k + 1), "answer"))
    parts += [f"{q:,} more with the explanation at hand"] if spec.open_book else []
    lines = [f"Per concept ({len(spec.concepts):,} in all): {', '.join(parts)}."]
    if spec.attribute:
        most = figures.count(spec.attribute, "attribution")
        lines.append(f"Per run up to {most}, as many as there are wrong answers.")
    return lines


def _depthqa(plan: Plan) -> list[str]:
    spec, graph = plan.specs[0], plan.declared.graph
    shape = [
        figures.count(len(graph.trees), "tree"),
        figures.count(len(graph.nodes), "node"),
        figures.count(len(graph.holders), "question"),
    ]
    lines = [f"Graph: {', '.join(shape)}."]
    for mode, (answers, ratings) in plan.declared.by_mode().items():
        rated = figures.count(ratings, "rating")
        if spec.given:
            whose = spec.target.removeprefix(GIVEN)
            lines.append(
                f"Given answers of {whose} ({mode}): {rated}. Nobody but the judge is asked."
            )
        else:
            lines.append(f"Per run in {mode}: {figures.count(answers, 'answer')}, {rated}.")
    return lines


def _build(plan: Plan) -> list[str]:
    spec = plan.specs[0]
    width = spec.width
    begin = "1 classification and, of those of depth 3, " if spec.classify else ""
    without = sum(not source.reference.strip() for source in spec.questions)
    lines = [
        f"Per question ({len(spec.questions):,} in all): {begin}1 deconstruction, and one for each "
        "question of depth 2"
        f" that it rests on: up to {width}, with up to {width * width} of depth 1. How many is not "
        "known beforehand."
    ]
    if without:
        lines.append(
            f"{figures.count(without, 'question has', 'questions have')} no reference answer: "
            "it is written."
        )
    lines.append(
        "Questions that yes or no would answer are reworded, and gaps filled: as many as turn out."
    )
    if spec.check:
        lines.append(f"Up to {1 + width} ratings of relations per question.")
    lines += [f"The embeddings of {model} are not counted." for model in spec.embeddings]
    return lines


def _deepquestion(plan: Plan) -> list[str]:
    spec, calls = plan.specs[0], plan.declared
    lines = []
    if spec.drafted:
        kinds = " and ".join(spec.drafted)
        lines.append(
            f"Drafts of the prompt for {kinds}, each of them scored: {_range(calls.drafts)} "
            "per kind."
        )
        if not (spec.use_best or spec.single_pass):
            least = "which is the lower end of the range"
            lines.append(
                f"Where no draft reaches {spec.threshold}/10, nothing is written for that "
                f"kind, {least}."
            )
    lines.append(
        f"Originals: {figures.count(spec.problems, 'problem')}, each solved once by the target."
    )
    loads = f"at each load ({', '.join(spec.distractors)})"
    if "q2s" in spec.kinds:
        lines.append(_q2s(plan, loads))
    if "q2i" in spec.kinds:
        lines.append(_q2i(plan))
    if calls.pairs:
        pairs = figures.count(len(calls.pairs), "pair of originals", "pairs of originals")
        lines.append(f"Baseline: {pairs}, compared in both orders.")
    if calls.words:
        problems = figures.count(calls.words, "problem has an answer", "problems have answers")
        lines.append(f"{problems} in words, which the judge compares.")
    return lines


def _q2s(plan: Plan, loads: str) -> str:
    spec, number = plan.specs[0], plan.declared.scenarios
    if spec.given:
        return (
            f"Q2S: {figures.count(round(number.mid), 'given scenario')}, solved by the target "
            f"{loads}."
        )
    most = max(DISTRACTORS[load] for load in spec.distractors)
    parts = f"a check, {most} distractors" if most else "a check"
    return (
        f"Q2S: {figures.count(spec.problems, 'scenario')}, each with {parts} and an independent "
        f"solution {loads}; those"
        f" that pass (about {number.mid:.0f}) are solved by the target at each load."
    )


def _q2i(plan: Plan) -> str:
    spec, number = plan.specs[0], plan.declared.instructions
    written = (
        "the target writes a question, which is solved, checked and, if its answer is right, "
        "compared twice"
    )
    if spec.given:
        return f"Q2I: {figures.count(round(number.mid), 'given instruction')}; by each {written}."
    count = figures.count(spec.problems, "instruction")
    return (
        f"Q2I: {count}, each with a check; by those that pass (about {number.mid:.0f}) {written}."
    )


def _range(number: Spread) -> str:
    """`3`, or `1–5`."""
    return "–".join(dict.fromkeys([f"{number.low:,.0f}", f"{number.high:,.0f}"]))


LINES: Mapping[str, Callable[[Plan], list[str]]] = {
    "drill": _drill,
    "eqt": _eqt,
    "depthqa": _depthqa,
    "depthqa_build": _build,
    "deepquestion": _deepquestion,
}
