"""`fathom compare` over logs of other programs. `logs.tar.xz` was written by Inspect AI 0.3.285
(mockllm, two epochs) and lm-evaluation-harness 0.4.13 (a model that knows a share of the sums, two
filters); the `.eval` are packed anew."""

import json
import os
import sys
import tarfile
import zipfile
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from errorbars.adapters.lm_eval import load_lm_eval_samples
from errorbars.compare import paired_compare

from fathom.graphs.answers import estimate
from fathom.tools.files.logs import read_log

from ..support.command_line import Caller, assert_refused
from ..support.paths import CORPORA
from ..support.screen import active_characters

FLEXIBLE = ("--metric", "exact_match,flexible")


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    with tarfile.open(CORPORA / "logs.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    return Caller(tmp_path / "logs", monkeypatch, capsys)


def samples(call: Caller) -> list[str]:
    return sorted(
        str(path.relative_to(call.folder)) for path in call.folder.glob("*/samples_*.jsonl")
    )


def compared(call: Caller, *words: str) -> dict[str, Any]:
    said = call("compare", *words, "--json")
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def written(path: str, scores: list[object], **more: object) -> str:
    """A samples file with these scores of `acc`; NaN as lm-eval writes it."""
    rows = [
        {"doc_id": at, "doc_hash": f"h{at}", "metrics": ["acc"], "acc": score}
        for at, score in enumerate(scores)
    ]
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("".join(json.dumps(row | more) + "\n" for row in rows))
    return path


def test_the_rows_of_a_log_are_measured_as_those_of_a_run(call: Caller) -> None:
    file = written("some/samples_t_2026-01-01T00-00-00.jsonl", [1.0, 0.0, 0.5, float("nan")])
    rows = read_log(Path(file)).answers
    assert [row.verdict for row in rows] == ["right", "wrong", "wrong", "unscored"]
    found = estimate(rows, "score")[None]
    assert (found.value, found.n, found.groups) == (0.5, 3, 3)


def test_samples_of_lm_eval_give_what_errorbars_finds_in_them(call: Caller) -> None:
    found, (strong, weak) = compared(call, *samples(call), *FLEXIBLE), samples(call)
    one, other = (
        load_lm_eval_samples(file, metric="exact_match", filter_name="flexible")
        for file in (strong, weak)
    )
    expected = paired_compare(one.score, other.score)
    means = {one.model[0]: expected.mean_a, other.model[0]: expected.mean_b}
    assert {model["label"]: model["estimate"] for model in found["models"]} == means
    (pair,) = found["pairs"]
    assert (pair["one"], pair["over"], pair["difference"]) == (
        "acme/strong",
        12,
        expected.mean_diff,
    )
    assert expected.mcnemar is not None
    # swapping answers that are right or wrong, each in a group of its own, is McNemar's exact test:
    # here 2/2⁶
    assert pair["p"] == pytest.approx(expected.mcnemar.p_value, abs=0.006)
    assert (found["of"], found["measure"], found["span"]) == (
        "lm-eval",
        "exact_match,flexible",
        [0, 1],
    )
    assert (
        "acme/strong is ahead of acme/weak by 50 points"
        in call("compare", *samples(call), *FLEXIBLE).out
    )


def test_epochs_of_a_sample_in_inspect_logs_are_one_group_and_unscored_ones_are_not_wrong(
    call: Caller,
) -> None:
    held = {}
    for name in ("strong", "weak"):
        rows = json.loads(zipfile.ZipFile(f"{name}.eval").read("summaries.json"))
        values = {(row["id"], row["epoch"]): row["scores"]["exact"]["value"] for row in rows}
        held[name] = {
            key: float(value == "C") for key, value in values.items() if value in ("C", "I")
        }
    shared = held["strong"].keys() & held["weak"].keys()
    differences: dict[str, float] = {}
    for key in shared:
        differences[key[0]] = (
            differences.get(key[0], 0.0) + held["strong"][key] - held["weak"][key]
        )
    total, alike = sum(differences.values()), 0
    for signs in product((-1, 1), repeat=len(differences)):
        alike += abs(
            sum(s * d for s, d in zip(signs, differences.values(), strict=True))
        ) >= abs(total)
    found = compared(call, "strong.eval", "weak.eval")
    (pair,) = found["pairs"]
    assert pair["over"] == len(shared) == 14
    assert pair["difference"] == pytest.approx(total / 14)
    assert pair["p"] == pytest.approx(alike / 2 ** len(differences), abs=0.006)
    means = {f"mockllm/{name}": pytest.approx(fmean(held[name].values())) for name in held}
    assert {model["label"]: model["estimate"] for model in found["models"]} == means
    assert any("2 of 16 items have no score" in note for note in found["notes"])


def test_items_may_belong_together_and_be_the_same_by_a_field(call: Caller) -> None:
    files = samples(call)
    one, by_passage = (
        compared(call, *files, *FLEXIBLE),
        compared(call, *files, *FLEXIBLE, "--cluster", "passage"),
    )
    assert by_passage["pairs"][0]["difference"] == one["pairs"][0]["difference"]
    assert by_passage["pairs"][0]["p"] > one["pairs"][0]["p"]
    text = Path(files[1]).read_text()
    Path(files[1]).write_text(text.replace('"doc_hash": "', '"doc_hash": "other '))
    assert (
        "there is no question on which both have a score"
        in call("compare", *files, *FLEXIBLE).out
    )
    assert compared(call, *files, *FLEXIBLE, "--item", "question")["pairs"] == one["pairs"]


def test_logs_of_two_programs_meet_by_a_field_that_both_have(call: Caller) -> None:
    words = ["strong.eval", samples(call)[1], *FLEXIBLE, "--metric", "exact"]
    assert compared(call, *words)["pairs"][0]["over"] == 0
    assert compared(call, *words, "--item", "passage")["pairs"][0]["over"] > 6


def test_a_range_beyond_0_to_1_is_that_of_the_scores_and_said_and_no_score_is_left_out(
    call: Caller,
) -> None:
    held = {"model_name": "evil\x1b[2J\u202e", "higher_is_better": {"x": {"acc": False}}}
    Path("b").mkdir()
    Path("b/results_2026-11-26T00-00-00.json").write_text(json.dumps(held))
    files = [written("a/x.jsonl", [7, 9, 3, 10, 8, float("nan"), None, "text"])]
    files.append(written("b/samples_x_2026-11-26T00-00-00.jsonl", [2, 4, 1, 6, 5, 5, 5, 5]))
    found = compared(call, *files)
    assert found["span"] == [1, 10]
    assert [model["label"] for model in found["models"]] == [
        "evil\x1b[2J\u202e",
        "a",
    ]  # by one log's own field
    assert (found["pairs"][0]["over"], found["pairs"][0]["difference"]) == (
        5,
        pytest.approx(3.8),
    )
    said = call("compare", *files).out
    for part in (
        "ahead by 3.80",
        "7.40",
        "1 to 10",
        "In x.jsonl 3 of 8 items have no score",
        "less is better",
    ):
        assert part in said
    assert not active_characters(said.replace("\n", ""))


@pytest.mark.parametrize(
    ("metric", "x", "first"),
    [("wer", [0.2, 0.4, 0.1], "b"), ("perplexity", [-2.0, -4.0, -3.0], "a")],
)
def test_which_way_is_better_follows_from_the_metric(
    call: Caller, metric: str, x: list[float], first: str
) -> None:
    """The `perplexity` that lm-eval writes for an item is a log-likelihood: the higher, the
    better."""
    files = []
    for model, shift in (("a", 0.0), ("b", -0.1)):
        scores: dict[str, object] = {"metrics": [metric], metric: None}
        path = Path(written(f"{model}/x.jsonl", [*x], **scores))
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text(
            "".join(json.dumps(row | {metric: row["acc"] + shift}) + "\n" for row in rows)
        )
        files.append(str(path))
    found = compared(call, *files)
    assert found["models"][0]["label"] == first
    assert found["less_is_better"] == (metric == "wer")


def test_who_is_ahead_is_decided_by_the_items_that_both_have(call: Caller) -> None:
    files = [
        written("a/x.jsonl", [0, 0, 1, None, None, None]),
        written("b/x.jsonl", [1, 1, 1, 0, 0, 0]),
    ]
    (pair,) = compared(call, *files)["pairs"]
    assert (pair["one"], pair["over"], pair["difference"]) == ("b", 3, pytest.approx(2 / 3))


def test_two_logs_of_one_model_are_told_apart_by_their_files(call: Caller) -> None:
    found = compared(call, written("a/x.jsonl", [1, 0, 1]), written("a/y.jsonl", [1, 0, 0]))
    assert [model["label"] for model in found["models"]] == ["a (x.jsonl)", "a (y.jsonl)"]


def test_files_of_several_tasks_are_one_log_of_their_model(call: Caller) -> None:
    whole = [written("a/x.jsonl", [1, 0, 1, 1]), written("b/x.jsonl", [0, 0, 1, 0])]
    parts = []
    for at, (file, ends) in enumerate(
        (file, ends) for file in whole for ends in ((0, 3), (3, 4))
    ):
        parts.append(f"{file[0]}/part{at % 2}.jsonl")
        Path(parts[-1]).write_text("\n".join(Path(file).read_text().splitlines()[slice(*ends)]))
    one, other = compared(call, *whole), compared(call, *parts)
    assert (other["models"], other["pairs"]) == (
        [m | {"run_ids": [f"{m['label']}/part0.jsonl"]} for m in one["models"]],
        one["pairs"],
    )
    assert_refused(call, ["compare", *parts[:2]], "All of these logs are of 'a'")


def test_logs_that_cannot_be_compared_are_refused(call: Caller) -> None:
    good, other = samples(call)
    text = Path(other).read_text()
    bad = {
        "empty": ("", "is empty"),
        "cut": (text[:900], "Line 2 of cut.jsonl", "cut off"),
        "list": ("[1]", "Line 1 of list.jsonl", "lm-evaluation-harness"),
        "older": ('{"doc_id": 0, "doc_hash": "a", "acc": 1}', "metrics"),
        "twice": (text + text, "two scores of document 0"),
        "unscored": (
            '{"doc_id": 0, "doc_hash": "a", "metrics": ["exact_match"]}',
            "has no metric",
        ),
    }
    for name, (held, *parts) in bad.items():
        Path(f"{name}.jsonl").write_text(held)
        assert_refused(call, ["compare", good, f"{name}.jsonl", *FLEXIBLE], *parts)
    assert_refused(
        call,
        ["compare", good, other],
        "'exact_match,strict', 'exact_match,flexible'",
        "--metric",
    )
    assert_refused(call, ["compare", good, other, "--metric", "bleu"], "no metric 'bleu'")
    assert_refused(
        call, ["compare", good, other, *FLEXIBLE, "--cluster", "page"], "'page'", "'passage'"
    )
    assert_refused(call, ["compare", good, good, *FLEXIBLE], "takes two logs")
    assert_refused(
        call, ["compare", good, "none.jsonl", *FLEXIBLE], "There is no file none.jsonl"
    )
    assert_refused(call, ["compare", good, "last"], "not compared with each other")
    assert_refused(
        call, ["compare", "last", "--cluster", "passage"], "for logs of other programs"
    )


def test_what_is_no_eval_log_is_refused_and_a_missing_extra_says_how_to_install_it(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def zstandard(*_: object) -> bytes:
        raise NotImplementedError("That compression method is not supported")

    with monkeypatch.context() as without:
        without.setitem(sys.modules, "inspect_ai.log", None)
        without.setattr(zipfile.ZipFile, "read", zstandard)
        assert_refused(
            call,
            ["compare", "strong.eval", "weak.eval"],
            "pip install -c constraints.txt '.[inspect]'",
        )
    Path("cut.eval").write_bytes(Path("weak.eval").read_bytes()[:9000])
    with zipfile.ZipFile("zip.eval", "w") as archive:
        archive.writestr("a.txt", "no log")
    with (
        zipfile.ZipFile("weak.eval") as whole,
        zipfile.ZipFile("cancelled.eval", "w") as archive,
    ):
        for name in whole.namelist():
            archive.writestr(
                name, whole.read(name).replace(b'"status":"success"', b'"status":"cancelled"')
            )
    said = call("compare", "strong.eval", "cancelled.eval").out
    assert "In cancelled.eval items may be missing: its status is cancelled" in said
    assert_refused(call, ["compare", "strong.eval", "cut.eval"], "cut.eval is no .eval log")
    assert_refused(
        call, ["compare", "strong.eval", "zip.eval"], "zip.eval must hold header.json"
    )
    assert_refused(call, ["compare", "strong.eval", "none.eval"], "There is no file none.eval")
    os.mkfifo("pipe.eval")
    assert_refused(
        call, ["compare", "strong.eval", "pipe.eval"], "pipe.eval is no regular file"
    )
    with zipfile.ZipFile("bomb.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("summaries.json", b" " * 9_000_000)
    monkeypatch.setattr("fathom.tools.files.inspect_log.MOST_JSON", 8_000_000)
    monkeypatch.setattr(zipfile.ZipFile, "read", None)  # nothing is unpacked
    assert_refused(call, ["compare", "bomb.eval", "strong.eval"], "of at most 8 MB")


def in_json(name: str, **change: object) -> str:
    """The log as Inspect writes it with --log-format json."""
    with zipfile.ZipFile(f"{name}.eval") as archive:
        parts = [each for each in archive.namelist() if each.startswith("samples/")]
        whole = json.loads(archive.read("header.json")) | {
            "samples": [json.loads(archive.read(p)) for p in parts]
        }
    Path("json").mkdir(exist_ok=True)
    Path(f"json/{name}.json").write_text(json.dumps(whole | change))
    return f"json/{name}.json"


def test_a_log_in_json_and_a_folder_of_logs_are_the_same_as_the_eval_logs(call: Caller) -> None:
    packed = compared(call, "strong.eval", "weak.eval")
    assert compared(call, in_json("strong"), "weak.eval")["pairs"] == packed["pairs"]
    in_json("weak")
    Path("json/other.json").write_text('{"version": 2}')
    assert compared(call, "json")["pairs"] == packed["pairs"]
    assert_refused(
        call,
        ["compare", "json/strong.json", "json/other.json"],
        "as a log of Inspect AI",
    )
    assert_refused(
        call,
        ["compare", "json/strong.json", in_json("weak", samples=None)],
        "has the samples",
    )
    assert_refused(call, ["show", "json/weak.json"], "is called 'json/weak.json'")


def test_lists_are_averaged_and_odd_numbers_are_no_scores(call: Caller) -> None:
    files = [
        written("a/x.jsonl", [[1, 0], [True, True], 1, 10**400]),
        written("b/x.jsonl", [0, [0, 0], [1], 1]),
    ]
    found = compared(call, *files)
    assert [model["estimate"] for model in found["models"]] == [pytest.approx(2.5 / 3), 0.5]
    assert any("in x.jsonl 1 of 4 items have no score" in note for note in found["notes"])
    written("c/x.jsonl", [[-9.5, 12]], metrics=["bits_per_byte"])
    assert_refused(call, ["compare", files[0], "c/x.jsonl"], "has a score by 'bits_per_byte'")
    Path("deep.jsonl").write_text('{"doc": ' + "[" * 100_000)
    assert_refused(
        call,
        ["compare", files[0], "deep.jsonl"],
        "is nested too deeply",
    )
