"""The headline of a DeepQuestion run: every number with what it is over, and by whom given texts were written."""

import json

from fathom.reports.views.deepquestion.summary import deepquestion_brief, deepquestion_headline
from fathom.state.deepquestion.result import DeepQuestionResult

from ...support.deepquestion.made import result, share
from ...support.screen import shown
from .test_tables import ALL, EVIL, NOTHING, ONE, flat, text_of


def headline(one: DeepQuestionResult, **changes: object) -> str:
    return deepquestion_headline(one.model_copy(update=changes))


def test_given_texts_have_their_writers() -> None:
    spec = ONE.spec.model_copy(update={"given": True})

    def said(made: object) -> str:
        return flat(
            shown(deepquestion_brief(ONE.model_copy(update={"spec": spec, "provenance": made}), width=200), 200)
        )

    made = {"generator": "sim:writer", "evaluator": EVIL, "run": "x-deepquestion-y-1f2e3d4c", "simulated": "yes"}
    assert "texts given (SIMULATED), written by sim:writer, checked by [red]evil␛[2J" in said({"made": made})
    assert "in run 1f2e3d4c" in said({"made": made})
    assert "(SIMULATED)" in said({"made": {"generator": "sim:writer"}})
    real = said({"made": {"generator": "openai:gpt-5", "evaluator": 3}})
    assert "texts given, written by openai:gpt-5 · evaluator" in real
    for unknown in ("{}", '{"made": null}', '{"made": {}}'):
        assert "texts given, by whom they were written is not known ·" in said(json.loads(unknown))
    assert "texts given" not in flat(text_of(ONE))


def test_the_headline_goes_from_the_original_to_q2i() -> None:
    # drop (6 − 1)/35 = .143 ± .12; distance 36/39 − 18/37 = .437
    assert deepquestion_headline(ONE) == (
        "original 92% (95% CI 77–100, n 39) → Q2S 80% (65–90, n 35, their originals 94%) → Q2I 49% (34–59, n 37) ·"
        " drop +14 points (95% CI +2 to +26, p .180) · distance to Q2I +44 (+25 to +60) · 40 problems"
    )
    # 34 of 36, 33 of 35 and 32 of 34 originals are right
    assert "Q2S 92/80/65% with 0/2/5 distractors (n 36/35/34, their originals 94%) →" in deepquestion_headline(ALL)
    assert "drop +3/+14/+29 points" in deepquestion_headline(ALL)
    only = result(kinds=("q2i",))
    assert "· distance to Q2I +44 points (" in deepquestion_headline(only)
    # with no original lost, distance and accuracy add up to that of the originals: 36/39
    assert "Q2I 49% (34–59, n 37, their originals 92%)" in headline(only, original_unscored=0)
    alike = headline(ONE, original=share(33, 35), q2i=None)
    assert alike.startswith("original 94% (95% CI 79–100) → Q2S 80% (65–90) · drop +14 points (95% CI"), "no n differs"
    lost = ONE.q2s[0].model_copy(update={"accuracy": share(29, 36)})
    assert "drop +14 points over 35 pairs (95% CI" in headline(ONE, q2s=(lost,))
    cut = ALL.model_copy(update={"problems": ALL.problems[:7], "open_problems": tuple("abcd")})
    assert deepquestion_headline(cut).endswith("7 of 40 problems")
    empty = {"original": share(0, 0), **NOTHING}
    assert deepquestion_headline(ALL.model_copy(update=empty)) == "nothing was measured · 40 problems"
