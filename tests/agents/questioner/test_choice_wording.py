"""Questions and options that cannot be asked for their wording, and others that look like them: law, history, letters,
physics, chemistry, biology, finance."""

import pytest

from fathom.agents.questioner.choice_question import Draft, DraftOption, find_choice_fault
from fathom.agents.questioner.choice_wording import same_text

PLAIN = ("red lead", "green verdigris", "Prussian blue", "cobalt violet")
OTHERS = "an option speaks of other options"
TEXT = "it speaks of a text that nobody sees"


def draft(question: str = "Which are pigments?", options: tuple[str, ...] = PLAIN) -> Draft:
    listed = [DraftOption(text=text, correct=place == 0) for place, text in enumerate(options)]
    return Draft(question=question, options=listed)


ASKABLE = """
Which of the following can be found in the text of the Fourteenth Amendment?
According to the text of the statute, who may sue?
According to the biblical text of Genesis 1, what was made on the first day?
Which duty follows from paragraph 5 of Article 3 of the GATT?
Which of the following is mentioned in Article 5 of the North Atlantic Treaty?
Which devices does the author of Hamlet use in the soliloquy?
For how long does copyright last after the death of the author?
According to the author of the Federalist No. 10, what is the danger of faction?
Which change was brought about by the passage of the Civil Rights Act of 1964?
What changes when light slows in the passage from air into glass?
Which effects occur in the passage through the cell membrane?
Which of these are used in the nasal passage?
Einstein explained the photoelectric effect by light quanta. What follows from this explanation?
Which principle is used in the explanation of why the sky is blue?
Which objections were raised to the explanation given by Lamarck?
What does the deductive account demand of an explanation?
A patient has a fever and a stiff neck. Based on this description, which diagnoses are likely?
Which effect, described earlier by Doppler, shifts the frequency?
Superfluidity is described below 2.17 K by which model?
What does textualism hold about a judge who departs from what the text says?
Which methods rest on an interpretation based on the text rather than on its purpose?
Which statements about the text editor Vim are right?
Which information given to a jury is privileged?
What does figure 3 of the paper by Michelson and Morley of 1887 show?
Which options does the holder of a call have, option A being to exercise it?
"""

SPEAKING_OF_A_TEXT = """
According to the text, what is a cell?
What, according to the passage, is a cell?
Which of the following is true according to the text?
Which of these is mentioned in the text?
Which of these does the text mention?
Which of these does the passage describe?
Which term is used in the passage?
Which claims are made in the passage?
In the text, what is a cell?
In the passage above, what is a cell?
What does the following passage say of cells?
Based on the passage, which are right?
Based on the provided text, which are right?
Based on the explanation provided, which are right?
Based on the information provided, which are right?
According to the information given, which are right?
Based on the above information, which are right?
According to the explanation, what is a cell?
Which factors are listed in the explanation?
As stated in the given explanation, what is a cell?
As described above, what is a cell?
As mentioned earlier, what is a cell?
According to the paragraph above, what is a cell?
According to the author, what is a cell?
What does the author of the passage hold?
Laut Text, was ist eine Zelle?
Selon le texte, qu'est-ce qu'une cellule ?
Según el texto, ¿qué es una célula?
"""

OPTIONS_IN_ORDER = """
vitamin A and C
A and B
Both A and B antigens are on its cells
It has neither A nor B antigens
The answer I gave
All above the tropopause
Both above and below the equator
All below the poverty line
Two of these electrons pair up
Each of these organelles has a membrane of its own
Some of these compounds are chiral
Both of them start from a diploid cell
All of them are primes of the form 4n + 1
It acts on each of the others
the sum of all of these
Both options expire on the same day
None of the options expires before the other
cheaper than other options
The strike price of the option is above the market
It depends on previous choices and previous answers
No choice
None
All
A judge decides according to the text
Rights that are not mentioned in the text
The laws used in the explanation must be true
The choice C-terminal residues force on the chain
Any of the parties may withdraw
Neither choice is correct in all cases
By selecting a span from the given text
based on the provided context
The model continues the preceding text
Statement I implies statement II
"""

SPEAKING_OF_OTHERS = """
All of the above
None of the above.
Two of the above are true
More than one of the above
All the above
all of these
None of these
All of them
Both of these
None of the others
None of them are correct
None of the other options
All of the statements are correct
All options are correct
both answers are correct
No option is right
Both
Neither
Both A and B
Neither A nor B.
Only A and B
A and C only
A, B and D only
Both A and B are correct
Option B
Options A and C
Same as option B
the previous option
The answers above
Keine der genannten
Todas las anteriores
Aucune de ces réponses
"""


