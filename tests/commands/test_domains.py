"""Domains as the command line takes them: quotes that were forgotten, and what the simulated world
knows nothing of."""

import json

import pytest

from ..support.command_line import SMALL, STUDENT, Caller

TWO = ["drill", "Gold", "iron", "-n", "1", "--max-depth", "1", *STUDENT]


def test_domains_that_may_be_one_without_its_quotes_are_counted_first(call: Caller) -> None:
    refused = call(*TWO, "--display", "lines", "--json")
    assert (refused.code, call.runs) == (2, []), (
        "nobody can be asked, and quotes may be missing"
    )
    assert "To drill them separately, add --yes." in refused.err
    said = call(*TWO, "--display", "lines", "--json", "--yes")
    assert said.code == 0
    assert len(json.loads(said.out)) == 2
    assert " domains: " not in call(*TWO[:2], *TWO[3:], "--display", "lines").err
    assert " domains: " not in call("drill", "Noble gases", *TWO[2:], "--display", "lines").err


@pytest.mark.parametrize("model", ["openai:gpt-5", "rag"])
def test_a_domain_that_names_a_model_is_refused(
    call: Caller, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("FATHOM_MODEL_RAG", "openai@http://127.0.0.1:9/v1:rag")
    said = call(
        "drill",
        "Noble gases",
        "-t",
        "sim:student",
        model,
        "-e",
        "sim:evaluator",
        "--display",
        "none",
    )
    assert (said.code, call.runs) == (2, [])
    assert f"The domain {model} is the name of a model" in said.err


def test_the_simulated_world_says_once_what_it_knows(call: Caller) -> None:
    said = call("drill", "Tax law", "Cardiology", *SMALL, *STUDENT, "--display", "lines")
    note = "The simulated world knows only the chemical elements, and nothing on Tax law; Cardiology"
    assert said.err.startswith(note)
    assert said.err.count(note) == 1
    assert (
        note[:30]
        not in call(
            "drill", "Gold", "-n", "1", "--max-depth", "1", *STUDENT, "--display", "lines"
        ).err
    )


def test_as_in_the_paper_a_concept_without_evidence_is_a_wrong_answer(call: Caller) -> None:
    sim = ("-t", "sim:student", "-e", "sim:evaluator", "-n", "2", "--max-depth", "1")
    assert call("drill", "Chemical elements", *sim, "--as-in-paper").code == 0
    assert json.loads((call.runs[0] / "spec.json").read_bytes())["missing"] == "wrong"
