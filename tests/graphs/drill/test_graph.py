"""The drill's graph over a toy world in memory: the protocol, and the same result whatever
completes first."""

from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fathom.graphs.drill.barrier import recursion_limit
from fathom.graphs.drill.graph import build_graph
from fathom.state.errors import DomainNotFound
from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.state.tiers import TIERS, Tier

from ...support.drill.toy import ToyChat, ToySource, toy_deps, toy_spec
from ...support.paths import ROOT

AT_ONCE = (Phase.generate,)
"""A drill that fails is not made smaller: each try may go on up to the limit of its graph."""
SNAPSHOT = ROOT / "tests" / "snapshots" / "drill.mmd"


async def run(
    chat: ToyChat, source: ToySource, spec: DrillSpec | None = None, **changes: Any
) -> DrillResult:
    spec = spec or toy_spec()
    graph = build_graph(toy_deps(chat, source, **changes))
    output = await graph.ainvoke(
        {"spec": spec.model_dump(mode="json"), "run_id": "toy-run-1"},
        {"recursion_limit": recursion_limit(spec)},
    )
    return DrillResult.model_validate(output["result"])


def test_shape_of_the_graph() -> None:
    drawn = build_graph(toy_deps(ToyChat(), ToySource())).get_graph().draw_mermaid()
    assert drawn == SNAPSHOT.read_text(encoding="utf-8")


async def test_survival_is_the_product_and_verdicts_follow_what_the_target_knows() -> None:
    chat = ToyChat(skill=0.8)
    result = await run(chat, ToySource())
    product = 1.0
    for row in result.depths:
        assert row.scored == 8
        product *= row.correct / row.scored
        assert row.survival == pytest.approx(product)
    assert result.evd == pytest.approx(sum(row.survival for row in result.depths))
    assert [row.survival < 0.2 for row in result.depths[:-1]] == [False] * (
        len(result.depths) - 1
    )

    for probe in result.probes:
        assert probe.question is not None
        assert probe.outcome.status == "scored"
        subject = probe.question.text.split()[4]
        assert probe.outcome.correct == chat.knows(subject)


async def test_paths_descend_from_correct_probes_and_no_passage_is_used_twice() -> None:
    result = await run(ToyChat(skill=0.9), ToySource())
    digests = [p.question.evidence.digest for p in result.probes if p.question]
    facts = [p.question.text for p in result.probes if p.question and p.excluded is None]
    assert len(digests) == len(set(digests))
    assert len(facts) == len(set(facts))

    by_id = {p.id: p for p in result.probes}
    for probe in result.probes:
        if probe.depth == 1:
            assert (probe.parent, probe.chain) == (None, (probe.root,))
            continue
        parent = by_id[probe.parent or ""]
        assert parent.outcome.status == "scored"
        assert parent.outcome.correct
        assert (parent.depth, parent.root) == (probe.depth - 1, probe.root)
        assert probe.chain == (*parent.chain, probe.concept)
        assert probe.concept in parent.concepts + parent.aspects
        assert probe.concept not in parent.chain


@settings(max_examples=4, phases=AT_ONCE)
@given(
    shuffle=st.integers(0, 10_000),
    skill=st.sampled_from([0.5, 0.8, 0.97]),
    faulty=st.booleans(),
)
async def test_the_order_of_completion_changes_nothing(
    shuffle: int, skill: float, faulty: bool
) -> None:
    def fault(purpose: str, text: str) -> bool:
        return faulty and purpose in ("answer", "verdict") and hash_of(text) % 7 == 0

    def missing(concept: str) -> bool:
        return faulty and int(concept[1:]) % 5 == 0

    async def once(order: int | None) -> DrillResult:
        source = ToySource(order, missing=missing, twins=faulty)
        return await run(ToyChat(skill, order, fault), source, toy_spec(max_depth=4))

    assert await once(shuffle) == await once(None)


def hash_of(text: str) -> int:
    return sum(text.encode())


