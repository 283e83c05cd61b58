"""The problems of the simulated world as a benchmark has them."""

from fathom.sim.deepquestion import TABLE
from fathom.state.problems import Problem


def problem_list(count: int | None = None) -> list[Problem]:
    """The list, or its first problems; kinds of problems come in turn."""
    return [Problem(**row) for row in TABLE["problems"][:count]]
