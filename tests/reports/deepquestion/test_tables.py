"""The summary of a DeepQuestion run where it differs from the recorded ones, and several runs side
by side."""

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from fathom.reports.page.figures import p_value, points, points_span
from fathom.reports.page.remarks import SIMULATED
from fathom.reports.views.deepquestion.judged import EVEN, FEW_PAIRS, UNKNOWN, wins_bar
from fathom.reports.views.deepquestion.labels import WIDE
from fathom.state.deepquestion.result import CriterionRow, DeepQuestionResult

from ...support.edited import edited
from ...support.reports import flat, launched, printed, result_of

RUN: DeepQuestionResult = result_of("deepquestion")
BUDGET = {
    "status": "partial",
    "stop_reason": "budget",
    "stop_detail": "the limit of USD 1 is reached",
}
UNSEEN = {
    "status": "partial",
    "stop_reason": "not_converged",
    "stop_detail": "no draft for q2s and q2i reached 8",
}
LOST = "Lost to faults and excluded from all figures: "


def share(count: int, n: int, *ci: float) -> dict[str, Any]:
    return {"n": n, "count": count, "share": count / n if n else None, "ci": ci or (0.0, 1.0)}


def drop(value: float, n: int, **changes: Any) -> dict[str, Any]:
    about = {
        "n": n,
        "both": 27,
        "only_original": 6,
        "only_transformed": 1,
        "neither": 1,
        "original": 33 / 35,
    }
    ends = {
        "drop": value,
        "ci": (0.02, 0.26),
        "mcnemar_p": 0.18,
        "mcnemar_mid_p": 0.1,
        "transformed": 0.8,
    }
    return {**about, **ends, **changes}


FORTY: dict[str, Any] = {
    "spec.problems": 40,
    "original": share(36, 39, 0.77, 1.0),
    "original_unscored": 1,
    "q2s.0.accuracy": share(33, 36),
    "q2s.0.drop": drop(0.03, 36, original=34 / 36, transformed=33 / 36),
    "q2s.1.accuracy": share(28, 35, 0.65, 0.9),
    "q2s.1.drop": drop(0.143, 35),
    "q2i.accuracy": share(18, 37, 0.34, 0.59),
    "q2i.distance": 36 / 39 - 18 / 37,
    "q2i.distance_ci": (0.25, 0.6),
}
"""36 of 39 originals right; Q2S at 33 of 36 without distractors and 28 of 35 with five; Q2I at 18
of 37."""
ONE_LOAD = {**FORTY, "q2s": lambda rows: rows[1:]}
NO_Q2S: dict[str, Any] = {"q2s": []}
NO_Q2I: dict[str, Any] = {"q2i": None}


def history(place: int, *scores: int | None, used: bool, **changes: Any) -> dict[str, Any]:
    """The `place`th prompt came about by a loop with these scores."""
    best = max(((score, -n) for n, score in enumerate(scores, 1) if score), default=None)
    about = {
        "used": used,
        "converged": bool(best and best[0] >= 8),
        "best": -best[1] if best else None,
    }
    drafts = [
        {"round": n, "draft": "D.", "score": score, "feedback": "F."}
        for n, score in enumerate(scores, 1)
    ]
    held = {**about, "score": best[0] if best else None, "rounds": drafts, **changes}
    return {f"prompts.{place}.{name}": value for name, value in held.items()}


NEITHER = {
    **history(0, 5, 6, 6, used=False),
    **history(1, None, None, used=False),
    **NO_Q2S,
    **NO_Q2I,
}
PROVENANCE = {
    "generator": "sim:writer",
    "evaluator": "E",
    "run": "x-deepquestion-y-1f2e3d4c",
    "simulated": "yes",
}
REJECTED = [
    {
        "problem": "p3",
        "kind": "q2s",
        "check": "answer changed",
        "load": "many",
        "reason": "It reaches 42.",
    },
    {
        "problem": "p3",
        "kind": "q2s",
        "check": "answer changed",
        "load": "some",
        "reason": "It reaches 43.",
    },
    {
        "problem": "p9",
        "kind": "q2s",
        "check": "answer changed",
        "load": None,
        "reason": "It reaches 7.",
    },
    {"problem": "p10", "kind": "q2s", "check": "quantity lost", "load": None, "reason": "3 hours"},
    {
        "problem": "p4",
        "kind": "q2i",
        "check": "gives away",
        "load": None,
        "reason": "It stands in it.",
    },
]


