"""The summary of a DepthQA run."""

import re
from pathlib import Path

import pytest

from fathom.reports.page.remarks import SIMULATED
from fathom.reports.views.depthqa.labels import FEW
from fathom.reports.views.depthqa.summary import depthqa_headline, depthqa_remarks, depthqa_summary, graph_words, legend
from fathom.reports.views.whole import summary_of
from fathom.state.depthqa.items import MODES
from fathom.state.depthqa.result import DepthQAResult, DiscrepancyRow, ScoreRow

from ...support.depthqa.synthetic import result
from ...support.screen import active_characters, shown
from ...support.snapshot import assert_snapshot

EVIL = "[red]evil\x1b[2J\u202e"
ONE = result(trees=5, min_k=True)
ALL = result(modes=MODES)
FORCED = "Resumed by force although the prompt 'rating' has changed."


def text_of(one: DepthQAResult, width: int = 100, **options: bool) -> str:
    return shown(depthqa_summary(one, width=width, kept=Path("runs/some-run"), **options), width)


def flat(text: str) -> str:
    return " ".join(text.split())


def with_accuracy(one: DepthQAResult, **levels: ScoreRow) -> DepthQAResult:
    first = one.modes[0].model_copy(update={"accuracy": {**one.modes[0].accuracy, **levels}})
    return one.model_copy(update={"modes": (first, *one.modes[1:])})


def test_summary_of_one_mode() -> None:
    text = text_of(ONE, reference_metrics=True)
    assert_snapshot("depthqa_summary_100", text)
    assert "published code" not in text_of(ONE)


def test_summary_of_all_modes() -> None:
    assert_snapshot("depthqa_summary_modes_60", text_of(ALL, 60, reference_metrics=True))


@pytest.mark.parametrize("width", [40, 50, 58, 78, 88, 96, 112, 200])
def test_no_number_is_cut_and_no_line_too_long(width: int) -> None:
    row = (
        ALL.modes[0]
        .discrepancies.forward["overall"]
        .model_copy(
            update={"eligible": 1183, "left_out": 1571, "unscored": 12, "frequency": 1.0, "frequency_ci": (0.998, 1.0)}
        )
    )
    held = ALL.modes[0].discrepancies
    large = ALL.modes[0].model_copy(
        update={"discrepancies": held.model_copy(update={"forward": {**held.forward, "overall": row}})}
    )
    for one in (ALL.model_copy(update={"modes": (large, *ALL.modes[1:])}), result(trees=5, min_k=True)):
        text = text_of(one.model_copy(update={"cases": ()}), width, reference_metrics=True)
        assert max(len(line.rstrip()) for line in text.splitlines()) <= width
        assert not re.search(r"[\d.–]…|…[\d.–]", text.replace("1 … 5", "")), text


def test_foreign_text_is_inert() -> None:
    case = ONE.cases[0]
    own = case.own.model_copy(update={"answer": EVIL, "question": EVIL, "node": "x\x1b[1m", "reason": EVIL})
    label = ONE.by_domain[0].model_copy(update={"label": EVIL})
    evil = ONE.model_copy(
        update={
            "spec": ONE.spec.model_copy(update={"graph": EVIL, "target": EVIL, "judge": EVIL}),
            "cases": (case.model_copy(update={"own": own}),),
            "by_domain": (label,),
            "notes": (EVIL,),
            "open_trees": (EVIL,),
            "stop_detail": EVIL,
            "status": "partial",
            "stop_reason": "budget",
            "threshold": EVIL,
        }
    )
    text = text_of(evil)
    assert not active_characters(text)
    assert text.count("[red]evil␛[2J") >= 8


def test_the_headline() -> None:
    rows = {
        "overall": ScoreRow(questions=73, scored=72, mean=4.207, ci=(4.05, 4.364)),
        "D3": ScoreRow(questions=5, scored=5, mean=3.91, ci=None),
    }
    assert depthqa_headline(with_accuracy(ONE, **rows)) == (
        "mean score 4.21 of 5 (95% CI 4.05–4.36), at D3 3.91 · forward discrepancy .240 (.200–.280)"
        " · backward .153 (.113–.193) · 5 trees, 73 questions, 73 answers"
    )
    assert depthqa_headline(ALL).startswith("zero-shot: mean score"), "of several modes it names the one"
    other = result(modes=("prompt-gold",))
    assert depthqa_headline(other).startswith("prompt-gold: ")
    assert "Mean scores, prompt-gold" in text_of(other)