async def test_a_failed_call_is_unscored_and_replaced_in_the_same_path() -> None:
    def fault(purpose: str, text: str) -> bool:
        return purpose == "answer" and hash_of(text) % 4 == 0

    result = await run(ToyChat(skill=1.0, fault=fault), ToySource())
    lost = [p for p in result.probes if p.outcome.status == "unscored"]
    assert lost
    assert all(p.outcome.status == "unscored" and p.outcome.stage == "answer" for p in lost)
    assert all(row.scored == 8 and row.wrong == 0 for row in result.depths)
    assert result.evd == 6
    for probe in lost:
        successor = next(
            p
            for p in result.probes
            if (p.depth, p.slot, p.round) == (probe.depth, probe.slot, probe.round + 1)
        )
        assert successor.spare or successor.parent == probe.parent
    low, high = result.evd_bounds
    assert low < 6 == high


@pytest.mark.parametrize("purpose", ["question", "check", "answer", "verdict"])
async def test_an_unscored_probe_names_its_stage(purpose: str) -> None:
    seen: set[str] = set()

    def fault(asked: str, text: str) -> bool:
        first = asked == purpose and len(seen) < 2 and text not in seen
        if first:
            seen.add(text)
        return asked == purpose and text in seen

    result = await run(ToyChat(skill=1.0, fault=fault), ToySource(), toy_spec(max_depth=2))
    stages = [p.outcome.stage for p in result.probes if p.outcome.status == "unscored"]
    assert stages == ["judge" if purpose == "verdict" else purpose] * 2
    assert all(row.scored == 8 for row in result.depths)


async def test_unreadable_concepts_cost_the_path_its_share_but_not_its_point() -> None:
    def fault(purpose: str, text: str) -> bool:
        return purpose == "concepts" and hash_of(text) % 2 == 0

    result = await run(ToyChat(skill=1.0, fault=fault), ToySource())
    assert all(row.correct == row.scored == 8 for row in result.depths)
    assert any(p.spare for p in result.probes if p.depth > 1)


async def test_a_target_that_dies_later_keeps_what_was_measured() -> None:
    def fault(purpose: str, text: str) -> bool:
        return (
            purpose == "answer" and ".P" in text
        )  # codes of the third tier: from depth 5, with two passes

    result = await run(ToyChat(skill=1.0, fault=fault), ToySource())
    assert (result.stop_reason, result.censored, result.depth_reached) == (
        "infrastructure",
        "infrastructure",
        4,
    )
    assert result.evd == 4


async def test_evidence_that_runs_out_ends_the_run_censored() -> None:
    class Shallow(ToySource):
        async def find(self, query: Any) -> Any:
            return [] if query.tier == Tier.TEXTBOOK else await super().find(query)

    result = await run(ToyChat(skill=1.0), Shallow())
    assert (result.stop_reason, result.depth_reached, result.evd) == (
        "evidence_exhausted",
        2,
        2,
    )
    assert result.censored == "evidence_exhausted"


async def test_a_tier_without_source_ends_the_run_there() -> None:
    source = ToySource()
    sources = {tier: [source] for tier in TIERS[:2]}
    spec = toy_spec(facts=dict.fromkeys(TIERS[:2], ("toy",)))
    result = await run(ToyChat(skill=1.0), source, spec, sources=sources)
    assert (result.stop_reason, result.depth_reached, result.censored) == (
        "no_source",
        4,
        "no_source",
    )
    assert not any(query.tier == Tier.PROFESSIONAL for query in source.asked)


async def test_concepts_without_evidence_are_replaced_or_count_as_wrong() -> None:
    def missing(concept: str) -> bool:
        return int(concept[1:]) % 4 == 0

    excluded = await run(ToyChat(skill=1.0), ToySource(missing=missing), toy_spec(max_depth=3))
    assert all(row.accuracy == 1 for row in excluded.depths)
    assert sum(row.no_evidence for row in excluded.depths) > 0
    assert excluded.evd_no_evidence_wrong < excluded.evd
    counted = await run(
        ToyChat(skill=1.0), ToySource(missing=missing), toy_spec(max_depth=3, missing="wrong")
    )
    for row in counted.depths:
        assert row.scored == 8
        assert row.wrong == row.no_evidence
    assert counted.evd < excluded.evd


async def test_a_failing_source_is_not_missing_evidence() -> None:
    result = await run(
        ToyChat(skill=1.0),
        ToySource(fails=lambda c: int(c[1:]) % 4 == 0),
        toy_spec(max_depth=3),
    )
    assert sum(row.no_evidence for row in result.depths) == 0
    assert all(row.scored == 8 for row in result.depths)