def given(made: Any) -> dict[str, Any]:
    return {"spec.given": True, "provenance": {"made": made}}


CASES: list[tuple[dict[str, Any], list[str]]] = [
    # the headline: every number with what it is over, where that differs
    (
        ONE_LOAD,
        [
            "original 92% (95% interval 77–100, n 39) → Q2S 80% (65–90, n 35, their originals 94%) "
            "→ Q2I 49%"
            " (34–59, n 37) · drop +14 points (95% interval +2 to +26, p .180)"
            " · distance to Q2I +44 (+25 to +60) · 40 problems\n"
        ],
    ),
    (
        FORTY,
        [
            "Q2S 92/80% with 0/5 distractors (n 36/35, their originals 94%) →",
            "· drop +3/+14 points ·",
        ],
    ),
    ({**FORTY, "q2s.0.drop.original": 1.0}, ["(n 36/35, their originals 100/94%)"]),
    (
        {**FORTY, **NO_Q2S},
        ["(95% interval 77–100, n 39) → Q2I 49%", "· distance to Q2I +44 points (+25 to +60) · 40"],
    ),
    # with no original lost, distance and accuracy add up to that of the originals: 36/39
    ({**FORTY, **NO_Q2S, "original_unscored": 0}, ["Q2I 49% (34–59, n 37, their originals 92%)"]),
    (
        {**ONE_LOAD, "original": share(33, 35, 0.79, 1.0), **NO_Q2I},
        ["original 94% (95% interval 79–100) → Q2S 80% (65–90) · drop +14 points (95% interval"],
    ),
    (
        {**ONE_LOAD, "q2s.1.accuracy": share(29, 36)},
        ["· drop +14 points over 35 pairs (95% interval"],
    ),
    ({"open_problems": ["a", "b"], "spec.problems": 5}, ["· 3 of 5 problems\n"]),
    ({"original": share(0, 0), **NO_Q2S, **NO_Q2I}, ["\nnothing was measured · 3 problems\n"]),
    # by whom given texts were written
    (
        given(PROVENANCE),
        ["texts given (SIMULATED), written by sim:writer, checked by E", "in run 1f2e3d4c"],
    ),
    (given({"generator": "sim:writer"}), ["texts given (SIMULATED), written by sim:writer ·"]),
    (
        given({"generator": "openai:g", "evaluator": 3}),
        ["texts given, written by openai:g · evaluator"],
    ),
    (given(None), ["texts given, by whom they were written is not known ·"]),
    (given({}), ["texts given, by whom they were written is not known ·"]),
    # how it ended
    (BUDGET, ["Stopped by budget (the limit of USD 1 is reached)."]),
    (
        {"open_problems": ["p7", "p8", "p9", "p10"], "spec.problems": 7},
        [
            (
                "4 of 7 problems are not finished and excluded from all figures but the cost: p7, "
                "p8, p9 and 1 more."
            )
        ],
    ),
    ({"open_problems": ["p7"]}, ["1 of 3 problems is not finished"]),
    (
        {"status": "failed", "stop_reason": "no_questions", "stop_detail": "the endpoint is down"},
        ["Failed: nothing could be scored (the endpoint is down)."],
    ),
    ({"notes": ["Resumed by force."]}, ["3 problems\nResumed by force.\n"]),
    # what was lost
    (
        {
            "original_unscored": 1,
            "q2s.0.unscored": 2,
            "q2s.1.unscored": 3,
            "q2i.unscored": 4,
            "baseline.unscored": 5,
        },
        [
            (
                f"{LOST}original 1, Q2S with 0 distractors 2, Q2S with 5 distractors 3, Q2I 4, "
                "comparisons of originals 5."
            )
        ],
    ),
    ({"q2s.1.unscored": 3, **ONE_LOAD, "original_unscored": 0}, [f"{LOST}Q2S 3."]),
    ({"q2i.comparisons.unscored": 2}, [f"{LOST}comparisons by the judge 2."]),
    # prompts that were not good enough
    (
        NEITHER | UNSEEN,
        [
            "NOT CONVERGED: none of 3 drafts of the Q2S prompt reached 8 of 10 (the best, of round "
            "2, has 6). Nothing"
            " was generated for Q2S.\nNOT CONVERGED: none of 2 drafts of the Q2I prompt reached 8 "
            "of 10 (no draft got a"
            " score). Nothing was generated for Q2I.\nWhat to do for Q2S and Q2I: --use-best takes "
            "the best draft"
            " anyway, --rounds above 5 allows more drafts, and another --generator may write "
            "better ones.\noriginal",
        ],
    ),
    *(
        (
            {**history(1, score, used=False), **UNSEEN, "spec.use_best": wished},
            ["What to do for Q2I: --rounds above 5"],
        )
        for score, wished in ((None, False), (5, True))  # there is no best, or it was taken anyway
    ),
    (
        {**history(0, 5, used=False), **NO_Q2S, **BUDGET},
        ["NOTHING GENERATED for Q2S: the run ended after draft 1 of at most 5 of its prompt."],
    ),
    (
        {**history(0, used=False), **NO_Q2S},
        ["NOTHING GENERATED for Q2S: no draft of its prompt was written."],
    ),
    (
        {**history(0, 5, used=False, source="single pass"), **NO_Q2S},
        ["NOTHING GENERATED for Q2S: the only draft of its prompt could not be used."],
    ),
    (
        {**history(0, 4, used=True, source="single pass"), **history(1, 5, 7, 6, used=True)},
        [
            "The Q2S prompt scores 4 of 10, below the threshold, and was used on request "
            "(--single-pass).\n"
            "The Q2I prompt scores 7 of 10, below the threshold, and was used on request "
            "(--use-best).\n",
            "loop, not converged: the best is of round 2, used on request",
            "single pass: the first draft, whatever its score",
        ],
    ),
    (
        history(0, None, used=True, source="single pass"),
        ["The Q2S prompt has no score and was used on request"],
    ),
    # what was rejected
    (
        {"rejected": REJECTED, "unwritten": {"q2s": 2, "q2i": 0}},
        [
            "Rejected: 3 of 6 scenarios, 1 of 4 instructions",
            "Q2S answer changed 2 p3 with 5 distractors: It reaches 42.\n",
            "Not written because of a fault, not counted: Q2S 2.",
        ],
    ),
    ({"rejected": REJECTED[3:4] * 2}, ["Rejected: 1 of 4 scenarios\n"]),
    # tables
    (
        {**FORTY, "q2i.unscored": 1},
        [
            "Q2I, another task 37 18 49 34–59 █████▓▓▓░ +44 +25 to +60 – – – – – 1\n",
            "?: lost to faults, neither",
        ],
    ),
    (
        {**FORTY, "original_unscored": 0},
        ["Q2S, 5 distractors 35 28 80 65–90 ██████████▓▓▓░ +14 +2 to +26 .180 35 6 1 122 0\n"],
    ),
    # how the judge leans
    (
        {
            "q2i.comparisons.position.5.ci": (0.53, 0.71),
            "q2i.comparisons.position.5.first_share": 0.62,
        },
        [
            "the judge: 62% (53–71) of the preferences are for the first position, it favours the first"
        ],
    ),
    (
        {"baseline.position.4.ci": (0.2, 0.4), "baseline.position.4.first_share": 0.3},
        [
            "between two originals: 30% (20–40) of the preferences are for the first position, it favours"
        ],
    ),
    (
        {"baseline.position.4.ci": (0.2, 0.5)},
        [f"(20–50) of the preferences are for the first position, {EVEN}\n"],
    ),
    (
        {"q2i.comparisons.position.5.ci": None},
        [f"the judge: 50% of the preferences are for the first position, {UNKNOWN}\n"],
    ),
    (
        {"q2i.comparisons.position.5.first_share": None},
        ["the judge: nothing was preferred\n"],
    ),
    (
        {"baseline": None},
        [
            (
                "no originals were compared with each other: the judge's bias between equals is "
                "unknown\n"
            )
        ],
    ),
]


