"""What a summary of an Explain-Query-Test says of drops, ties, endings and prices, and how it writes long names."""

from dataclasses import replace
from pathlib import Path

import pytest

from fathom.commands.print_results import Ended, compared, launch_document, print_launch
from fathom.reports.page.remarks import cache_words
from fathom.reports.views.eqt.concepts import concept_tables
from fathom.reports.views.eqt.summary import eqt_remarks, eqt_summary
from fathom.state.eqt.result import EqtComparison, EqtResult
from fathom.state.result import RoleUsage
from fathom.state.spec import Concept

from ...support.eqt.synthetic import HOSTILE, EqtPlan, many
from ...support.eqt.synthetic_result import result_of
from ...support.screen import screen, shown, written

MANY = EqtPlan(concepts=many(20, ("math", "law")), faults=False)


def text_of(result: EqtResult, width: int = 120) -> str:
    return shown(eqt_summary(result, width=width), width)


def concepts_of(result: EqtResult, width: int = 120) -> str:
    return "".join(shown(part, width) for part in concept_tables(result, width=width))


def with_accuracies(*accuracies: float) -> EqtResult:
    """The same concepts with these shares right, all of them equally consistent."""
    result = result_of(MANY)
    rows = []
    for row, accuracy in zip(result.concepts, accuracies, strict=False):
        share = row.numbers.all.model_copy(update={"accuracy": accuracy, "scored": 9})
        acs = row.numbers.consistency.model_copy(update={"acs": 1.0})
        numbers = row.numbers.model_copy(update={"all": share, "consistency": acs})
        rows.append(row.model_copy(update={"numbers": numbers}))
    return result.model_copy(update={"concepts": tuple(rows)})


def test_ties_with_the_last_one_listed_are_counted() -> None:
    text = concepts_of(with_accuracies(*[1.0] * 12, *[0.0] * 2, *[0.5] * 4))
    weakest, strongest = text.split("The strongest 5")
    assert "and 1 more at 50%" in weakest
    assert "and 7 more at 100%" in strongest
    assert "more at" not in concepts_of(with_accuracies(*(n / 20 for n in range(20))))


def test_concepts_that_are_all_alike_are_not_ranked() -> None:
    text = concepts_of(with_accuracies(*[1.0] * 20))
    assert text.strip() == "All 20 concepts with answers are alike: 100% right"


def test_dropped_paraphrases_are_counted_beside_their_concept() -> None:
    result = result_of(EqtPlan())
    row = next(row for row in result.concepts if row.numbers.paraphrases_dropped)
    changed = row.numbers.model_copy(update={"dropped": 3, "paraphrases_dropped": 4})
    result = result.model_copy(update={"concepts": (row.model_copy(update={"numbers": changed}),)})
    head, _, line, legend = concepts_of(result).strip().splitlines()[1:5]
    assert head.split()[-3:] == ["dropped", "para.", "?"]
    assert line.split()[-3:-1] == ["3", "4"]
    assert "✓ right · dropped: malformed questions · para.: paraphrases dropped · ?" in legend
    bare = concepts_of(result_of(EqtPlan(paraphrases=0, concepts=HOSTILE[:2])))
    assert "para." not in bare


def ending(**changes: str) -> str:
    return eqt_remarks(result_of(MANY).model_copy(update=changes))[0]


def test_an_ending_is_said_once() -> None:
    nothing = "no question that can be asked came about; the first reason of 3: it has no option"
    said = ending(status="failed", stop_reason="no_questions", stop_detail=nothing)
    assert said == "Failed: no usable question was written (the first reason of 3: it has no option)."
    stopped = ending(status="interrupted", stop_reason="interrupted", stop_detail="interrupted")
    assert stopped == "Interrupted."
    spent = ending(status="partial", stop_reason="budget", stop_detail="USD 1 is used up")
    assert spent == "Partial: the budget was used up (USD 1 is used up)."


@pytest.mark.parametrize(("number", "said"), [(1, "1 question with a single readable answer"), (2, "2 questions with")])
def test_one_question_stays_and_two_stay(number: int, said: str) -> None:
    result = result_of(MANY)
    row = result.numbers.consistency.model_copy(update={"uninformative": number})
    numbers = result.numbers.model_copy(update={"consistency": row})
    assert eqt_remarks(result.model_copy(update={"numbers": numbers}))[0].startswith(said)


def test_what_a_cache_saves_at_an_unknown_price() -> None:
    usage = RoleUsage(
        calls=9, cached=9, failed=0, attempts=0, input_tokens=0, output_tokens=0, cost_usd=0.0,
        cached_input_tokens=4000, cached_output_tokens=635, saved_usd=None,
    )  # fmt: skip
    served = "9 of 9 calls served from the cache: 4,635 tokens"
    assert cache_words([usage]) == f"{served} not paid again, their price is unknown"
    assert cache_words([usage.model_copy(update={"saved_usd": 0.5})]) == f"{served}, USD 0.50 not paid again"
    assert cache_words([usage.model_copy(update={"cached": 0})]) == ""


@pytest.mark.parametrize("open_book", [False, True])
def test_a_long_category_is_broken_after_a_sign_only(open_book: bool) -> None:
    concepts = tuple(
        Concept(name=f"a concept whose name is so long that it wants the whole row {n}", category=name)
        for n, name in enumerate(("computer_science", "engineering", "x" * 40))
    )
    text = text_of(result_of(EqtPlan(concepts=concepts, open_book=open_book, faults=False)))
    words = text.replace("\n", " ").split()
    assert "computer_science" in words
    assert ("computer_" in words) == open_book, "in the table by category"
    assert words.count("engineering") == 2, "whole in both tables"
    assert "x" * 23 + "…" in words, "clipped beside its concept"


def test_a_kept_path_is_never_broken() -> None:
    folder = Path("/a/folder/that/is") / ("long" * 30) / "run"
    for runs in (1, 2, 9):
        made = [result_of(replace(MANY, run_id=f"20261120T120000-eqt-x-{n:08}")) for n in range(runs)]
        console = screen(60, colour=True, environ={"NO_COLOR": "1"})
        print_launch(console, [Ended(result.run_id, result, folder) for result in made])
        assert written(console).count(str(folder)) == runs


def test_a_run_without_a_result_stands_in_the_comparison_of_a_launch() -> None:
    one = result_of(MANY)
    spec = replace(MANY, target="openai:gpt-5").spec.model_dump(mode="json")
    fragment = {"method": "eqt", "run_id": "b", "spec": spec, "status": "failed", "error": "No key is set."}
    runs = [Ended(one.run_id, one, None), Ended("b", None, None, fragment)]
    found = compared(runs)
    assert isinstance(found, EqtComparison)
    assert found.targets == (one.spec.target, "openai:gpt-5")
    why = "openai:gpt-5 has no finished concept and so no figures (failed: No key is set)"
    assert why in found.notes
    assert why in launch_document(runs)["notes"]
    console = screen(120)
    print_launch(console, runs)
    assert why in " ".join(written(console).split())
    broken = Ended("c", None, None, {"method": None, "spec": None, "status": "unfinished"})
    again = compared([runs[0], broken])
    assert isinstance(again, EqtComparison)
    assert again.targets == (one.spec.target,), "nothing is known of what it was to test"
