"""Which family a model is of, and the notices about judges and evaluators of the target's own
kind."""

import pytest

from fathom.state.errors import UsageError
from fathom.tools.models.family import families, family_notices, related


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai:gpt-5-mini", {"gpt"}),
        ("openrouter:anthropic/claude-sonnet-4.5", {"claude"}),
        ("openai@https://host.example/v1:meta-llama/Llama-3.1-8B-Instruct", {"llama"}),
        ("ollama:deepseek-r1-distill-qwen:7b", {"deepseek", "qwen"}),
        ("ollama:dolphin", set()),
        ("sim@http://127.0.0.1:8788/v1:gpt", set()),
    ],
)
def test_the_family_stands_in_the_name(model: str, expected: set[str]) -> None:
    assert families(model) == expected


@pytest.mark.parametrize(
    ("target", "judge", "said"),
    [
        ("openai:gpt-5-mini", "openrouter:openai/gpt-5", "of the target's own family (gpt)"),
        (
            "ollama:llama3",
            "together:deepseek-ai/DeepSeek-R1-Distill-Llama-70B",
            "own family (llama)",
        ),
        ("openai:gpt-5", "openai:o3", "own family (openai)"),
        ("ollama:dolphin", "ollama:dolphin", "is the target itself"),
    ],
)
def test_a_related_judge_is_told_in_one_sentence(target: str, judge: str, said: str) -> None:
    sentence = related(target, judge)
    assert sentence is not None
    assert sentence.startswith(f"The judge {judge} ")
    assert said in sentence
    assert sentence.endswith("name another with --judge.")


@pytest.mark.parametrize(
    ("target", "judge"),
    [
        ("openai:gpt-5-mini", "anthropic:claude-opus-4"),
        ("ollama:dolphin", "ollama:starling"),
        ("sim:student", "sim:student"),
        ("sim:student", "openai:gpt-5"),
        ("google_genai:gemini-2.5-pro", "openai:gpt-5"),
    ],
)
def test_strangers_simulated_and_unknown_models_give_no_notice(target: str, judge: str) -> None:
    assert related(target, judge) is None


def test_notices_name_judge_and_evaluator_each_once() -> None:
    gpt, claude = "openai:gpt-5", "anthropic:claude-opus-4"
    assert family_notices(gpt, claude, claude) == ()
    (both,) = family_notices(gpt, gpt, gpt)
    assert both.startswith("The judge openai:gpt-5 is the target itself")
    (judge,) = family_notices(claude, gpt, "openrouter:anthropic/claude-haiku-4.5")
    assert "--judge" in judge
    (evaluator,) = family_notices("openai:gpt-5-mini", gpt, claude)
    assert evaluator.startswith(
        "The evaluator openai:gpt-5 is of the target's own family (gpt)"
    )
    assert evaluator.endswith("name another with --evaluator.")
    assert len(family_notices("openai:gpt-5-mini", gpt, "openai:o3")) == 2
    # a generator that is nothing else has a sentence of its own
    assert family_notices(claude, gpt, gpt, gpt) == ()
    (writer,) = family_notices(claude, gpt, gpt, claude)
    assert writer.startswith("The generator anthropic:claude-opus-4 is the target itself")
    assert writer.endswith("name another with --generator.")
    assert len(family_notices(gpt, gpt, gpt, gpt)) == 1


def test_a_malformed_model_is_refused() -> None:
    with pytest.raises(UsageError):
        families("gpt-5")
