"""Final answers to questions of multiple choice: one letter, whatever words stand at it, or an option's text."""

import pytest

from fathom.agents.answers.final.answer import read_final

FORMULAS = (r"$\ce{H2SO4}$", r"$\ce{HCl}$", "HNO3", "H3PO4")
MOLES = ("0.25 mol", "0.50 mol", "1.0 mol", "2.0 mol")
TEXTS = ("It increases because entropy rises.", "It decreases.", "It stays the same.", "None of the above")
POWERS = ("3.2 × 10^-4 M", "4.0 × 10⁻³ M", r"$5.0\times10^{-5}$ M", "6e-6 M")
JOINT = ("A gas forms", "x", "Both A and B", "All of the above")
CASES = ("CO", "Co", "C", "CO2")

# a reply, and the letters that it chooses; "-": that is unclear. ¶ ends a line
REPLIES: dict[tuple[str, ...], str] = {
    FORMULAS: r"""
Answer: B. HCl | B
Answer: A. H₂SO₄ | A
Answer: A (sulfuric acid) | A
Answer: A - H2SO4 | A
Answer: A) H2SO4 is the strongest | A
Answer: HCl, since it is in excess | B
Answer: HCl or HNO3 | -
Answer: A. HCl | -
""",
    MOLES: r"""
Answer: B. 0.5 mol | B
Answer: B) 0.50 moles | B
Answer: **B. 0.50 mol** | B
Answer: B: 0.50 mol NaOH | B
Answer: (B) 0.50 mol of NaOH | B
Answer: B, 0.500 mol | B
Answer: B 0.5 mol | B
Answer: B = 0.5 mol | B
Answer: B → 0.50 mol | B
Answer: 0.50 | B
Answer: 0.5 mol | B
Answer: 2.00 mol of HCl | D
The answer is 0.5 mol. | B
So the answer is (b) 0.5 mol. | B
{"answer": "B. 0.5 mol"} | B
$$\boxed{B. 0.5\text{ mol}}$$ | B
Answer: $\text{B. } 0.5\ \text{mol}$ | B
Answer: B, as the limiting reagent is HCl | B
Answer: B; the others are off by a factor | B
Answer: B is the correct choice, as 2 × 0.25 = 0.50. | B
Answer: B. 0.5 mol at 25 C | B
Answer: B. 0.5 mol¶¶A is half of it. | B
Answer: B.¶A is wrong because it is half of that. | B
Therefore, the correct answer is option **(B) 0.50 mol**. | B
Hence, option B is correct. | B
Hence B. | B
I think A is wrong, so B. | B
The reaction gives 0.5 mol, so B. | B
B. 0.5 mol | B
Answer: A, C | AC
Answer: A or B | -
Answer: B or C: 0.5 mol | -
Answer: not A | -
Answer: B is wrong | -
Answer: B. 0.5 mol is wrong | -
Answer: B, not sure | -
Answer: B. 0.25 mol | -
Answer: B. 0.5 mol¶C. 1.0 mol | -
Answer: B. 0.5 mol. Wait, actually C. | -
Answer: B¶¶Wait, I made a mistake; it is C. | -
Answer: 0.7 mol | -
Answer: A catalyst lowers it | -
Answer: C is oxidised | -
Thus A is too small. | -
Hence A and B are correct. | -
Answer: E. 0.5 mol | -
Answer: C = 0.5 mol/L | -
Answer: V = 2 mol | D
""",
    TEXTS: r"""
Answer: A. It increases | A
Answer: A) It increases because the entropy rises | A
Answer: C. Stays the same | C
Answer: D (none of the above) | D
Answer: None of the above | D
Answer: It decreases, because n falls | B
Answer: It does not decrease | -
Answer: A. It decreases. | -
A. It increases.¶B. It decreases.¶C. It stays | -
""",
    POWERS: r"""
Answer: B. 4.0 × 10^-3 M | B
Answer: B. $4.0 \times 10^{-3}$ M | B
Answer: C. 5.0 × 10⁻⁵ M | C
Answer: A. 3.2e-4 M | A
""",
    JOINT: r"""
Answer: Both A and B | C
Answer: All of the above | D
Answer: D. All of them | D
Answer: A gas forms | A
""",
    CASES: r"""
Answer: CO | A
Answer: Co | B
Answer: C | C
Answer: co | -
Answer: B. CO | -
""",
}


@pytest.mark.parametrize("options", REPLIES)
def test_one_letter_or_text_is_the_choice_unless_something_speaks_against_it(options: tuple[str, ...]) -> None:
    wrong = []
    for line in REPLIES[options].strip().splitlines():
        written, _, wanted = line.rpartition(" | ")
        read = read_final(written.replace("¶", "\n"), "choice", options)
        if (read or "-") != wanted:
            wrong.append((written, read))
    assert wrong == []
