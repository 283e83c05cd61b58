"""What is told of building a DepthQA graph, and how DepthQA runs stand in lists."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from fathom.reports.page.endings import ended_sentence, ended_words, unit_of
from fathom.reports.page.listing import runs_listing
from fathom.reports.views.depthqa.building.summary import REASONS, build_headline, build_remarks, build_summary
from fathom.reports.views.whole import summary_of
from fathom.state.depthqa.build import DepthQABuildResult, Removal
from fathom.tools.runs.folders import list_runs, read_outcome

from ...support.depthqa.synthetic import build_result, result
from ...support.depthqa.synthetic_events import BUILD, DepthPlan
from ...support.eqt.synthetic import EqtPlan
from ...support.eqt.synthetic_result import result_of
from ...support.screen import active_characters, screen, shown, written
from ...support.snapshot import assert_snapshot
from ...tools.runs.test_folders import FIRST, write_run

BUILT = build_result(checked=True)
EVIL = "[red]evil\x1b[2J\u202e"


def text_of(one: DepthQABuildResult, width: int = 100, kept: Path | None = Path("runs/some run")) -> str:
    console = screen(width)
    console.print(build_summary(one, width=width, kept=kept), crop=False)
    return written(console)


def flat(text: str) -> str:
    return " ".join(text.split())


def test_summary() -> None:
    text = text_of(BUILT)
    assert_snapshot("depthqa_build_100", text)
    assert shown(summary_of(BUILT, width=90), 90) == shown(build_summary(BUILT, width=90), 90)


@pytest.mark.parametrize("width", [40, 60, 200])
def test_no_line_is_too_long_but_those_to_copy(width: int) -> None:
    lines = [line.rstrip() for line in text_of(BUILT, width).splitlines()]
    assert max(len(line) for line in lines if not line.startswith(("next: ", "the graph is "))) <= width
    assert "next: fathom depthqa ask 'runs/some run/graph.json' --target PROVIDER:MODEL --judge PROVIDER:MODEL" in lines
    assert "the graph is runs/some run/graph.json" in lines


def test_the_headline_counts() -> None:
    assert build_headline(BUILT) == (
        "3 trees from 3 questions: 49 nodes with 45 questions, 54 edges · 3 removed, 3 augmented, 1 rewritten"
    )
    merged = BUILT.removed[0].model_copy(update={"reason": "merged"})
    some = BUILT.model_copy(update={"removed": (merged, *BUILT.removed[1:]), "augmented": (), "rewritten": ()})
    assert build_headline(some).endswith("· 2 removed, 1 merged")
    bare = BUILT.model_copy(update={"graph": None})
    assert build_headline(bare) == "no graph could be built from 3 questions"
    assert "next:" not in text_of(bare)
    assert "next:" not in text_of(BUILT, kept=None)


def test_the_remarks() -> None:
    lexical, unfilled = build_remarks(BUILT)
    assert "only near-verbatim repeats are found" in lexical
    assert unfilled == "1 place that a removed question left stayed empty."
    other = BUILT.model_copy(
        update={
            "similarity": "openai:embed\x1b[1m",
            "unfilled": 0,
            "status": "failed",
            "stop_reason": "no_questions",
            "stop_detail": "no question could be taken apart; the first reason of 3: down",
        }
    )
    assert build_remarks(other) == [
        "Failed: no question could be taken apart (the first reason of 3: down).",
        "Likeness was measured by the embeddings of openai:embed␛[1m.",
    ]


def test_every_reason_has_its_words_and_pairs_are_shown() -> None:
    rows = tuple(
        Removal(node=f"n{n}", depth=1, question=EVIL, reason=reason, like="x", like_question=EVIL, similarity=0.9)
        for n, reason in enumerate([*REASONS, *REASONS])
    )
    text = text_of(BUILT.model_copy(update={"removed": rows}))
    for words in REASONS.values():
        assert f"   2 {words}" in text
    assert text.count("likeness .90: [red]evil␛[2J<U+202E>") == 12
    assert "and 8 more in the result" in text
    assert not active_characters(text)


def test_relations_as_shares() -> None:
    rows = [line.split() for line in text_of(BUILT).splitlines()]
    assert ["comprehensive", "2", "66.7", "9", "81.8"] in rows
    assert ["gives", "its", "successor", "away", "1", "8.3", "0", "0"] in rows
    assert "not rated, for a fault: 1 of 12 D2 → D1" in text_of(BUILT)
    assert "1_d3 partial: what the part costs" in text_of(BUILT)
    assert "1_d3 is given away by 1_d2_n4" in text_of(BUILT)
    assert "Relations" not in text_of(build_result())


def write(runs: Path, run_id: str, one: BaseModel) -> None:
    folder = runs / run_id
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(one.model_dump_json(by_alias=True), encoding="utf-8")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write(tmp_path, "20261121T120000-depthqa-x-aaaa0001", result(modes=("prompt-gold", "zero-shot")))
    write(tmp_path, "20261121T130000-depthqa-x-aaaa0002", result("openai:gpt-5", modes=("prompt-gold",)))
    write(tmp_path, "20261121T140000-depthqa_build-x-aaaa0003", BUILT)
    return tmp_path


def test_entries(runs: Path) -> None:
    first, second, third = list_runs(runs)
    rows = result(modes=("prompt-gold", "zero-shot")).modes[1].accuracy
    assert (first.mean, first.mean_ci) == (rows["overall"].mean, rows["overall"].ci), "zero-shot, where there is any"
    assert (first.mean_d3, first.mean_d3_ci) == (rows["D3"].mean, rows["D3"].ci)
    assert second.mean == result("openai:gpt-5", modes=("prompt-gold",)).modes[0].accuracy["overall"].mean
    assert (third.domain, third.target, third.mean, third.simulated) == ("elements", "sim:evaluator", None, True)
    assert (first.domain, first.target, first.evd) == ("elements", "sim:student", None)
    assert read_outcome(third.path) == BUILT


def test_a_run_without_a_result_is_listed_by_its_spec(tmp_path: Path) -> None:
    for number, spec in enumerate((DepthPlan().spec, BUILD)):
        folder = tmp_path / f"20261121T12000{number}-d-x-aaaa000{number}"
        folder.mkdir()
        (folder / "spec.json").write_text(spec.model_dump_json(), encoding="utf-8")
    ask, build = list_runs(tmp_path)
    assert (ask.domain, ask.target, ask.status, ask.mean) == ("elements\x1b[1m", "sim:student", "interrupted", None)
    assert (build.domain, build.target) == ("elements", "sim:evaluator")


def test_lists(runs: Path) -> None:
    text = shown(runs_listing(list_runs(runs), width=120), 120)
    assert_snapshot("depthqa_list_120", text)
    assert "EVD" not in text
    only = shown(runs_listing(list_runs(runs)[2:], width=100), 100)
    assert "depthqa_build" in only


def test_mixed_lists(runs: Path) -> None:
    write(runs, "20261121T150000-eqt-x-aaaa0004", result_of(EqtPlan()))
    both = shown(runs_listing(list_runs(runs), width=150), 150).splitlines()[0]
    assert both.index("ACS") < both.index("mean") < both.index("D3")
    narrow = shown(runs_listing(list_runs(runs), width=120), 120)
    assert "result" in narrow.splitlines()[0]
    assert "mean 3.82 D3 3.67" in narrow
    assert "55% ACS .71" in narrow
    write_run(runs, FIRST)
    three = shown(runs_listing(list_runs(runs), width=200), 200)
    assert "result" in three.splitlines()[0], "three methods share theirs"
    assert " EVD " in three


def test_on_a_narrow_screen_the_mean_is_whole(runs: Path) -> None:
    narrow = shown(runs_listing(list_runs(runs), width=40), 40)
    assert narrow.splitlines()[0].split() == ["id", "domain", "target", "status", "mean"]
    assert " 3.82" in narrow
    write(runs, "20261121T150000-eqt-x-aaaa0004", result_of(EqtPlan()))
    assert "mean 3.82" in shown(runs_listing(list_runs(runs), width=40), 40)


def test_how_runs_end_in_words() -> None:
    ask, given = DepthPlan().spec, DepthPlan(target="given:x").spec
    assert unit_of(ask) == unit_of(BUILD) == "step"
    assert unit_of(None) == "probe"
    assert ended_words(ask, "complete", "all_asked") == "complete: every question was asked"
    assert ended_words(given, "complete", "all_asked") == "complete: every answer was judged"
    assert ended_words(BUILD, "complete", "all_asked") == "complete: every question was taken apart"
    assert ended_words(BUILD, "failed", "infrastructure") == "failed: too many steps failed"
    assert ended_words(ask, "interrupted", "interrupted") == "interrupted"
    assert ended_sentence(ask, "failed", "no_questions", "no answer could be scored; why.") == (
        "failed: no answer could be scored (why)"
    )
    assert ended_sentence(ask, "failed", "infrastructure", "3 of 4 are missing; resume") == (
        "failed: too many steps failed (3 of 4 are missing; resume)"
    )
