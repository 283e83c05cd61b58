"""The summary of a DepthQA run where it differs from the recorded ones: what is said under which
condition."""

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from fathom.reports.page.figures import gap, gap_span, percents
from fathom.reports.page.remarks import SIMULATED
from fathom.reports.views.depthqa.figures import sign_of
from fathom.state.depthqa.result import DepthQAResult

from ...support.edited import edited
from ...support.reports import flat, launched, printed, result_of

RUN: DepthQAResult = result_of("depthqa")
FORCED = "Resumed by force although the prompt 'rating' has changed."
NOTHING = {"mean": None, "ci": None, "scored": 0}
LOST = "Lost to faults and excluded from all figures: "
SILENT = "Scored 1 without being judged: "
BUDGET = {
    "status": "partial",
    "stop_reason": "budget",
    "stop_detail": "the limit of USD 1 is reached",
}
FAILED = {
    "status": "failed",
    "stop_reason": "no_questions",
    "stop_detail": "no answer could be scored; down",
}
QUARTER = {"min_k": [0.6, 1.25], "questions": 2, "pairs": 4, "mean": -0.125, "ci": [-0.3, 0.05]}
SPREAD = {
    "n": 4,
    "minimum": -0.5,
    "q1": -0.25,
    "median": -0.1,
    "q3": 0.0,
    "maximum": 0.25,
    "mean": -0.125,
}
QUARTERS = [
    {"quartile": 1, **QUARTER, "gaps": SPREAD},
    *({"quartile": n, **QUARTER, "gaps": None} for n in (2, 3, 4)),
]
PAIR = {
    "eligible": 321,
    "left_out": 45,
    "unscored": 6,
    "average": 0.0834,
    "average_ci": [0.051, 0.118],
    "frequency": 0.414,
    "frequency_ci": [0.35, 0.48],
    "intensity": 0.2018,
    "intensity_ci": None,
}


def only(mode: str, run: DepthQAResult = RUN) -> DepthQAResult:
    """Asked in this mode alone."""
    return edited(
        run,
        {
            "modes": lambda m: [each for each in m if each["mode"] == mode],
            "changes": [],
            "cases": [],
        },
    )


def label(n: int) -> dict[str, Any]:
    row = RUN.by_domain[0].model_dump(mode="json")
    row["accuracy"]["overall"]["mean"] = 5 - n / 10
    return {**row, "label": f"field {n:02d}"}


