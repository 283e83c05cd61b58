"""The summary of an Explain-Query-Test, and what there is of one that has no result."""

import re
from pathlib import Path

import pytest

from fathom.reports.live.progress import progress_of
from fathom.reports.page.remarks import SIMULATED
from fathom.reports.views.eqt.concepts import ENDS
from fathom.reports.views.eqt.summary import eqt_brief, eqt_headline, eqt_remarks, eqt_summary, print_eqt
from fathom.reports.views.eqt.tables import letter_bar, letter_part
from fathom.reports.views.unfinished import unfinished
from fathom.reports.views.whole import summary_of
from fathom.state.eqt.result import EqtResult, LetterBias
from fathom.state.spec import Concept

from ...support.eqt.synthetic import HOSTILE, EqtPlan, many
from ...support.eqt.synthetic_result import events_of, result_of
from ...support.screen import active_characters, screen, shown, written
from ...support.snapshot import assert_snapshot

FULL = EqtPlan(open_book=True, attribute=6, examiner="openai:gpt-5")
MANY = EqtPlan(concepts=many(70, ("math", "law", "health and medicine")), faults=False)
REAL = EqtPlan(target="openai:gpt-5", examiner="openai:gpt-5", simulated=False, cost=None, concepts=HOSTILE[:2])
CUT = EqtPlan(done=2, status="partial", stop_reason="budget")
EMPTY = EqtPlan(done=0, status="failed", stop_reason="no_questions")


def text_of(plan: EqtPlan, width: int = 100, **options: bool) -> str:
    return shown(eqt_summary(result_of(plan), width=width, kept=Path("runs/some-run"), **options), width)


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_summary(width: int) -> None:
    text = text_of(FULL, width)
    assert_snapshot(f"eqt_summary_{width}", text)
    assert max(len(line) for line in text.splitlines()) <= width
    assert not active_characters(text)


def test_summary_of_many_concepts() -> None:
    text = text_of(MANY)
    assert_snapshot("eqt_summary_many_100", text)
    rows = {row.id.rpartition("/")[2]: row.numbers for row in result_of(MANY).concepts}
    shown_ids = re.findall(r"^(c\d{3}) ", text, re.MULTILINE)
    weakest, strongest = shown_ids[:ENDS], shown_ids[ENDS:]
    accuracy = {name: numbers.all.accuracy or 0.0 for name, numbers in rows.items()}
    assert len(strongest) == ENDS
    assert max(accuracy[name] for name in weakest) == sorted(accuracy.values())[ENDS - 1]
    assert min(accuracy[name] for name in strongest) == sorted(accuracy.values())[-ENDS]


@pytest.mark.parametrize("width", [50, 60, 78, 80, 96, 122, 200])
@pytest.mark.parametrize("plan", [FULL, MANY])
def test_no_number_is_cut(plan: EqtPlan, width: int) -> None:
    assert "…" not in flat(text_of(plan, width)).replace("0 … 1", "")


def test_the_headline() -> None:
    result = result_of(MANY)
    numbers = result.numbers.model_copy(
        update={
            "concepts": 70,
            "questions": 1400,
            "all": result.numbers.all.model_copy(
                update={"accuracy": 0.712, "scored": 5600, "ci": (0.7, 0.72), "ci_clustered": (0.68, 0.74)}
            ),
            "consistency": result.numbers.consistency.model_copy(update={"acs": 0.916, "acs_ci": (0.9, 0.93)}),
        }
    )
    whole = result.model_copy(update={"numbers": numbers})
    assert eqt_headline(whole) == (
        "accuracy 71% (95% CI 68–74) · ACS .92 (.90–.93) · 70 concepts, 1,400 questions, 5,600 answers"
    )
    alone = numbers.model_copy(update={"all": numbers.all.model_copy(update={"ci_clustered": None})})
    assert "(95% CI 70–72)" in eqt_headline(result.model_copy(update={"numbers": alone})), (
        "Wilson's where there is no other"
    )


def test_a_run_that_was_cut_off_does_not_pass_for_a_complete_one() -> None:
    result = result_of(CUT)
    assert "· 2 of 6 concepts, " in eqt_headline(result)
    assert eqt_remarks(result)[:2] == [
        "Partial: the budget was used up (the limit of USD 0.10 is reached).",
        "4 of 6 concepts are not finished and are left out: الهيليوم السائل, [red]Noble gases[/red], "
        "Lambda␛[31m point␛[0m and its very long name that goes on and on and 1 more.",
    ]


def test_nothing_measured() -> None:
    text = text_of(EMPTY)
    assert_snapshot("eqt_summary_empty_100", text)
    assert "nothing was measured · 0 of 6 concepts, 0 questions, 0 answers" in text
    assert "Failed: no usable question was written." in text
    assert "By category" not in text


def test_what_was_lost_is_said() -> None:
    assert eqt_remarks(result_of(FULL)) == [
        "1 question and 1 paraphrase dropped because openai:gpt-5 wrote them malformed; "
        "lost to faults and excluded: answer 1, explanation 1.",
        "1 question with a single readable answer stays out of ACS.",
        "Options were shuffled each time: ACS compares options, not letters.",
    ]


def test_without_paraphrases_no_acs_is_shown() -> None:
    result = result_of(EqtPlan(paraphrases=0, shuffle=False, faults=False, concepts=HOSTILE[:2]))
    assert "· ACS not measured ·" in eqt_headline(result)
    assert eqt_remarks(result) == [
        "Without paraphrases each question has one answer and ACS would always be 1: it is not shown.",
        "Options kept their original order.",
    ]
    text = shown(eqt_summary(result, width=120), 120)
    assert "norm." not in text
    assert "para. %" not in text


