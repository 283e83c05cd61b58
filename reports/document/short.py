"""The first lines of a report: who is ahead, where knowledge ends, and what all of it cost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...state.comparison import Comparison
from ...state.result import DrillResult
from ...state.tiers import tier_of
from ...state.worlds import label_of
from ...stats.profile.figures import PARTS
from ..page import figures
from ..page.blocks import Line, Text
from ..page.remarks import SIMULATED
from ..page.sanitise import one_line
from ..views.comparison import verdict


def title_of(method: str) -> str:
    """The name of a method as a heading has it."""
    name = PARTS[method].name if method in PARTS else method.replace("_", " ")
    return name[:1].upper() + name[1:]


def in_short(results: Sequence[Any], decided: Mapping[str, Comparison | None], runs: int) -> Text:
    """`decided`: of each method with several runs who is ahead; `runs`: with those that have no
    result."""
    verdicts = {
        method: verdict(own)
        for method, own in decided.items()
        if own is not None and len(own.models) > 1
    }
    lines = [Line(SIMULATED, "badge")] if any(result.simulated for result in results) else []
    lines += [
        Line(said, "bold", f"{title_of(method)}: ", "bold") for method, said in verdicts.items()
    ]
    broken = "; ".join(_broken([result for result in results if hasattr(result, "median_depth")]))
    lines += [Line(f"{broken}.", lead="Survival falls below one half: ")] if broken else []
    return Text([*lines, Line(_spent(results, runs), lead="Cost: ")])


def _broken(drills: Sequence[DrillResult]) -> Iterator[str]:
    """`sim:expert at depth 7–9 (professional) in 20 drills`, by model."""
    for model in dict.fromkeys(drill.spec.target for drill in drills):
        own = [drill for drill in drills if drill.spec.target == model]
        found = sorted(
            (drill.median_depth, drill.spec.passes)
            for drill in own
            if drill.median_depth is not None
        )
        ends = [*found[:1], *found[-1:]]
        depths = "–".join(dict.fromkeys(str(depth) for depth, _ in ends))
        tiers = " to ".join(dict.fromkeys(figures.tier_name(tier_of(*end)[0]) for end in ends))
        said = [f"at depth {depths} ({tiers})"] if found else []
        said += (
            [f"in {len(own) - len(found)} of {len(own)} nowhere"] if len(found) < len(own) else []
        )
        yield f"{one_line(label_of(model))} {', '.join(said)}"


def _spent(results: Sequence[Any], runs: int) -> str:
    """`USD 12.30 for 60 runs, 14,200 calls, 21,000,000 tokens`."""
    known = [result.cost_usd for result in results if result.cost_usd is not None]
    used = [role for result in results for role in result.usage.values()]
    tokens = sum(role.input_tokens + role.output_tokens for role in used)
    unknown = len(results) - len(known)
    cost = figures.money(sum(known)) if known else "unknown price"
    counted = figures.count(len(results), "run")
    said = [
        f"{cost} for {counted}",
        figures.count(sum(role.calls for role in used), "call"),
        f"{tokens:,} tokens",
    ]
    said += (
        [f"without {figures.count(unknown, 'run')} whose price is unknown"]
        if known and unknown
        else []
    )
    said += (
        [f"{figures.count(runs - len(results), 'run')} without a result not counted"]
        if runs > len(results)
        else []
    )
    return f"{', '.join(said)}."
