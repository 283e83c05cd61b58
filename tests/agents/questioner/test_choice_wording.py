"""Questions and options that cannot be asked for their wording, and others that look like them:
law, history, letters, physics, chemistry, biology, finance."""

from fathom.agents.questioner.choice_question import Draft, DraftOption, find_choice_fault
from fathom.agents.questioner.choice_wording import same_text

from ...support.corpora import of_kinds

ASKED, OF_TEXT, OF_OTHERS, SEVERAL, ONE = of_kinds(
    "choice_wording.tsv", "asked", "text", "others", "several", "one"
)
"""Questions, each with an option, or with some that differ in case alone."""
FAULTS = (
    (None, ASKED),
    ("it speaks of a text that nobody sees", OF_TEXT),
    ("an option speaks of other options", OF_OTHERS),
)


def fault_of(question: str, options: list[str]) -> str | None:
    listed = [DraftOption(text=text, correct=place == 0) for place, text in enumerate(options)]
    return find_choice_fault(Draft(question=question, options=listed), 4)


def test_a_question_and_an_option_are_refused_for_their_wording_alone_be_the_option_right_or_wrong() -> (
    None
):
    plain = ["green verdigris", "Prussian blue", "cobalt violet"]
    for fault, cases in FAULTS:
        for question, option in cases:
            own = option or "red lead"
            assert fault_of(question, [own, *plain]) == fault, (question, option)
            assert fault_of(question, [*plain, own]) == fault, (question, option)


def test_case_counts_in_names_and_code() -> None:
    for count, cases in ((3, SEVERAL), (1, ONE)):
        for question, listed in cases:
            options = listed.split("|")
            assert len({same_text(option, question) for option in options}) == min(
                count, len(options)
            ), listed