CASES = [
    # the headline
    (
        {},
        [
            "zero-shot: mean score 2.79 of 5 (95% interval 1.02–4.97), at D3 1.00 (1.00–3.63) · "
            "forward discrepancy"
            " .500 ·"
        ],
    ),
    (
        {"modes.0.accuracy.overall.ci": None, "modes.0.accuracy.D3.ci": None},
        ["mean score 2.79 of 5, at D3 1.00 ·"],
    ),
    (
        {"modes.0.accuracy.D3": NOTHING | {"questions": 2}},
        ["mean score 2.79 of 5 (95% interval 1.02–4.97) · forward"],
    ),
    (
        {"modes.0.discrepancies.forward.overall.average_ci": [0.2, 0.75]},
        [
            (
                "forward discrepancy .500 (.200–.750) · backward .250 · 2 trees, 14 questions, 34 "
                "answers"
            )
        ],
    ),
    ({"modes.0.discrepancies.backward": {}}, ["forward discrepancy .500 · backward – · 2 trees"]),
    # how it ended
    (
        {**FAILED, "modes.*.accuracy.*.mean": None, "modes.*.accuracy.*.scored": 0},
        [
            "nothing was measured · 2 trees, 14 questions, 34 answers",
            "Failed: no answer could be scored (down).",
        ],
    ),
    (
        {
            **BUDGET,
            "open_trees": ["a", "b", "c", "d"],
            "graph.trees": 5,
            "modes.0.accuracy.overall.questions": 3,
        },
        [
            "Stopped by budget (the limit of USD 1 is reached).",
            (
                "4 of 5 trees are not finished and excluded from all figures but the cost: a, b, "
                "c and 1 more."
            ),
            # in multi-turn, of which there are the most
            "· 1 of 5 trees, 14 of 14 questions answered",
        ],
    ),
    (
        {"open_trees": ["coolant"]},
        ["1 of 2 trees is not finished and excluded from all figures but the cost: coolant"],
    ),
    # what beside the headline
    ({"modes.0.unscored": {"judge": 1, "answer": 3}}, [f"{LOST}zero-shot answer 3, judge 1."]),
    (
        {"modes.0.unscored": {"judge": 1}, "modes.2.unscored": {"answer": 2}},
        [f"{LOST}zero-shot judge 1; multi-turn answer 2."],
    ),
    (
        {"modes.0.refusals": 1, "modes.0.silent": 2},
        [f"{SILENT}zero-shot 1 refusal, 2 replies without a word."],
    ),
    ({"modes.1.silent": 1}, [f"{SILENT}prompt-pred 1 reply without a word."]),
    ({"notes": ["Else.", FORCED]}, [f"34 answers\n{FORCED}\n"]),
    (
        {"spec.target": "given:llama3", "spec.judge": "openai:gpt-5"},
        ["questions · answers given as llama3 · judge"],
    ),
    # discrepancies
    (
        {"modes.0.discrepancies.forward.D2 → D3": PAIR},
        ["D2 → D3 321 .083 .051–.118 .202 – 41.4 35–48 45 6"],
    ),
    (
        {"threshold": "more than 3"},
        ["threshold rule: only where more than 3; n counts these, left out those below"],
    ),
    # Min-K%
    (
        {"modes.*.min_k": None, "modes.*.min_k_missing": "log-probabilities were not asked for"},
        ["Min-K%: not measured. Log-probabilities were not asked for.\n"],
    ),
    (
        {"modes.1.min_k": None, "modes.1.min_k_missing": "why", "modes.0.min_k.missing": 2},
        [
            (
                "Min-K% in prompt-pred: not measured. Why.\nMin-K% is there for 14 of 16 "
                "zero-shot answers.\n"
            )
        ],
    ),
    (
        {"modes.1.min_k": None, "modes.2.min_k": None, "modes.0.min_k.quartiles": QUARTERS},
        [
            *(
                "Min-K%, zero-shot",
                "Min-K% in prompt-pred, multi-turn: not measured. No answer has log-probabilities.",
            ),
            *(
                "Score gap D3 − D2 by Min-K%, zero-shot",
                "1 0.60–1.25 2 4 −.125 −.300 to .050 −.100 −.250 .000",
            ),
            *(
                "2 0.60–1.25 2 4 −.125 −.300 to .050 – –",
                "by quarter of the D3's Min-K%, 1 the lowest",
            ),
        ],
    ),
    # labels
    ({"by_domain": [label(n) for n in range(12)]}, ["\nfield 11 "]),
    (
        {"by_domain": [label(n) for n in range(20)]},
        ["By domain, zero-shot: the lowest 12 of 20\n", "8 further ones in the result"],
    ),
    ({"by_domain.0.label": "", "by_domain.0.accuracy": {}}, ["– – – – – – – .500 – .250 –"]),
    # cases
    (
        {"cases": lambda cases: [case for case in cases if case["direction"] == "backward"] * 7},
        ["The worst 3 cases, zero-shot", "7 backward cases in full: the result has them"],
    ),
    (
        {"cases": lambda cases: [case for case in cases if case["direction"] == "forward"]},
        ["1 forward case in full: the result has them"],
    ),
    (
        {
            "cases.*.neighbours": lambda held: held * 4,
            "cases.*.own.answer": "",
            "cases.*.discrepancy": 0.625,
        },
        [
            (
                "\n.625 backward: spreader.1.2 (D1) scores 1, the 4 deeper questions it leads to "
                "5 on average\n"
            ),
            "answer: (nothing)",
            "and 1 more",
        ],
    ),
]


def said_of(run: DepthQAResult) -> str:
    """What is printed, each line without what aligns it."""
    return re.sub(" +", " ", "\n".join(line.strip() for line in printed(run).splitlines()))


USUAL = cache(partial(said_of, RUN))
UNCHECKED = cache(partial(printed, RUN.model_copy(update={"conformance": ()})))