def said_of(run: DeepQuestionResult) -> str:
    """What is printed, each line without what aligns it."""
    return "".join(re.sub("  +", " ", line.strip()) + "\n" for line in printed(run).splitlines())


USUAL = cache(partial(said_of, RUN))
UNCHECKED = cache(partial(printed, RUN.model_copy(update={"conformance": ()})))


@pytest.mark.parametrize(("values", "said"), CASES)
def test_what_is_said_under_which_condition(values: dict[str, Any], said: list[str]) -> None:
    text = said_of(edited(RUN, values))
    assert [words for words in said if words not in text] == []
    assert [words for words in said if words in USUAL()] == []


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        (
            {"original": share(0, 0), **NO_Q2S, **NO_Q2I},
            "McNemar|Original → |between two originals",
        ),
        (
            NO_Q2I,
            (
                "Q2I, another task|attempts not valid|Written questions against|: the written "
                "question and"
            ),
        ),
        (NO_Q2S, "McNemar|words: mean length"),
        ({"q2i.accuracy": share(3, 3)}, "attempts not valid"),
        ({"q2i.comparisons.pairs": 0}, "Written questions against"),
        (
            {"q2i.comparisons.position.*.comparisons": 0, "baseline": None},
            "the judge: |between two",
        ),
        ({"prompts": []}, "Transformation prompts"),
        ({"prompts.*.source": "given"}, "a draft is accepted from"),
        (
            {
                "original": share(39, 39),
                "q2s.*.accuracy": share(39, 39),
                "q2i.accuracy": share(18, 37),
            },
            WIDE[:30],
        ),
        ({"q2i.comparisons.pairs": 30}, FEW_PAIRS[:30]),
        ({"simulated": False, "notes": []}, SIMULATED),
    ],
)
def test_what_there_is_none_of_is_left_out(values: dict[str, Any], missing: str) -> None:
    assert re.search(missing, UNCHECKED())
    assert re.search(missing, printed(edited(RUN, {"conformance": []} | values))) is None


