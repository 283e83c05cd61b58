"""Dealing and closing: pure, so their promises are checked over many tables."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.agents.questioner.question_text import fact_of, is_duplicate
from fathom.graphs.drill.barrier import (
    fact_asked,
    mark_duplicates,
    open_slots,
    shortage,
    stop_after,
    tally,
)
from fathom.graphs.drill.probe import shown_together
from fathom.graphs.drill.scheduler import (
    OF_FIRST,
    OF_NEXT,
    Assignment,
    assign,
    drilling_order,
)
from fathom.state.channels import Assigned, Candidate, Path
from fathom.state.records import Probe, Question, Rejected, Scored, Stage, Unscored
from fathom.state.tiers import Tier

from ...support.corpora import tsv
from ...support.drill.toy import a_path, toy_spec

NOTHING_ASSIGNED = Assigned(tried=0, no_evidence=[], void=[])


def passage(name: str) -> dict[str, Any]:
    return {"digest": name, "text": "A fact." * 40}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Path], list[tuple[int, int]], set[str]]:
    """A frontier whose paths share some concepts and pages, open slots over it, and passages used
    before."""
    concepts = [f"c{i}" for i in range(12)]
    found = {c: [passage(f"{c}.{i}") for i in range(draw(st.integers(0, 4)))] for c in concepts}
    frontier = []
    for index in range(draw(st.integers(1, 5))):
        own = draw(st.lists(st.sampled_from(concepts), max_size=5, unique=True))
        known = [c for c in own if draw(st.integers(0, 4))]  # some are not looked up yet
        frontier.append(
            a_path(
                id=f"p{index}",
                root=f"r{index}",
                chain=[],
                concepts=[(c, "answer") for c in own],
                found={c: found[c] for c in known},
                failed={},
            )
        )
    slots = [
        (s, draw(st.integers(0, len(frontier) - 1))) for s in range(draw(st.integers(1, 9)))
    ]
    used = draw(
        st.sets(
            st.sampled_from([p["digest"] for own in found.values() for p in own] or ["none"])
        )
    )
    return frontier, slots, used


def digests_in(assigned: Assignment) -> list[str]:
    return [
        passage["digest"]
        for candidates in assigned.tasks.values()
        for candidate in candidates
        for passage in candidate["passages"]
    ]


@given(tables(), st.booleans())
def test_hands_are_disjoint_and_nothing_used_is_dealt(
    table: tuple[list[Path], list[tuple[int, int]], set[str]], void: bool
) -> None:
    frontier, slots, used = table
    voidable = [slot for slot, _ in slots] if void else []
    assigned = assign(slots, frontier, used, set(), Random(1), voidable)
    digests = digests_in(assigned)
    assert len(digests) == len(set(digests))
    assert not set(digests) & used
    assert set(assigned.tasks) | set(assigned.void) <= {slot for slot, _ in slots}
    assert not set(assigned.tasks) & set(assigned.void)
    for candidates in assigned.tasks.values():
        assert 1 <= len(candidates) <= 4
        dealt = [len(candidate["passages"]) for candidate in candidates]
        assert min(dealt) > 0
        assert sum(dealt) <= 2 * (OF_FIRST + OF_NEXT)
        for candidate in candidates:
            home = frontier[candidate["path"]]
            assert candidate["parent"] == home["id"]
            assert candidate["concept"] in {concept for concept, _ in home["concepts"]}
        assert len({(each["path"], each["concept"]) for each in candidates}) == len(candidates)
    assert sum(map(len, assigned.no_evidence.values())) <= assigned.tried
    assert not assigned.void or void


@given(tables())
def test_a_slot_stays_empty_only_when_nothing_is_left(
    table: tuple[list[Path], list[tuple[int, int]], set[str]],
) -> None:
    frontier, slots, used = table
    assigned = assign(slots, frontier, used, set(), Random(1))
    if len(assigned.tasks) < len(slots):
        taken = set(digests_in(assigned))
        free = {
            p["digest"]
            for path in frontier
            for concept, _ in path["concepts"]
            for p in path["found"].get(concept, ())
            if p["digest"] not in used
        }
        assert free <= taken  # every free passage lies in some hand


@given(tables())
def test_dealing_is_pure(table: tuple[list[Path], list[tuple[int, int]], set[str]]) -> None:
    frontier, slots, used = table
    before = [path.copy() for path in frontier]
    one = assign(slots, frontier, used, set(), Random("x"))
    two = assign(slots, frontier, used, set(), Random("x"))
    assert one == two
    assert frontier == before


def test_own_concepts_come_first_then_further_passages_then_spares() -> None:
    rich = a_path(
        id="a",
        root="a",
        chain=[],
        concepts=[("x", "answer"), ("y", "answer")],
        found={"x": [passage("x1"), passage("x2")], "y": [passage("y1"), passage("y2")]},
        failed={},
    )
    poor = a_path(id="b", root="b", chain=[], concepts=[], found={}, failed={})
    assigned = assign([(0, 0), (1, 0), (2, 0), (3, 1)], [rich, poor], set(), set(), Random(0))
    hands = {slot: hand(candidates) for slot, candidates in assigned.tasks.items()}
    assert hands == {
        0: "x1 (answer)",
        1: "y1 (answer)",
        2: "x2 (aspect)",
        3: "y2 (answer, spare)",
    }


def hand(candidates: list[Candidate]) -> str:
    """`x1 x2 x3 (answer) + y1 (aspect)`."""
    return " + ".join(
        f"{' '.join(passage['digest'] for passage in each['passages'])}"
        f" ({each['origin']}{', spare' * each['spare']})"
        for each in candidates
    )


def path_over(index: str, *names: str, pages: int = 4) -> Path:
    found = {name: [passage(f"{name}{n}") for n in range(1, pages + 1)] for name in names}
    concepts: list[Any] = [(name, "answer") for name in names]
    return a_path(id=index, root=index, chain=[], concepts=concepts, found=found, failed={})


def test_a_hand_fills_two_calls_from_its_own_path_as_far_as_that_goes() -> None:
    paths = [
        path_over("a", *"wxyz"),
        path_over("b", "v", pages=6),
        path_over("c", "u", pages=3),
    ]
    assigned = assign([(0, 0), (1, 1), (2, 2)], paths, set(), set(), Random(0))
    assert [hand(candidates) for candidates in assigned.tasks.values()] == [
        "w1 w2 w3 (answer) + x1 x2 (answer) + y1 y2 y3 (answer) + z1 z2 (answer)",
        "v1 v2 v3 v4 v5 v6 (answer)",
        "u1 u2 u3 (answer) + z3 z4 (answer, spare) + x3 x4 (answer, spare)",
    ]


def test_short_passages_are_dealt_last_and_concepts_with_one_too() -> None:
    path = path_over("a", "x", "y", "z")
    path["found"]["x"] = path["found"]["x"][:1]
    path["found"]["y"][0]["text"] = "A fact."
    assert {drilling_order(path, 1, Random(seed))[-1][0] for seed in range(9)} == {"x"}
    assigned = assign(
        [(0, 0)], [{**path, "concepts": path["concepts"][1:]}], set(), set(), Random(0)
    )
    assert hand(assigned.tasks[0]) == "y2 y3 y4 y1 (answer) + z1 z2 (answer)"


@pytest.mark.parametrize(
    ("left", "shown"),
    [
        ("a:x4 a:y3 a:z3", "x3 y2"),
        ("a:x1 a:y1 a:z3", "x1 z2"),  # beside the first the fullest
        ("a:x1 b:y2", "y2"),  # one alone comes last
        ("a:x1", "x1"),
    ],
)
def test_a_call_is_shown_as_full_a_set_as_the_hand_has(left: str, shown: str) -> None:
    candidates: list[Any] = [
        {"path": each[0], "concept": each[2], "passages": [passage("p")] * int(each[3])}
        for each in left.split()
    ]
    sets = shown_together(candidates)
    assert " ".join(f"{each['concept']}{len(each['passages'])}" for each in sets) == shown


@given(
    st.integers(0, 3), st.lists(st.sampled_from(["known", "missing", "unknown"]), max_size=9)
)
def test_the_draw_is_among_the_first_with_evidence(share: int, kinds: list[str]) -> None:
    """Whatever is drawn, nothing beyond the (share + 2)nd concept with evidence comes before them,
    and which of them comes first hangs on the generator alone."""
    names = [f"{kind}{place}" for place, kind in enumerate(kinds)]
    found = {name: [passage(name)] * name.startswith("known") for name in names}
    found = {name: pages for name, pages in found.items() if not name.startswith("unknown")}
    concepts: list[Any] = [(name, "answer") for name in names]
    path = a_path(id="p", root="r", chain=[], concepts=concepts, found=found, failed={})
    orders = [drilling_order(path, share, Random(seed)) for seed in range(20)]
    known = [name for name in names if name.startswith("known")]
    for order in orders:
        assert sorted(order) == sorted(concepts)
        first = [name for name, _ in order if name in known][: share + 2]
        assert set(first) == set(known[: share + 2])
    firsts = {next((name for name, _ in order if name in known), "") for order in orders}
    assert len(known) < 2 or len(firsts) > 1


PASSAGE: Any = {"text": "", "title": "", "url": "", "source": "", "tier": "COMMON"}
PASSAGE |= {"digest": "", "retrieved_at": 0}
DROPPED = Rejected(text="Q?", reason="", asked=True)


def probe(
    slot: int, question: str, reference: str, *, round_: int = 0, **changes: Any
) -> Probe:
    """Correct, unless the changes say otherwise."""
    values: dict[str, Any] = {
        "id": f"d01.s{slot:02d}.r{round_}",
        "depth": 1,
        "slot": slot,
        "round": round_,
        "tier": Tier.COMMON,
        "root": f"r{slot}",
        "parent": None,
        "chain": ("c",),
        "concept": "c",
        "origin": "root",
        "question": Question(text=question, reference=reference, quote="", evidence=PASSAGE),
        "answer": {"text": "A", "latency_s": 0.0, "finish": "stop"},
        "outcome": Scored(verdict="correct"),
    }
    return Probe(**(values | changes))


def lost(
    slot: int, kind: str, round_: int = 0, stage: Stage = "judge", **changes: Any
) -> Probe:
    outcome = Unscored(stage=stage, kind=kind, message="")
    empty = probe(slot, "?", "", round_=round_, outcome=outcome, **changes)
    return empty.model_copy(update={"question": None, "answer": None})


def test_of_two_duplicates_the_lower_slot_stays() -> None:
    probes = [
        probe(0, "Which period is sodium in?", "Period 3."),
        probe(1, "Which period is argon in?", "Period 3."),  # same reference, another fact
        probe(2, "In which period is sodium?", "Period 3"),
        probe(3, "What is the mass of gold?", "197"),
    ]
    fact = fact_asked(probe(9, "What is the mass of the element gold?", "197."))
    assert fact is not None
    assert [each.excluded for each in mark_duplicates(probes, [fact])] == [
        None,
        None,
        "duplicate",
        "duplicate",
    ]


def test_an_unscored_probe_leaves_its_slot_open_and_counts_towards_m() -> None:
    probes = [
        probe(0, "A?", "a"),
        lost(1, "timeout", stage="answer"),
        probe(2, "C?", "c", outcome=Scored(verdict="wrong")),
    ]
    assert open_slots(4, probes, []) == [1, 3]
    done = tally(4, [*probes, probe(1, "B?", "b", round_=1)], NOTHING_ASSIGNED)
    assert {name: done[name] for name in ("correct", "wrong", "unfilled", "replaced")} == {
        "correct": 2,
        "wrong": 1,
        "unfilled": 1,
        "replaced": 1,
    }
    assert (done["unscored"], done["rounds"], done["asked"]) == ({"answer": 1}, 2, 4)


def path(*failed: str) -> Path:
    return a_path(
        id="p",
        root="r",
        chain=[],
        concepts=[],
        found={},
        failed={name: {} for name in failed},
    )


@pytest.mark.parametrize(
    ("probes", "frontier", "reason"),
    [
        ([probe(0, "A?", "a"), probe(1, "B?", "b")], [path()], None),  # half of N counts
        ([probe(0, "A?", "a")], [path()], "evidence_exhausted"),
        (
            [probe(0, "A?", "a")],
            [path("c")],
            "infrastructure",
        ),  # look-ups of its own path failed
        (
            [probe(0, "A?", "a"), lost(1, "timeout"), lost(2, "parse")],
            [path()],
            "infrastructure",
        ),
        (
            [probe(0, "A?", "a"), lost(1, "rejected"), lost(2, "rejected"), lost(3, "timeout")],
            [path()],
            "evidence_exhausted",
        ),
        (
            [lost(1, "timeout"), lost(1, "rejected", 1), lost(2, "rejected")],
            [path()],
            "evidence_exhausted",
        ),
    ],
)
def test_a_shortage_names_what_lost_most_slots(
    probes: list[Probe], frontier: list[Path], reason: str | None
) -> None:
    stop = shortage(toy_spec(n=4), 1, probes, NOTHING_ASSIGNED, [0, 0, 0, 0], frontier)
    assert (stop and stop["reason"]) == reason


def test_m_counts_what_the_target_could_have_influenced() -> None:
    counted = probe(0, "A?", "a", rejected=(DROPPED,) * 2)
    replaced = [lost(1, "rejected", rejected=(DROPPED,) * 3), probe(1, "B?", "b", round_=1)]
    cut_off = [
        lost(2, "cut_off", stage="answer", rejected=(DROPPED,)),
        probe(2, "C?", "c", round_=1),
    ]
    done = tally(3, [counted, *replaced, *cut_off], NOTHING_ASSIGNED)
    assert done["replaced"] == 1
    assert (done["withdrawn"], done["asked"]) == (2 + 3 + 1, 3 + 3 + 1 + 2 + 1)


def test_the_stop_rule_is_exact() -> None:
    spec = toy_spec(n=10, max_depth=9)
    # .8, .5, .5 → S = .8, .4, .2: equal to θ does not stop, one answer less does
    assert stop_after(spec, 3, [(8, 10), (5, 10), (5, 10)]) is None
    stop = stop_after(spec, 3, [(8, 10), (5, 10), (4, 10)])
    assert stop is not None
    assert stop["reason"] == "threshold"
    # 18/30·10/30·30/30 = 1/5 exactly; as floats the product is below
    assert 18 / 30 * (10 / 30) * 1.0 < 0.2
    assert stop_after(toy_spec(n=30, max_depth=9), 3, [(18, 30), (10, 30), (30, 30)]) is None


def test_one_fact_is_told_from_another_with_the_same_value() -> None:
    """Every pair of different facts is kept apart; of the same ones, the few that need a thesaurus
    are let pass."""
    seen = Counter[tuple[str, bool]]()
    for kind, *texts in tsv("facts_asked.tsv"):
        one, other = fact_of(*texts[:2]), fact_of(*texts[2:])
        assert is_duplicate(one, [other]) is is_duplicate(other, [one])
        seen[kind, is_duplicate(one, [other])] += 1
    assert seen["different", True] == 0, seen
    assert seen["same", True] >= 21, seen
