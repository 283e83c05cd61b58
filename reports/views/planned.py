"""Where the calls of a plan come from, and what planned drills would settle."""

from ...graphs.drill.depths import separation_of
from ...graphs.drill.power import MOST_REPEATS
from ...graphs.run.plan import Plan
from ..page import figures
from ..page.plan import calls_words


def lines_of(plan: Plan) -> list[str]:
    """Calls by prompt, in all runs, how deep drills go, and what comes from the cache."""
    calls = [
        f"{purpose.replace('_', ' ')} {calls_words(calls)}"
        for purpose, calls in plan.by_purpose.items()
    ]
    lines = _depth(plan) if plan.specs[0].method == "drill" else []
    lines.append(f"Calls by prompt: {', '.join(calls)}.")
    repeated = round(sum(run.repeated for run in plan.runs))
    if repeated:
        repeats_words = figures.count(
            repeated, "call repeats an earlier one exactly", "calls repeat earlier ones exactly"
        )
        lines.append(f"{repeats_words} and will come from the cache.")
    return lines


def closing_of(plan: Plan) -> list[str]:
    """What the runs can tell apart, bad news first, and what it would take; nothing but of
    drills."""
    if plan.specs[0].method != "drill":
        return []
    separation, spread = separation_of(plan.specs, plan.past.runs)
    if separation is None:
        return ["Detectable differences are unknown: at this accuracy EVD would not vary."]
    sentence = f"differences in EVD below {separation.smallest:.1f} will mostly be missed"
    if separation.smallest > max(float(spec.max_depth) for spec in plan.specs):
        sentence = "no possible difference in EVD is detected reliably"
    source = (
        "estimated from past runs"
        if spread == "past runs"
        else "assuming an accuracy of 85% per depth"
    )
    needs = [
        f"{f'over {MOST_REPEATS}' if repeats is None else repeats} for {difference:.1f}"
        for difference, repeats in separation.needed.items()
    ]
    needed = ", ".join(needs).replace("for", "to detect a difference of", 1)
    within = (
        " in each domain" if len({spec.domain for spec in plan.specs}) > 1 else ""
    )  # all together tell more
    return [
        f"With {figures.count(separation.repeats, 'drill')} per model{within}, {sentence}. A difference of "
        "1.0 is detected with"
        f" {figures.percent(separation.power[1.0])} power.",
        (
            f"For 80% power: --repeats {needed}. Standard deviation of the EVD of one drill: "
            f"{separation.sd:.2f} ({source})."
        ),
    ]


def _depth(plan: Plan) -> list[str]:
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