@pytest.mark.parametrize(("values", "said"), CASES)
def test_what_is_said_under_which_condition(values: dict[str, Any], said: list[str]) -> None:
    text = said_of(edited(RUN, values))
    assert [words for words in said if words not in text] == []
    assert not values or [words for words in said if words in USUAL()] == []


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ({"graph.edges": 0, "cases": []}, "orward discrepancy|ackward|intensity:|left out"),
        (
            {"modes.*.accuracy.*.mean": None, "modes.*.accuracy.*.scored": 0},
            "Mean scores|Forward|Change against",
        ),
        ({"by_reasoning": [], "by_domain": []}, "By domain|By type|several types of reasoning"),
        ({"by_reasoning": []}, "By type|several types of reasoning"),
        ({"changes": []}, "Change against"),
        ({"cases": []}, "The worst|in full:"),
        ({"modes.*.min_k.by_depth.D3": None}, r"D3 +2 +0\.[68]"),
        ({"simulated": False, "notes": []}, SIMULATED),
        (
            {"cases": lambda cases: [case for case in cases if case["direction"] == "forward"]},
            r"\.\d+ backward: ",
        ),
    ],
)
def test_what_there_is_none_of_is_left_out(values: dict[str, Any], missing: str) -> None:
    said = printed(edited(RUN, values | {"conformance": []}))
    assert re.search(missing, UNCHECKED())
    assert re.search(missing, said) is None


def test_a_graph_without_edges_has_no_discrepancies() -> None:
    said = printed(edited(RUN, {"graph.edges": 0}))
    assert said.count("No question leads to another one: there are no discrepancies.") == 1
    assert "forw." not in said
    assert "forward D2" not in said


def test_one_mode_stands_in_the_titles_and_zero_shot_needs_no_name() -> None:
    zero, pred = printed(only("zero-shot")), printed(only("prompt-pred"))
    assert "\nmean score 2.79 of 5" in zero
    assert "\nprompt-pred: mean score 3.17 of 5" in pred
    for said, mode in ((zero, "zero-shot"), (pred, "prompt-pred")):
        titles = (
            "Mean scores",
            "Forward discrepancy",
            "Backward discrepancy",
            "Min-K%",
            "By domain",
        )
        assert [title for title in titles if f"\n{title}, {mode}\n" not in said] == []
    first = RUN.model_copy(update={"modes": (*RUN.modes[1:], RUN.modes[0])})
    assert "\nzero-shot: mean score 2.79" in printed(first), "wherever it stands"


def test_intervals_of_discrepancies_go_below_where_there_is_no_room() -> None:
    made = edited(
        RUN, {"modes": lambda modes: modes[:1], "modes.0.discrepancies.forward.D2 → D3": PAIR}
    )
    lines = printed(made, 58).splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("D2 → D3 321"))
    assert lines[first].split()[3:] == ["321", ".083", ".202", "41.4", "45", "6"]
    assert lines[first + 1].split() == [".051–.118", "–", "35–48"]


def test_the_lowest_labels_are_those_shown_and_those_without_a_score_come_last() -> None:
    rows = [label(n) for n in range(20)]
    rows[19]["accuracy"]["overall"] |= NOTHING
    assert re.findall(
        r"^field (\d\d)", printed(edited(RUN, {"by_domain": rows})), re.MULTILINE
    ) == [f"{n:02d}" for n in range(18, 6, -1)]


def test_texts_of_cases_are_cut() -> None:
    said = printed(
        edited(RUN, {"cases.0.own.answer": "word " * 400, "cases.1.own.answer": "word " * 400}), 80
    )
    answers = re.findall(r"answer: (word [word\s]*…)", said)
    assert [100 < len(flat(answer)) <= 160 for answer in answers] == [True] * 2


def test_where_a_run_is_kept_the_rest_is_pointed_at() -> None:
    said = flat(launched([RUN], kept=Path("runs/here")))
    assert "12 deviations from the published method: `fathom show 8e36c555` lists them" in said
    assert "`fathom show 8e36c555 --path spreader.1.2` shows one question" in said


def test_numbers_as_they_are_written() -> None:
    assert [gap(v) for v in (None, 0.0, 0.0834, 1.0, -0.12, -0.0004)] == [
        "–",
        ".000",
        ".083",
        "1.000",
        "−.120",
        ".000",
    ]
    assert [gap_span(ends) for ends in ((0.05, 0.11), (-0.05, 0.11))] == [
        ".050–.110",
        "−.050 to .110",
    ]
    assert [percents(v) for v in (0.414, 0.125, 0.29, 0.004, 0.0, 1.0)] == [
        "41.4",
        "12.5",
        "29",
        "0.4",
        "0",
        "100",
    ]
    assert "".join(sign_of(score)[0] for score in (None, 1, 2, 2.99, 3, 3.99, 4, 5)) == "?✗✗✗~~✓✓"