def test_nothing_measured() -> None:
    bare = {name: row.model_copy(update={"scored": 0, "mean": None}) for name, row in ONE.modes[0].accuracy.items()}
    empty = with_accuracy(ONE, **bare).model_copy(
        update={"status": "failed", "stop_reason": "no_questions", "stop_detail": "no answer could be scored; down"}
    )
    assert depthqa_headline(empty) == "nothing was measured · 5 trees, 73 questions, 73 answers"
    assert depthqa_remarks(empty)[0] == "Failed: no answer could be scored (down)."
    assert "Forward discrepancy" not in text_of(empty)


def test_what_must_stand_beside_the_headline() -> None:
    cut = ONE.model_copy(
        update={
            "status": "partial",
            "stop_reason": "budget",
            "stop_detail": "the limit of USD 1 is reached",
            "open_trees": ("a_d3", "b_d3", "c_d3", "d_d3"),
            "notes": (FORCED,),
            "modes": (ONE.modes[0].model_copy(update={"silent": 2, "unscored": {"judge": 1, "answer": 3}}),),
        }
    )
    assert depthqa_remarks(cut) == [
        "Partial: the budget was used up (the limit of USD 1 is reached).",
        "4 of 5 trees are not finished and excluded from all figures but the cost: a_d3, b_d3, c_d3 and 1 more.",
        "Lost to faults and excluded from all figures: answer 3, judge 1.",
        "Scored 1 without being judged: 1 refusal, 2 replies without a word.",
        FORCED,
    ]
    assert depthqa_headline(cut).endswith(" · 1 of 5 trees, 73 of 73 questions answered")
    assert depthqa_remarks(ALL)[0].endswith("figures: " + "; ".join(f"{mode} judge 1" for mode in MODES) + ".")


def test_the_graph_and_the_terms() -> None:
    assert graph_words(ONE) == "Graph: 5 trees, 81 nodes with 73 questions (D1 48, D2 20, D3 5), 90 edges"
    terms = [line.partition(":")[0] for line in legend(ONE)]
    assert [term.split(" (")[0] for term in terms] == [
        *("mean", "d of a question", "forward", "backward", "threshold rule"),
        *(
            "average",
            "frequency",
            "intensity",
            "?",
            "95% CI",
            "With few trees, intervals have non-zero width even if all scores agree",
        ),
    ]
    assert "neighbours' mean score >= 4 of 5" in flat(text_of(ONE))


def test_a_graph_without_edges_has_no_discrepancies() -> None:
    loose = ONE.model_copy(update={"graph": ONE.graph.model_copy(update={"edges": 0}), "cases": ()})
    text = text_of(loose, reference_metrics=True)
    assert text.count("No question leads to another one: there are no discrepancies.") == 1
    assert "Mean scores" in text
    assert "published code" in text
    words = text.partition("deviates")[0].lower()
    assert not re.search("forward|backward|intensity", words.partition("score gap")[0] + words.partition("by dom")[2])
    assert "forward" not in depthqa_headline(loose)


def test_all_figures_of_a_pair_are_there() -> None:
    row = DiscrepancyRow(
        eligible=321,
        left_out=45,
        unscored=6,
        average=0.0834,
        average_ci=(0.051, 0.118),
        frequency=0.414,
        frequency_ci=(0.35, 0.48),
        intensity=0.2018,
        intensity_ci=None,
    )
    held = ONE.modes[0].discrepancies
    numbers = ONE.modes[0].model_copy(
        update={"discrepancies": held.model_copy(update={"backward": {**held.backward, "D1 → D2": row}})}
    )
    made = ONE.model_copy(update={"modes": (numbers,)})
    wide = next(line for line in text_of(made, 96).splitlines() if line.startswith("D1 → D2  321"))
    assert wide.split()[3:] == ["321", ".083", ".051–.118", ".202", "–", "41.4", "35–48", "45", "6"]
    narrow = text_of(made, 58).splitlines()
    first = next(n for n, line in enumerate(narrow) if line.startswith("D1 → D2 321"))
    assert narrow[first].split() == ["D1", "→", "D2", "321", ".083", ".202", "41.4", "45", "6"]
    assert narrow[first + 1].split() == [".051–.118", "–", "35–48"]


