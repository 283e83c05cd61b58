"""The letter check: ranges, all but some, denials, ticks, what is struck out or taken back; prose that is no answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.agents.answers.letters.read import read_selection

from ....support.paths import CORPORA

PROCESSES = ("photosynthesis", "respiration", "fermentation", "digestion", "diffusion")
LINES = (CORPORA / "letters_forms.tsv").read_text(encoding="utf-8").splitlines()
FORMS = [line.split("\t") for line in LINES if not line.startswith("#")]

SETS = st.sets(st.sampled_from("ABCDE"), min_size=1).map(lambda letters: "".join(sorted(letters)))
RANGES = st.tuples(st.integers(0, 4), st.integers(1, 5)).map(lambda ends: "ABCDE"[ends[0] : sum(ends)])
LEADS = ("Answer: ", "So the answer is ", "Answer: D\nActually, ", "Answer: D\nCorrection: ", "Is A it?\nAnswer: ")


def read(text: str) -> str:
    found = read_selection(text, PROCESSES)
    return "".join(chr(65 + place) for place in sorted(found.places)) or "-"


@pytest.mark.parametrize(("text", "chosen"), FORMS)
def test_forms(text: str, chosen: str) -> None:
    assert read(text.replace("¶", "\n")) == chosen


@given(SETS, st.sampled_from(LEADS))
def test_all_but_denials_and_what_is_struck_out_give_back_the_letters(chosen: str, lead: str) -> None:
    others = [letter for letter in "ABCDE" if letter not in chosen]
    assert read(lead + ", ".join(f"~~{letter}~~" if letter in others else letter for letter in "ABCDE")) == chosen
    assert read(lead + "، ".join(chosen)) == chosen
    if others:
        assert read(f"{lead}all but {' and '.join(others)}") == chosen
        assert read(f"{lead}{', '.join(chosen)}, but not {' or '.join(others)}") == chosen


@given(RANGES, st.sampled_from(LEADS), st.sampled_from(("-", "–", " – ", " to ", " through ")))
def test_ranges_give_back_the_letters(chosen: str, lead: str, dash: str) -> None:
    said = f"{chosen[0]}{dash}{chosen[-1]}" if len(chosen) > 1 else chosen
    assert read(lead + said) == chosen
    assert read(f"{lead}{said}, E") == "".join(sorted({*chosen, "E"}))


TICKS = ("[x] {}|[ ] {}", "☑ {}|☐ {}", "- [x] {})|- [ ] {})", "✓ {}.|✗ {}.", "{} ✅|{} ❌")


@given(SETS.filter(lambda chosen: chosen != "ABCDE"), st.sampled_from(TICKS))
@pytest.mark.parametrize("lead", ["", "Answer:\n", "Let me see. A is it.\n\n", "Answer: D\nWait, it should be:\n"])
def test_ticked_lists_give_back_the_letters(lead: str, chosen: str, signs: str) -> None:
    ticked, blank = signs.split("|")
    lines = [(ticked if letter in chosen else blank).format(letter) for letter in "ABCDE"]
    assert read(lead + "\n".join(lines)) == chosen
