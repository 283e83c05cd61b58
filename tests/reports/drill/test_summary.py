"""A drill's result on the screen: the headline, what must stand beside it, the curve, and several
drills together."""

import re
from typing import Any

import pytest

from fathom.reports.page.remarks import ACROSS_DOMAINS
from fathom.state.tiers import tier_of

from ...support.reports import (
    changed,
    events_of,
    flat,
    fragment,
    framed,
    launched,
    lined,
    printed,
    result_of,
)

EVD = "Expected valid depth (EVD)"
LOW = "EVD is a lower limit: the drill ended before survival fell below 0.1%"
STOPPED: dict[str, Any] = {
    "evd": 4.62,
    "evd_ci": (3.1, 6.89),
    "depth_reached": 6,
    "stop_reason": "threshold",
    "censored": None,
}
CUT: dict[str, Any] = {
    "status": "interrupted",
    "stop_reason": "interrupted",
    "censored": "interrupted",
    "stop_detail": "",
}
HEADS: list[tuple[dict[str, Any], list[str]]] = [
    (
        STOPPED,
        [
            (
                f"{EVD} 4.62 of 4 (95% interval 3.10–6.89) · stopped at depth 6: survival fell "
                "below 0.1%"
            )
        ],
    ),
    (
        {},
        [
            (
                f"{EVD} 3.08 of 4 (95% interval 2.11–4.00) · stopped at depth 4: the depth limit "
                "was reached"
            ),
        ],
    ),
    (
        CUT,
        [
            f"{EVD} at least 3.08 of 4 (95% interval 2.11–4.00) · interrupted at depth 4",
            f"{LOW} (interrupted).",
        ],
    ),
    (
        {**CUT, "depth_reached": 0, "evd": 0.0, "evd_ci": (0.0, 0.5), "depths": ()},
        [
            (
                f"{EVD} at least 0.00 of 4 (95% interval 0.00–0.50) · interrupted before the "
                "first depth"
            ),
            f"{LOW} (interrupted).",
        ],
    ),
    (
        {
            **STOPPED,
            "spec__threshold": 0.125,
            "evd_note": "one root only: no generalising interval",
        },
        [
            (
                f"{EVD} 4.62 of 4 (95% interval 3.10–6.89) · stopped at depth 6: survival fell "
                "below 12.5%"
            ),
            "One root only: no generalising interval.",
        ],
    ),
    (
        {
            **STOPPED,
            "notes": ("Resumed by force: the prompt has changed.", "another note"),
            "spec__threshold": 0.2,
        },
        [
            (
                f"{EVD} 4.62 of 4 (95% interval 3.10–6.89) · stopped at depth 6: survival fell "
                "below 20%"
            ),
            "Resumed by force: the prompt has changed.",
        ],
    ),
]
"""What is changed of the recorded result, and what stands between its title and its figures."""
LOST = "more than half of the lines were lost by depth 4 (textbook)."


@pytest.mark.parametrize(("changes", "said"), HEADS)
def test_the_headline_and_what_must_stand_beside_it(
    changes: dict[str, Any], said: list[str]
) -> None:
    result = result_of("drill", **changes)
    if result.depths:
        at_least = "at least " if result.censored else ""
        held = (
            f"On average a line of questioning held for {at_least}{result.evd:.1f} questions, the "
            "opening one"
        )
        said = [said[0], f"{held} included; {LOST}", *said[1:]]
    assert printed(result).split("\n\n")[0].splitlines()[2:] == said
    many = launched([changed(result, run_id=f"x-{n}") for n in range(4)], 200)
    assert many.count("\n".join(said)) == 4