@pytest.mark.parametrize("question", ASKABLE.strip().splitlines())
def test_questions_that_can_be_asked(question: str) -> None:
    assert find_choice_fault(draft(question), 4) is None


@pytest.mark.parametrize("question", SPEAKING_OF_A_TEXT.strip().splitlines())
def test_questions_that_speak_of_a_text(question: str) -> None:
    assert find_choice_fault(draft(question), 4) == TEXT


@pytest.mark.parametrize("option", OPTIONS_IN_ORDER.strip().splitlines())
def test_options_that_stand_by_themselves(option: str) -> None:
    assert find_choice_fault(draft(options=(option, *PLAIN[1:])), 4) is None


@pytest.mark.parametrize("option", SPEAKING_OF_OTHERS.strip().splitlines())
def test_options_that_speak_of_others(option: str) -> None:
    assert find_choice_fault(draft(options=(*PLAIN[:3], option)), 4) == OTHERS


def test_a_named_option_of_the_question_is_no_other_option() -> None:
    chosen = ("choosing option A", *PLAIN[1:])
    assert find_choice_fault(draft("Which is rational?", chosen), 4) == OTHERS
    assert find_choice_fault(draft("Option A pays 5, option B pays 9. Which is rational?", chosen), 4) is None


def test_an_option_may_not_speak_of_the_passage() -> None:
    options = (*PLAIN[:3], "whatever is described in the passage")
    assert find_choice_fault(draft(options=options), 4) == TEXT


@pytest.mark.parametrize(
    "told",
    [
        "what holds according to the passage",
        "what is stated in the given text",
        "as mentioned above",
        "the causes of the text above",
        "those that are right according to the information provided",
    ],
)
def test_no_option_may_point_to_a_text(told: str) -> None:
    assert find_choice_fault(draft(options=(*PLAIN[:3], told)), 4) == TEXT


@pytest.mark.parametrize(
    ("question", "option"),
    [
        ("Consider firms A and B. Which is the equilibrium?", "Both A and B defect"),
        ("Consider firms A and B. Which is the equilibrium?", "neither A nor B"),
        ("In logic, A and B are propositions. When is A AND B true?", "Both A and B are true"),
        ("A and B trade. Who gains?", "Both A and B"),
        ("Which hepatitis viruses spread by the faecal-oral route?", "A and E only"),
        ("How many of the parties gain in a zero-sum game?", "both"),
        ("Which of the two strands is copied?", "Neither"),
        ("How many of them gain in a zero-sum game?", "one"),
        ("Which side bears the cost?", "Both"),
    ],
)
def test_letters_and_both_may_be_things_of_the_question(question: str, option: str) -> None:
    assert find_choice_fault(draft(question, (option, *PLAIN[1:])), 4) is None


@pytest.mark.parametrize(
    ("question", "option"),
    [
        ("A cell divides. What follows?", "A and C only"),
        ("It grows. A cell divides. What follows?", "Both A and B"),
        ("May I ask what E. coli needs?", "Both D and E"),
        ("What does B. F. Skinner hold of D-glucose at 20 °C and 5 A?", "A, B and D only"),
        ("Which are functions of factor K?", "Both A and B"),
        ("Which are pigments?", "neither"),
        ("Which are pigments?", "No option is right for this question"),
    ],
)
def test_other_letters_are_other_options(question: str, option: str) -> None:
    assert find_choice_fault(draft(question, (*PLAIN[:3], option)), 4) == OTHERS


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which of these is a Python built-in?", ("print", "Print", "PRINT")),
        ("Which is the symbol of the human gene?", ("BRCA gene", "Brca gene")),
        ("Which is the proper noun?", ("March", "march")),
        ("", ("getName", "getname", "GetName")),
        ("", ("read()", "Read()")),
        ("", ("max_size", "MAX_SIZE")),
    ],
)
def test_case_counts_in_names_and_code(question: str, options: tuple[str, ...]) -> None:
    assert len({same_text(option, question) for option in options}) == len(options)


@pytest.mark.parametrize(
    "options", [("Red lead", "red Lead"), ("The mRNA leaves", "the mRNA leaves."), ("March", "MARCH")]
)
def test_case_alone_makes_no_other_option_elsewhere(options: tuple[str, ...]) -> None:
    assert len({same_text(option, "Which of these cases is right?") for option in options}) == 1
