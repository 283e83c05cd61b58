"""What keeps the figures of an Explain-Query-Test from being misread: silence, faults, chance, and what is alike."""

from rich.console import Group

from fathom.reports.views.eqt.summary import eqt_brief, eqt_remarks
from fathom.reports.views.eqt.tables import WIDE, category_legend, letter_part
from fathom.state.eqt.items import Choice
from fathom.state.eqt.result import EqtResult, LetterBias, LetterRow
from fathom.stats.eqt.figures import numbers_of

from ...support.eqt.synthetic import HOSTILE, EqtPlan, items_of, many
from ...support.eqt.synthetic_result import result_of
from ...support.screen import shown
from .test_summary import FULL, MANY, flat, text_of


def unread(failures: int, refusals: int, of: int) -> list[str]:
    result = result_of(MANY)
    scored = result.numbers.all.model_copy(update={"scored": of})
    change = {"format_failures": failures, "refusals": refusals, "none_chosen": 50, "all": scored}
    return eqt_remarks(result.model_copy(update={"numbers": result.numbers.model_copy(update=change)}))


def test_answers_that_could_not_be_read_are_left_out_of_acs() -> None:
    # 1 in 20 may pass; an answer that no option is right has been read
    words = "closed-book answers were unreadable or refused: they count as wrong and are excluded from ACS."
    assert unread(4, 2, 100)[0] == f"6 of 100 (6%) {words}"
    assert not any("could not be read" in line for line in unread(3, 2, 100))
    text = flat(shown(eqt_brief(_silent(), width=100), 100))
    assert "ACS not measured (no answer is readable)" in text
    assert "8 questions without a readable answer have no ACS." in text
    assert f"24 of 24 (100%) {words}" in text
    unpaired = _silent(paraphrases=0)
    assert not any("could not be read" in line for line in eqt_remarks(unpaired)), "there is no ACS"


def _silent(paraphrases: int = 2) -> EqtResult:
    plan = EqtPlan(concepts=many(4, ("math",)), questions=2, paraphrases=paraphrases, faults=False)
    nothing = {"answer": None, "reading": "unreadable", "chosen": (), "correct": False}
    items = [i.model_copy(update=nothing) if isinstance(i, Choice) else i for i in items_of(plan)]
    return result_of(plan).model_copy(update={"numbers": numbers_of(plan.spec, items)})


def test_what_was_lost_is_told_apart_from_what_is_wrong() -> None:
    words = "? steps lost to faults, excluded"
    lost, nothing = (
        next(row for row in result_of(FULL).concepts if row.id.endswith(name)) for name in ("c003", "c004")
    )
    assert (sum(lost.numbers.unscored.values()), nothing.numbers.all.scored) == (1, 0)
    for width, tables in ((80, 1), (140, 2)):
        text = text_of(FULL, width)
        assert flat(text).count(words) == tables, "the legend of each table with such a column"
        row = next(line.split() for line in text.splitlines() if line.startswith("c003"))
        assert str(lost.numbers.all.scored) in row
        assert row[-1] == "1"
    overall = next(line.split() for line in text_of(FULL, 140).splitlines() if line.startswith("all "))
    assert overall[-1] == "2"


def test_concepts_without_a_scored_answer_are_neither_weak_nor_strong() -> None:
    plan = EqtPlan(concepts=HOSTILE + many(30, ("math",)))
    text = flat(text_of(plan))
    assert "The weakest 5 of 35 concepts" in text
    assert "1 concept without a scored answer in neither table" in text
    assert "without a scored answer" not in flat(text_of(MANY))


def test_intervals_are_said_to_allow_for_what_they_allow_for() -> None:
    plan = EqtPlan(concepts=(HOSTILE[0], HOSTILE[3]), faults=False)
    result = result_of(plan)
    empty = result.concepts[1].numbers.model_copy(
        update={"all": result.numbers.all.model_copy(update={"scored": 0, "accuracy": None})}
    )
    rows = (result.concepts[0], result.concepts[1].model_copy(update={"numbers": empty}))
    both, one = (category_legend(r, width=80).plain for r in (result, result.model_copy(update={"concepts": rows})))
    both, one = (said.removesuffix(f" · {WIDE}") for said in (both, one))
    assert both.endswith("clustered by concept, or by question where only one concept has answers")
    assert one.endswith("clustered by question")


def test_a_letter_is_named_or_none_is() -> None:
    rows = tuple(LetterRow(letter=letter, chosen=n, right=10) for letter, n in (("A", 14), ("B", 6)))
    said = {}
    for largest in ("A", None):
        bias = LetterBias(answers=20, letters=rows, distance=0.2, largest=largest)
        said[largest] = flat(shown(Group(*letter_part(bias, width=80)), 80))
    assert said["A"].endswith("A is chosen more often than correct, beyond chance")
    assert said[None].endswith("no letter stands out beyond chance")