def test_figures_and_legends_by_what_there_is() -> None:
    text = printed(
        result_of(
            "drill", median_depth=None, accuracy=None, mean_error_depth=None, evd_bounds=(1.0, 2.5)
        )
    )
    for name, value in (
        ("EVD bounds (unscored probes all wrong / all right)", "1.00–2.50"),
        ("first depth with survival below 50%", "none"),
        ("accuracy over all scored probes", "–"),
        ("mean depth of errors", "–"),
        ("product of the last 3 accuracies", "48%"),
    ):
        assert re.search(rf"^{re.escape(name)} +{re.escape(value)}$", text, re.MULTILINE), name
    assert "product of the last 2 accuracies" in printed(descent(0.75, 0.1))
    (first, *others) = result_of("drill").depths
    lost = {
        "unscored": {"judge": 2, "answer": 1},
        "flags": ("short",),
        "refused": 1,
        "rejected": 2,
        "withdrawn": 1,
    }
    row = changed(first, **lost, without_evidence=tuple(f"concept {n}" for n in range(10)))
    text = flat(printed(result_of("drill", depths=(row, *others))))
    assert "* fewer scored probes than planned" in text
    assert (
        "unscored by stage: answer 1, judge 2 · 1 passage refused · 2 questions rejected · 1 "
        "of these"
    ) in text
    assert " withdrawn after being asked · without evidence: concept 0, " in text
    assert "concept 7 and 2 more By tier" in text
    assert "By depth" not in printed(result_of("drill", depths=()))


def test_up_to_three_wrong_answers_stand_in_the_result() -> None:
    probes = result_of("drill").probes
    wrong = next(probe for probe in probes if getattr(probe.outcome, "verdict", "") == "wrong")
    several = tuple(changed(wrong, slot=number) for number in range(5))
    text = printed(result_of("drill", probes=several), 100)
    assert text.count("✗ depth") == 3
    assert "First 3 of 5 wrong answers, nearest to depth 4; all: in the result" in text
    aside = tuple(changed(probe, excluded="duplicate") for probe in several)
    assert "wrong answers, nearest" not in printed(result_of("drill", probes=aside)), (
        "they do not count"
    )


def test_wrong_answers_come_from_where_survival_falls_below_one_half() -> None:
    probes = result_of("drill").probes
    wrong = next(probe for probe in probes if getattr(probe.outcome, "verdict", "") == "wrong")
    several = tuple(changed(wrong, depth=depth, slot=depth) for depth in (1, 1, 2, 6, 7, 8))
    text = printed(result_of("drill", probes=several, median_depth=7), 100)
    assert re.findall(r"✗ depth (\d)", text) == ["7", "6", "8"]


# several drills


def test_several_drills_have_their_curves_together_last() -> None:
    named: dict[str, Any] = {
        "spec__target": "openrouter:meta/llama",
        "run_id": "x-1",
        "simulated": False,
        "cost_usd": None,
    }
    first, second = result_of("drill"), result_of("drill", **STOPPED, **named)
    text = launched([first, second], 140)
    assert "●" in text.rpartition("took")[2].split("Comparison")[0], "both curves"
    assert flat(ACROSS_DOMAINS) not in flat(text), "one domain: nothing to warn of"
    other = changed(second, spec__domain="Art [red]", status="partial", stop_reason="budget")
    text = launched([first, changed(first, run_id="x-2"), other], 140)
    assert text.rindex("●") < text.index(ACROSS_DOMAINS[:30])
    assert "Art [red]" in text


# the curve


def descent(*survivals: float, **changes: Any) -> Any:
    """The recorded result with a depth for each of these."""
    (row, *_) = result_of("drill").depths
    rows = []
    for depth, (before, survival) in enumerate(zip((1.0, *survivals), survivals, strict=False), 1):
        tier, tier_pass = tier_of(depth, 3)
        ends = (max(0.0, survival - 0.1), min(1.0, survival + 0.1))
        place = {
            "depth": depth,
            "tier": tier,
            "tier_pass": tier_pass,
            "accuracy": survival / before,
        }
        rows.append(changed(row, **place, survival=survival, survival_ci=ends))
    return result_of("drill", **{"depths": tuple(rows), "spec__threshold": 0.2, **changes})


NINE = tuple(0.9**n for n in range(1, 10))


def curve(text: str) -> list[str]:
    """The rows of the plot, from 100% to 0%, without the scale."""
    return [line[6:] for line in text.splitlines() if line[5:6] in ("│", "┤")]


def signs(text: str, sign: str) -> list[int]:
    """Rows at which a sign stands, from left to right."""
    found = [
        (column, row)
        for row, line in enumerate(curve(text))
        for column, c in enumerate(line)
        if c == sign
    ]
    return [row for _, row in sorted(found)]


