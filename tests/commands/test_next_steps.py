"""What `status` recommends would work."""

from pathlib import Path

from fathom.commands.study.standing import next_steps
from fathom.state.campaign import CellState, CellStatus


def cell(target: str, status: CellStatus) -> CellState:
    return CellState(cell=target, method="drill", domain="Iron", target=target, status=status)


def told(*states: CellState) -> str:
    return " ".join(next_steps(states, Path("study.yaml"), None))


def test_one_model_is_not_compared() -> None:
    assert "compare" not in told(cell("sim:student", "complete"), cell("sim:expert", "waiting"))
    assert "fathom compare study.yaml" in told(
        cell("sim:student", "complete"), cell("sim:expert", "complete")
    )
