"""DepthQA's terms and scores as the screen writes them."""

from ....state.depthqa.items import HIGH
from ....state.depthqa.spec import GIVEN
from ...page.sanitise import model_name, one_line


def sign_of(score: float | None) -> tuple[str, str]:
    """The sign before a score, and its style: ✓ from 4 on, ~ in between, ✗ below 3, ? without
    one."""
    if score is None:
        return "?", "unscored"
    if score >= HIGH:
        return "✓", "correct"
    return ("~", "abstained") if score >= 3 else ("✗", "wrong")


def target_words(target: str) -> str:
    """The target, harmless; of given answers `answers given as NAME`."""
    return (
        f"answers given as {one_line(target.removeprefix(GIVEN))}"
        if target.startswith(GIVEN)
        else model_name(target)
    )
