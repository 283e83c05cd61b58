"""A DeepQuestion run at its end: the headline, the tables, the prompts, and several runs side by side."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from fathom.reports.page.figures import p_value, points, points_span
from fathom.reports.page.remarks import SIMULATED
from fathom.reports.views.deepquestion.compare import GIVEN, NOT_ALIKE, comparison_tables
from fathom.reports.views.deepquestion.judged import EVEN, UNKNOWN, position_part, wins_bar
from fathom.reports.views.deepquestion.prompts import prompt_part, unconverged
from fathom.reports.views.deepquestion.summary import (
    deepquestion_brief,
    deepquestion_headline,
    deepquestion_remarks,
    deepquestion_summary,
    print_deepquestion,
)
from fathom.reports.views.deepquestion.tables import WIDE, lines_of
from fathom.reports.views.whole import summary_of
from fathom.state.deepquestion.result import (
    Comparisons,
    DeepQuestionComparison,
    DeepQuestionResult,
    PositionRow,
    PromptHistory,
)

from ...support.deepquestion.made import CREATED, DRAFT, FEEDBACK, comparison, history, load_row, result, share
from ...support.screen import active_characters, screen, shown, written
from ...support.snapshot import assert_snapshot

EVIL = "[red]evil\x1b[2J\u202e"
ALL = result()
ONE = result("openai:gpt-5", ("some",))
FAILED = (history("q2s", 5, 6, 6, used=False), history("q2i", None, None, used=False))
NOTHING: dict[str, object] = {
    "q2s": (),
    "q2i": None,
    "prompts": FAILED,
    "stop_reason": "not_converged",
    "stop_detail": "no draft for q2s and q2i reached 8",
    "rejected": (),
    "unwritten": {},
}


def text_of(one: DeepQuestionResult, width: int = 100, **options: bool) -> str:
    return shown(deepquestion_summary(one, width=width, kept=Path("runs/some-run"), **options), width)


def flat(text: str) -> str:
    return " ".join(text.split())


def test_summary_with_every_load() -> None:
    assert_snapshot("deepquestion_summary_100", text_of(ALL))
    assert shown(summary_of(ALL, width=100, kept=Path("runs/some-run")), 100) == text_of(ALL)


def test_summary_of_one_load_on_a_narrow_screen() -> None:
    assert_snapshot("deepquestion_summary_80", text_of(result(loads=("some",)), 80, in_full=False))


@pytest.mark.parametrize("width", [40, 62, 80, 96, 108, 118, 138])
def test_no_number_is_cut_and_no_line_too_long(width: int) -> None:
    large = ALL.model_copy(update={"q2s": (*ALL.q2s[:2], load_row("many", 1000, 319, 0, 0, unscored=12))})
    side = comparison(large, result("anthropic:claude-opus-4-5-20251101"))
    for text in (text_of(large, width), shown(comparison_tables(side, width=width), width)):
        assert max(len(line.rstrip()) for line in text.splitlines()) <= width
        assert not re.search(r"[\d–]…|…[\d–]", text.replace("0 … 100%", "")), text


def test_q2i_has_a_distance_and_no_p() -> None:
    original, *loads, created = lines_of(ALL)
    assert (original.change, original.drop) == (None, None)
    assert [line.drop for line in loads] == [row.drop for row in ALL.q2s]
    assert created.drop is None
    assert created.change == pytest.approx(36 / 39 - 18 / 37)
    (row,) = [line for line in text_of(ONE).splitlines() if line.startswith("Q2I, another task")]
    # n, right, accuracy, interval, distance, interval, p, words, ?
    assert re.search(r"37 +18 +49 +34–59 +\+44 +\+25 to \+60 +– +– +1$", row)


def test_what_did_not_converge_is_said_first_with_what_to_do() -> None:
    one = ALL.model_copy(update=NOTHING)
    said = unconverged(one)
    assert said == [
        "NOT CONVERGED: none of 3 drafts of the Q2S prompt reached 8 of 10 (the best, of round 2, has 6). Nothing was"
        " generated for Q2S.",
        "NOT CONVERGED: none of 2 drafts of the Q2I prompt reached 8 of 10 (no draft got a score). Nothing was"
        " generated for Q2I.",
        "What to do for Q2S and Q2I: --use-best takes the best draft anyway, --rounds above 5 allows more drafts,"
        " and another --generator may write better ones.",
    ]
    assert deepquestion_remarks(one) == ["Lost to faults and excluded from all figures: original 1."], (
        "the end of the run is told once"
    )
    text, last = flat(text_of(one)), flat(text_of(one, headline_last=True))
    assert text.index(SIMULATED) < text.index(said[0]) < text.index("original 92%") < text.index("5 → 6 → 6")
    assert last.endswith(said[2]), "on a terminal the last line is what is read first"
    assert said[1] in flat(shown(deepquestion_brief(one, width=90), 90))
    assert "McNemar" not in text


def prompts(*histories: PromptHistory, **changes: object) -> DeepQuestionResult:
    return ALL.model_copy(update={"prompts": histories, **changes})


def test_other_ways_to_have_no_prompt() -> None:
    early = prompts(history("q2s", 5, used=False), status="partial", stop_reason="budget")
    assert unconverged(early) == ["NOTHING GENERATED for Q2S: the run ended after draft 1 of at most 5 of its prompt."]
    none = history("q2s", used=False)
    assert unconverged(prompts(none)) == ["NOTHING GENERATED for Q2S: no draft of its prompt was written."]
    wished = prompts(FAILED[1], spec=ALL.spec.model_copy(update={"use_best": True}))
    assert "--use-best" not in unconverged(wished)[-1], "it was given already"
    given = PromptHistory(kind="q2s", source="given", converged=None, guide=DRAFT, used=False)
    assert unconverged(prompts(given, history("q2i", 4, 9))) == []


def test_a_prompt_below_the_threshold_that_was_used_is_told() -> None:
    single = history("q2s", 4).model_copy(update={"source": "single pass"})
    best = history("q2i", 5, 7, 6)
    assert deepquestion_remarks(prompts(single, best))[:2] == [
        "The Q2S prompt scores 4 of 10, below the threshold, and was used on request (--single-pass).",
        "The Q2I prompt scores 7 of 10, below the threshold, and was used on request (--use-best).",
    ]
    text = text_of(prompts(single, best))
    assert "Q2I round 2: 7 of 10 · used" in text
    assert "loop, not converged: the best is of round 2, used on request" in text
    assert "single pass: the first draft, whatever its score" in text


def test_drafts_are_cut_short_unless_they_are_wanted_whole() -> None:
    given = PromptHistory(kind="q2i", source="given", converged=None, guide=DRAFT, used=True)
    one = prompts(history("q2s", 6, 9), given)
    table, short, whole = (
        "\n".join(shown(part, 60) for part in prompt_part(one, width=60, rounds=rounds, whole=all_of_it))
        for rounds, all_of_it in ((False, False), (True, False), (True, True))
    )
    assert "round 1" not in table
    assert "6 → 9" in table
    assert FEEDBACK not in flat(short)
    assert FEEDBACK in flat(whole)
    assert "    - the answer stays" in whole, "its lines are kept"
    assert "Q2I the prompt that was given" in whole
    assert prompt_part(prompts(), width=60) == []


def test_what_must_stand_beside_the_headline() -> None:
    cut = ALL.model_copy(
        update={
            "status": "partial",
            "stop_reason": "budget",
            "stop_detail": "the limit of USD 1 is reached",
            "open_problems": ("p7", "p8", "p9", "p10"),
            "notes": ("Resumed by force although a prompt has changed.",),
        }
    )
    assert deepquestion_remarks(cut) == [
        "Partial: the budget was used up (the limit of USD 1 is reached).",
        "4 of 40 problems are not finished and excluded from all figures but the cost: p7, p8, p9 and 1 more.",
        "Lost to faults and excluded from all figures: original 1, Q2S with 2 distractors 1, Q2S"
        " with 5 distractors 2, Q2I 1, comparisons by the judge 2.",
        "Resumed by force although a prompt has changed.",
    ]
    failed = {"status": "failed", "stop_reason": "no_questions", "stop_detail": "the endpoint is down"}
    assert deepquestion_remarks(ALL.model_copy(update=failed))[0] == (
        "Failed: nothing could be scored (the endpoint is down)."
    )


def test_rejected_texts_are_counted_by_problem_with_an_example() -> None:
    text = text_of(ALL)
    assert "Rejected: 3 of 39 scenarios, 1 of 39 instructions" in text
    assert re.search(r"Q2S  answer changed +2  p3 with 5 distractors: It reaches 42, and 40 is right\.", text)
    assert "Not written because of a fault, not counted: Q2S 2, Q2I 2." in text
    assert "Rejected" not in text_of(ALL.model_copy(update={"rejected": (), "unwritten": {}}))


def test_few_problems_are_told_apart_from_many() -> None:
    assert WIDE not in flat(text_of(ALL))
    few = ALL.model_copy(update={"original": share(9, 12)})
    assert WIDE in flat(text_of(few))
    assert "Only 28 pairs: intervals are wide" in text_of(ALL)


def test_the_judges_leaning_stands_beside_that_between_originals() -> None:
    def part(created: bool, baseline: bool) -> str:
        own, base = CREATED if created else None, ALL.baseline if baseline else None
        return "\n".join(shown(each, 104) for each in position_part(own, base, width=104))

    both = part(True, True)
    # 117 of 190 and 23 of 40 preferences, the second with an interval around 50%
    assert re.search(r"all +117 +73 +90 +62 +53–71 +23 +17 +40 +57 +48–66", both)
    assert "written: the written question and the original · it favours the first position" in both
    assert f"originals: two originals, 10 pairs in both orders · {EVEN}" in both
    assert "bias between equals is unknown" in part(True, False)
    assert "written" not in part(False, True)
    assert part(False, False) == ""
    row = PositionRow(criterion="all", comparisons=10, first=10, second=0, ties=0, first_share=1.0, ci=None)
    lone = Comparisons(pairs=1, unscored=0, criteria=(), position=(row,))
    (*_, last, _) = position_part(lone, None, width=200)
    assert f"the original · {UNKNOWN}" in shown(last, 200), "all ten are of one pair"


def test_a_bar_has_wins_ties_and_losses() -> None:
    row = CREATED.criteria[1]  # 4, 8 and 16 of 28
    assert wins_bar(row, 28) == "█" * 4 + "▓" * 8 + "░" * 16
    assert wins_bar(row.model_copy(update={"pairs": 0}), 28) == ""


def test_figures() -> None:
    assert [p_value(p) for p in (None, 0.0004, 0.0312, 1.0)] == ["–", "< .001", ".031", "1.000"]
    assert [points(value) for value in (None, 0.149, -0.03, 0.004, -0.001)] == ["–", "+15", "−3", "0", "0"]
    assert points_span((-0.01, 0.114)) == "−1 to +11"


SIDE = (ONE, result("sim:student", ("none", "some")), result("local@http://127.0.0.1:8080/v1:qwen3\x1b[31m-235b"))


def printed(results: Sequence[DeepQuestionResult], compared: DeepQuestionComparison | None, *, colour: bool) -> str:
    console = screen(100, colour=colour, environ={"NO_COLOR": "1"} if colour else None)
    print_deepquestion(console, results, {one.run_id: Path("runs/here") for one in results}, compared)
    return flat(re.sub(r"\x1b\[[0-9;]*m", "", written(console)))


def test_the_end_of_a_launch() -> None:
    best = deepquestion_headline(ALL)
    piped, seen = (printed([ALL], None, colour=colour) for colour in (False, True))
    assert piped.index(best) < 250
    assert seen.endswith(best)
    assert "1 deviation from the published method: `fathom show" in seen
    assert "round 1" not in seen
    four = [*SIDE, ALL]
    text = printed(four, comparison(*four), colour=False)
    assert all(deepquestion_headline(one) in text for one in four)
    assert "Transformation prompts" not in text
    assert text.index("Runs side by side") > text.rindex("Results: ")


@pytest.mark.parametrize("width", [60, 120])
def test_runs_side_by_side(width: int) -> None:
    text = shown(comparison_tables(comparison(*SIDE, same_texts=False), width=width), width)
    assert_snapshot(f"deepquestion_compare_{width}", text)
    assert NOT_ALIKE in flat(text)
    alike = shown(comparison_tables(comparison(*SIDE), width=width), width)
    assert NOT_ALIKE not in flat(alike)
    single, other = comparison(ONE), ONE.model_copy(update={"original": share(33, 35), "q2i": None})
    (same,) = comparison(other).cells
    said = flat(shown(comparison_tables(single.model_copy(update={"cells": (same,)}), width=width), width))
    assert "n 35" not in said, "it stands apart only where it differs"
    assert ("no p is corrected" in said, "no p is corrected" in flat(alike)) == (False, True)


def test_where_all_texts_were_given_no_prompt_is_shown() -> None:
    made = comparison(ONE)
    given = made.cells[0].model_copy(update={"prompts": {"q2s": GIVEN, "q2i": GIVEN}, "written": {}})
    text = shown(comparison_tables(made.model_copy(update={"cells": (given,)}), width=90), 90)
    assert "were written" not in text
    assert "SIMULATED" not in text
    assert "were written" in shown(comparison_tables(made, width=90), 90)


def test_foreign_text_is_inert() -> None:
    names = {"benchmark": EVIL, "target": EVIL, "judge": EVIL, "generator": EVIL, "evaluator": EVIL}
    rejected = ALL.rejected[0].model_copy(update={"problem": EVIL, "reason": EVIL})
    first = history("q2s", 9).rounds[0].model_copy(update={"draft": EVIL, "feedback": EVIL})
    evil = prompts(
        history("q2s", 9).model_copy(update={"rounds": (first,)}),
        spec=ALL.spec.model_copy(update=names),
        rejected=(rejected,),
        open_problems=(EVIL,),
        notes=(EVIL,),
        stop_detail=EVIL,
        status="partial",
        stop_reason="budget",
    )
    for text in (text_of(evil), text_of(evil, prompts=True), shown(comparison_tables(comparison(evil), width=90), 90)):
        assert not active_characters(text)
        assert "[red]evil␛[2J" in text