def test_a_question_with_a_single_answer_and_a_fixed_order_are_pointed_out() -> None:
    result = result_of(EqtPlan(shuffle=False, faults=False, concepts=HOSTILE[:2]))
    row = result.numbers.consistency.model_copy(update={"uninformative": 2})
    remarks = eqt_remarks(result.model_copy(update={"numbers": result.numbers.model_copy(update={"consistency": row})}))
    assert remarks == [
        "2 questions with a single readable answer stay out of ACS.",
        "Options kept their original order: ACS also rewards a favourite letter.",
    ]


def test_a_run_resumed_by_force_says_so_at_the_top() -> None:
    forced = result_of(MANY).model_copy(update={"notes": ("Resumed by force: the prompt 'choice' has changed.",)})
    assert eqt_remarks(forced)[-1].startswith("Resumed by force")


@pytest.mark.parametrize("plan", [FULL, REAL])
def test_simulated_numbers_are_labelled_and_others_are_not(plan: EqtPlan) -> None:
    text = text_of(plan)
    assert (SIMULATED in text) == plan.simulated
    assert ("its own examiner" in text) == (plan.examiner == plan.target)
    assert ("unknown" in text) == (plan.cost is None)


def test_the_open_book_gap_stands_in_table_and_figures() -> None:
    numbers = result_of(FULL).numbers
    assert numbers.open_book_gap is not None
    text = text_of(FULL, 122)
    assert f"{numbers.open_book_gap * 100:+.0f} points" in text
    row = next(line.split() for line in text.splitlines() if line.startswith("all "))
    assert f"{numbers.open_book_gap * 100:+.0f}" in row
    assert "open %" not in text_of(MANY)


def test_concepts_without_categories() -> None:
    plain = tuple(Concept(name=concept.name) for concept in HOSTILE[:2])
    text = text_of(EqtPlan(concepts=plain))
    assert "Over all concepts" in text
    assert "By category" not in text
    assert text.startswith("Graph theory, 超流動ヘリウム · sim:student")


def test_the_bar_of_a_letter() -> None:
    assert letter_bar(0.2, 0.1, 0.4, 20) == "█" * 5 + "▓" * 5
    assert letter_bar(0.1, 0.4, 0.4, 20) == "█" * 5 + "░" * 15
    assert letter_bar(0.4, 0.4, 0.4, 20) == "█" * 20
    assert letter_bar(0.0, 0.0, 0.0, 20) == ""


def test_letters_of_nobody() -> None:
    assert letter_part(LetterBias(answers=0, letters=(), distance=None, largest=None), width=80) == []


def test_deviations_are_listed_or_counted() -> None:
    listed, counted = text_of(FULL), text_of(FULL, in_full=False)
    assert "· order of options: shuffled for each asking" in listed
    assert "2 deviations from the published method: `fathom show e9e9e9e9` lists them" in counted
    assert "order of options: shuffled" not in counted


def test_the_dispatcher_knows_the_method() -> None:
    result = result_of(MANY)
    assert shown(summary_of(result, width=100), 100) == shown(eqt_summary(result, width=100), 100)


def printed(results: list[EqtResult], *, colour: bool = False) -> str:
    console = screen(100, colour=colour, environ={"NO_COLOR": "1"} if colour else None)
    print_eqt(console, results, {result.run_id: Path("runs/here") for result in results})
    return re.sub(r"\x1b\[[0-9;]*m", "", written(console))


def test_on_a_terminal_the_headline_comes_last_and_on_a_pipe_first() -> None:
    result = result_of(FULL)
    piped, seen = (printed([result], colour=colour) for colour in (False, True))
    best = eqt_headline(result)
    assert seen.splitlines()[-1].rstrip() == best
    assert next(n for n, line in enumerate(piped.splitlines()) if line.rstrip() == best) < 5
    parts = ("Calls and cost", "Notes", "2 deviations", "Results: ", "By concept", "By category")
    order = [seen.index(part) for part in parts]
    assert order == sorted(order)
    assert SIMULATED in "\n".join(seen.splitlines()[-9:])
    for text in (piped, seen):
        assert text.count(best) == 1


def test_a_few_runs_are_shown_in_full_and_many_by_their_headline() -> None:
    result = result_of(MANY)
    assert printed([result] * 2).count("By category") == 2
    brief = printed([result] * 5)
    assert "By category" not in brief
    assert brief.count(eqt_headline(result)) == 5
    assert brief.count("Results: runs/here") == 5
    assert eqt_headline(result) in shown(eqt_brief(result, width=100), 100)


def test_an_unfinished_run() -> None:
    (progress,) = progress_of(events_of(FULL)[:80]).runs.values()
    text = shown(unfinished(progress, width=100, kept=Path("runs/x")), 100)
    assert_snapshot("eqt_unfinished_100", text)
    assert "INTERRUPTED" in text
    assert "SIMULATED" in text
    assert "EVD" not in text
    assert not active_characters(text)
    assert progress.eqt is not None
    assert progress.eqt.totals.accuracy is not None
    assert f"So far accuracy {progress.eqt.totals.accuracy * 100:.0f}%" in flat(text)


def test_an_unfinished_run_that_has_just_begun() -> None:
    (progress,) = progress_of(events_of(FULL)[:1]).runs.values()
    text = flat(shown(unfinished(progress, width=100), 100))
    assert "Nothing measured so far, 0 of 6 concepts closed." in text
    assert "Of 6 concepts nothing is finished." in text


def test_a_run_that_ended_without_a_result() -> None:
    events = events_of(EMPTY)
    (progress,) = progress_of(events).runs.values()
    text = flat(shown(unfinished(progress, width=100), 100))
    assert "NO RESULT: failed: no usable question was written. Nothing measured so far" in text
