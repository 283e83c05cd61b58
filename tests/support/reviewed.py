"""Answers that people have judged."""

from fathom.state.rows import AnswerRow, Tag


def answer(
    place: int,
    *,
    right: bool = True,
    judged: bool = True,
    chance: float = 1.0,
    model: str = "m",
    tier: str | None = None,
) -> AnswerRow:
    """One of a model; `right`: according to people, `judged`: to the judge."""
    tags: dict[str, Tag] = {
        "human": "right" if right else "wrong",
        "question_sound": "sound",
        "review_probability": chance,
        "tier": tier,
    }
    return AnswerRow(
        run=f"run of {model}",
        method="eqt",
        model=model,
        domain="d",
        group=f"g{place}",
        item=f"q{place}",
        condition="original",
        score=float(judged),
        verdict="right" if judged else "wrong",
        tags=tags,
    )


def answers(
    right: tuple[int, int],
    wrong: tuple[int, int],
    *,
    chance: float = 1.0,
    model: str = "m",
    tier: str | None = None,
) -> list[AnswerRow]:
    """Of right answers so many that the judge accepts, and rejects; of wrong ones the same."""
    kinds = [(True, True)] * right[0] + [(True, False)] * right[1]
    kinds += [(False, True)] * wrong[0] + [(False, False)] * wrong[1]
    return [
        answer(place, right=is_right, judged=judged, chance=chance, model=model, tier=tier)
        for place, (is_right, judged) in enumerate(kinds)
    ]
