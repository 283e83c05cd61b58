"""Questions and options that cannot be asked for their wording, and others that look like them: law, history, letters,
physics, chemistry, biology, finance."""

from fathom.agents.questioner.choice_question import Draft, DraftOption, find_choice_fault
from fathom.agents.questioner.choice_wording import same_text

from ...support.corpora import tsv

CASES = tsv("choice_wording.tsv")
FAULTS = {
    "asked": None,
    "text": "it speaks of a text that nobody sees",
    "others": "an option speaks of other options",
}


def fault_of(question: str, options: list[str]) -> str | None:
    listed = [DraftOption(text=text, correct=place == 0) for place, text in enumerate(options)]
    return find_choice_fault(Draft(question=question, options=listed), 4)


def test_a_question_and_an_option_are_refused_for_their_wording_alone_be_the_option_right_or_wrong() -> None:
    plain = ["green verdigris", "Prussian blue", "cobalt violet"]
    for kind, question, option in CASES:
        if kind in FAULTS:
            own = option or "red lead"
            for options in ([own, *plain], [*plain, own]):
                assert fault_of(question, options) == FAULTS[kind], (question, option)


def test_case_counts_in_names_and_code() -> None:
    for kind, question, option in CASES:
        if kind not in FAULTS:
            options = option.split("|")
            told = {same_text(each, question) for each in options}
            assert len(told) == (1 if kind == "one" else len(options)), options
