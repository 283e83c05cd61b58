"""Of many failures the commonest is told, with its count and one sample."""

from fathom.state.causes import all_alike, causes_of, with_causes
from fathom.state.records import Unscored


def failure(kind: str, message: str, stage: str = "judge") -> Unscored:
    return Unscored.model_validate({"stage": stage, "kind": kind, "message": message})


FAILURES = [
    failure("timeout", "late."),
    *[failure("parse", f"no JSON {number}") for number in (1, 2, 2)],
    failure("parse", "no JSON", "check"),
]


def test_the_commonest_cause_has_its_count_and_the_message_most_often_seen() -> None:
    assert (
        with_causes("4 are missing", FAILURES)
        == "4 are missing; commonest cause: 3 of 5 (judge, parse): no JSON 2"
    )
    assert causes_of(FAILURES, most=2).endswith("; 1 of 5 (judge, timeout): late")
    assert with_causes("all is well", []) == "all is well"
    assert len(causes_of([failure("parse", "x" * 900)])) < 350


def test_what_fails_alike_and_for_good_is_in_vain() -> None:
    assert all_alike([failure("bad_request", "no such model")] * 2)
    assert not all_alike([failure("timeout", "late")] * 2)
    assert not all_alike(FAILURES)
    assert not all_alike([])