async def test_a_domain_without_a_page_is_refused() -> None:
    with pytest.raises(DomainNotFound, match="Nowhere"):
        await run(ToyChat(), ToySource(), toy_spec(domain="Nowhere"))


async def test_a_domain_with_too_few_aspects_is_named() -> None:
    counted = (
        "call 1: 10 asked, 3 given, 3 new; call 2: 7 asked, 0 given, 0 new; call 3: 7 asked, 0 "
        "given, 0 new"
    )
    with pytest.raises(DomainNotFound, match=f"only 3 distinct aspects of 'Toys'.*{counted}"):
        await run(ToyChat(concepts=3), ToySource())


async def test_few_aspects_share_the_first_depth() -> None:
    class Sparing(ToyChat):
        """Names two at a time, and nothing the second time."""

        def name_aspects(self, text: str) -> dict[str, list[str]]:
            asked = sum(request.purpose == "aspects" for request in self.requests)
            return {"aspects": [] if asked == 2 else super().name_aspects(text)["aspects"][:2]}

    target = Sparing(skill=1.0, concepts=5)
    result = await run(target, ToySource(), toy_spec(max_depth=1))
    assert [request.purpose for request in target.requests].count(
        "aspects"
    ) == 6  # 2, none, 2, 1, none, none
    assert [row.scored for row in result.depths] == [8]
    assert len({p.root for p in result.probes}) == 5
    assert any(
        item.startswith("fewer-roots: the 8 probes of depth 1") for item in result.conformance
    )
    assert [row.roots for row in result.depths] == [5]


async def test_a_question_its_passage_contradicts_uses_the_reserve() -> None:
    class Contrary(ToyChat):
        def check(self, text: str) -> dict[str, object]:
            return super().check(text) | {"answerable": "0." not in field_of(text)}

    result = await run(Contrary(skill=1.0), ToySource(), toy_spec(max_depth=2))
    rejected = [r for p in result.probes for r in p.rejected]
    assert rejected
    assert all(r.asked for r in rejected)
    assert all(row.scored == 8 for row in result.depths)
    assert sum(row.withdrawn for row in result.depths) == len(
        rejected
    )  # the evaluator's doing, not the target's
    assert sum(row.replaced for row in result.depths) == 0
    assert sum(row.asked for row in result.depths) == 16 + len(rejected)


def field_of(text: str) -> str:
    return text.split("<question>\n")[1].split(" bear?")[0] + "."


@given(shuffle=st.integers(0, 1000))
@settings(max_examples=3, phases=AT_ONCE)
async def test_a_slot_lost_to_a_fault_is_never_void(shuffle: int) -> None:
    """Under the paper's rule too: only a concept without evidence counts as wrong, not what an
    infrastructure lost."""

    def fault(purpose: str, text: str) -> bool:
        return purpose == "answer" and hash_of(text) % 3 == shuffle % 3

    def missing(concept: str) -> bool:
        return int(concept[1:]) % 4 == 0

    spec = toy_spec(missing="wrong", max_depth=3)
    result = await run(ToyChat(skill=1.0, fault=fault), ToySource(missing=missing), spec)
    asked = {(p.depth, p.slot) for p in result.probes}
    for row in result.depths:
        never_asked = spec.n - sum((row.depth, slot) in asked for slot in range(spec.n))
        assert row.wrong <= never_asked
    assert result.evd_no_evidence_wrong <= result.evd


async def test_rounds_go_on_while_concepts_are_left_that_nobody_looked_up() -> None:
    source = ToySource(missing=lambda concept: int(concept[1:]) % 6 != 0)
    result = await run(ToyChat(skill=1.0), source, toy_spec(n=1, max_depth=4, passes=1))
    assert (result.depth_reached, result.stop_reason) == (4, "max_depth")


async def test_concepts_that_cannot_be_read_end_a_run_as_infrastructure() -> None:
    result = await run(
        ToyChat(skill=1.0, fault=lambda purpose, text: purpose == "concepts"), ToySource()
    )
    assert (result.stop_reason, result.depth_reached) == ("infrastructure", 1)