def test_signs_stand_at_the_survival_and_the_shade_at_its_interval() -> None:
    text = printed(descent(*NINE), 100)
    assert len(curve(text)) == 13
    assert signs(text, "●") == [round((1 - survival) * 12) for survival in NINE]
    assert curve(text)[round(0.8 * 12)].count("╌") > 60, "the threshold, at 20%"
    column = [line[9 * 8] for line in curve(text)]  # at depth 9: .39 in .29–.49
    assert [row for row, sign in enumerate(column) if sign in "░●"] == [6, 7, 8, 9][: len(column)]
    tiers = next(line for line in text.splitlines() if "professional" in line and "│" not in line)
    assert tiers.split() == ["common", "textbook", "professional"]
    assert "░ 95% interval   ╌ threshold 20%" in text


def test_two_curves_are_told_apart_without_colour() -> None:
    other = descent(*NINE, spec__target="b", run_id="x-2", status="partial")
    text = launched([descent(0.5, 0.25, 0.1), other], 80)
    both = text[text.rindex("Survival") :]
    assert "░" not in both, "two shades on one another could not be told apart"
    assert (len(signs(both, "●")), len(signs(both, "■"))) in ((3, 9), (9, 3), (3, 8), (8, 3)), (
        "a sign may stand on another's"
    )


OUTSIDE = {
    (15, 20): ["depths 14 to 15"],
    (60, 20): ["depths 14 to 60"],
    (60, 40): ["depths 34 to 60"],
    (60, 60): ["depths 54 to 60"],
}
"""Depths for which there is no room, by their number and the width."""


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
@pytest.mark.parametrize("depths", [1, 3, 15, 60])
def test_the_plot_fits(width: int, depths: int) -> None:
    text = printed(descent(*([1.0] * depths)), width).split("By")[0]
    assert max(len(line) for line in curve(text)) <= width - 6
    assert re.findall(r"(depths \d+ to \d+) do not fit", flat(text)) == OUTSIDE.get(
        (depths, width), []
    )


def test_a_run_of_which_no_depth_was_closed_has_no_plot() -> None:
    assert "Survival" not in printed(descent())


# while it goes on


@pytest.mark.parametrize("kind", ["complete", "faults"])
def test_the_open_depth_counts_what_came_so_far(kind: str) -> None:
    """A round in which probes are replaced does not open the depth anew."""
    events, scored, depth = events_of("drill", kind)[:-1], 0, 0
    for number, event in enumerate(events, 1):
        if event.type == "depth_planned":
            scored, depth = (0 if event.round == 0 else scored), event.depth
        if event.type == "probe_judged":
            scored += event.probe.outcome.status == "scored"
        if event.type in ("depth_planned", "probe_judged"):
            text = framed(events[:number])
            assert text.splitlines()[2].startswith(f"depth {depth} · {scored} of 5 scored"), number
            assert f"Depth {depth}, unfinished: {scored} of 5 scored" in fragment(events[:number])
    assert any(event.type == "depth_planned" and event.round for event in events) == (
        kind == "faults"
    )


def test_what_the_rows_of_depths_and_probes_say() -> None:
    events = events_of("drill")
    place = max(n for n, event in enumerate(events) if event.type == "probe_asked")
    lines = framed(events[: place + 1], 140).splitlines()
    assert re.match(
        r" 1 common 1 +5 +5 .* 100%", next(line for line in lines if line.startswith(" 1 common"))
    )
    assert (
        next(line for line in lines if line.startswith(" 4 textbook 1"))
        .rstrip()
        .endswith("asking, 5 paths")
    )
    asked = next(line for line in lines if line.startswith("○ d04"))
    assert re.search(r" › .*  .*\?  +1\.1 s$", asked.rstrip())
    again = events_of("drill", "faults")
    place = next(
        n for n, event in enumerate(again) if event.type == "depth_planned" and event.round
    )
    assert "replacing, round 1, 5 paths" in framed(again[: place + 1], 140)


@pytest.mark.parametrize("reason", ["threshold", "max_depth", "evidence_exhausted"])
def test_a_lower_limit_is_marked_as_one(reason: str) -> None:
    ended = [changed(events_of("drill")[-1], stop_reason=reason, run_id=f"t-{n}") for n in range(2)]
    begun = [
        event.model_copy(update={"run_id": f"t-{n}"})
        for n in range(2)
        for event in events_of("drill")[:-1]
    ]
    cut = reason == "evidence_exhausted"
    assert ("EVD ≥3.08" in lined(ended)[-1]) == cut
    text = framed([*begun, *ended], 120, 50)
    assert text.count("≥3.08") == (3 if cut else 0), "in the row of each, and in full"
