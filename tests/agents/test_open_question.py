"""A reference answer to a question that is asked openly."""

import pytest

from fathom.agents.paraphraser.open_question import without_verdict


@pytest.mark.parametrize(
    ("reference", "left"),
    [
        ("No. The orchard needs them more.", "The orchard needs them more."),
        ("Yes, because iron rusts.", "Because iron rusts."),
        ("No – it does not.", "It does not."),
        ("Noble gases do not.", "Noble gases do not."),
        ("No gas does.", "No gas does."),
        ("Yes.", "Yes."),
        ("", ""),
    ],
)
def test_a_reference_loses_the_verdict_nobody_asks_for(reference: str, left: str) -> None:
    assert without_verdict(reference) == left
