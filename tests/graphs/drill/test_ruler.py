"""Evaluators that write at another level than they are asked for: no EVD without a word."""

from fathom.state.result import DrillResult
from fathom.state.spec import WorldSpec
from fathom.state.tiers import Tier

from ...support.drill.drills import drill, sim_spec


async def test_a_lenient_evaluator_is_withdrawn_or_its_tier_is_called_nominal() -> None:
    """Two levels too easy: TEXTBOOK asks what is common, PROFESSIONAL finds no question."""
    spec = sim_spec(n=5, passes=1, max_depth=5, world=WorldSpec(level=-2))
    report = await drill(spec)
    result = report.result
    assert isinstance(result, DrillResult)
    assert result.nominal == {Tier.TEXTBOOK}
    assert (result.censored, result.depth_reached) == ("evidence_exhausted", 2)
    levels = {each.level for probe in result.probes for each in probe.rejected if each.asked}
    assert levels == {"common"}


async def test_a_strict_evaluator_ends_for_want_of_evidence() -> None:
    report = await drill(sim_spec(n=5, passes=1, max_depth=5, world=WorldSpec(level=2)))
    assert report.stop_reason is None
    assert "no evidence was left that carries a question" in str(report.error)