def test_what_did_not_converge_comes_last_on_a_terminal() -> None:
    run = edited(RUN, NEITHER | UNSEEN)
    last = flat(launched([run], colour=True))
    assert last.endswith("another --generator may write better ones.")
    assert "no draft for q2s" not in flat(printed(run)), "the end of the run is told once"
    assert "NOT CONVERGED" in flat(launched([run] * 4)), "the headline of many has it too"


def test_a_bar_has_wins_ties_and_losses() -> None:
    about = {"contradictory": 0, "win_rate": 0.3, "ci": None, "criterion": "clarity"}
    row = CriterionRow.model_validate({**about, "pairs": 28, "wins": 4, "ties": 8, "losses": 16})
    assert wins_bar(row, 28) == "█" * 4 + "▓" * 8 + "░" * 16
    assert wins_bar(row.model_copy(update={"pairs": 0}), 28) == ""


def test_figures() -> None:
    assert [p_value(p) for p in (None, 0.0004, 0.0312, 1.0)] == ["–", "< .001", ".031", "1.000"]
    assert [points(value) for value in (None, 0.149, -0.03, 0.004, -0.001)] == [
        "–",
        "+15",
        "−3",
        "0",
        "0",
    ]
    assert points_span((-0.01, 0.114)) == "−1 to +11"


def test_where_a_run_is_kept_its_problems_are_pointed_at() -> None:
    assert "`fathom show 2e2d9dca --path chem-04` shows a problem with" in flat(
        printed(RUN, kept=Path("runs/here"))
    )
    assert "--path" not in printed(RUN)