def test_modes_are_told_apart_and_changes_shown() -> None:
    text = text_of(ALL)
    rows = text[text.index("Mean scores") : text.index("Forward discrepancy")].splitlines()
    assert [line.strip() for line in rows if line.strip() in MODES] == list(MODES)
    assert not any(line.startswith("  D1") for line in rows[rows.index("prompt-gold".ljust(len(rows[4]))) :][:4])
    change = next(c for c in ALL.changes if c.mode == "multi-turn" and c.level == "overall")
    assert f"{change.difference:+.2f}".replace("-", "−") in text[text.index("Change against zero-shot") :]
    assert "Change against zero-shot" not in text_of(ONE)


def test_min_k_or_why_there_is_none() -> None:
    text = text_of(ONE)
    assert ONE.modes[0].min_k is not None
    spread = ONE.modes[0].min_k.by_depth["D2"]
    assert spread is not None
    table = text[text.index("Min-K%, zero-shot") :]
    expected = [str(spread.n), *(f"{v:.2f}" for v in (spread.minimum, spread.q1, spread.median, spread.q3))]
    assert next(line for line in table.splitlines() if line.startswith("D2")).split()[1:-1] == expected
    assert len(re.findall(r"^[1-4]  .*–", table, re.MULTILINE)) == 4, "a row per quarter"
    assert "Min-K%: none. Log-probabilities were not asked for." in flat(text_of(ALL))
    few = result(min_k=True)
    assert "With fewer than four D3 answers" in text_of(few)


def test_labels_that_are_many_are_cut_to_the_weakest() -> None:
    row = ONE.by_domain[0]
    rows = tuple(row.model_copy(update={"label": f"field {n:02d}", "accuracy": _overall(n)}) for n in range(20))
    text = text_of(ONE.model_copy(update={"by_domain": rows}))
    assert f"By domain, zero-shot: the lowest {FEW} of 20" in text
    assert re.findall(r"^field (\d\d)", text, re.MULTILINE) == [f"{n:02d}" for n in range(19, 19 - FEW, -1)]
    assert "8 further ones in the result" in text


def _overall(n: int) -> dict[str, ScoreRow]:
    return {"overall": ScoreRow(questions=1, scored=1, mean=5 - n / 10, ci=None)}


def test_the_worst_backward_cases_are_shown_and_the_others_counted() -> None:
    backward = [case for case in ONE.cases if case.direction == "backward"]
    long = backward[0].own.model_copy(update={"answer": "word " * 400})
    many = (backward[0].model_copy(update={"own": long}), *backward * 3, *ONE.cases[len(backward) :])
    text = text_of(ONE.model_copy(update={"cases": many}))
    part = text[text.index("The worst backward cases") : text.index("Calls and cost")]
    assert f"zero-shot (5 of {1 + 3 * len(backward)})" in part
    assert part.count("scores") == 10, "each with the deeper question it is held against"
    assert "…" in part
    run = ONE.run_id.rpartition("-")[2]
    assert f"`fathom show {run} --json` has them" in flat(part)
    assert f"`fathom show {run} --path {many[0].own.node}` shows one question" in flat(part)
    only = ONE.model_copy(update={"cases": tuple(c for c in ONE.cases if c.direction == "forward")})
    assert "The worst backward" not in text_of(only)
    assert re.search(r"\d forward cases in full", text_of(only))


def test_simulated_numbers_are_labelled_and_given_answers_named() -> None:
    assert SIMULATED in text_of(ONE)
    given = result("given:llama3")
    assert SIMULATED not in text_of(given)
    assert "answers given as llama3" in text_of(given)


def test_the_dispatcher_knows_the_method() -> None:
    assert shown(summary_of(ONE, width=90), 90) == shown(depthqa_summary(ONE, width=90), 90)
