"""Which family a model is of, and the notices about judges and evaluators of the target's own
kind."""

import pytest

from fathom.state.errors import UsageError
from fathom.tools.models.family import families, family, family_notices, related


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai:gpt-5-mini", ("gpt",)),
        ("openai:ft:gpt-4o-mini-2024-07-18:llama-farm::9abc", ("gpt",)),
        ("openai:o3", ("gpt",)),
        ("openai:o4-mini", ("gpt",)),
        ("openrouter:openai/chatgpt-4o-latest", ("gpt",)),
        ("azure_openai:my-deployment", ("gpt",)),
        ("openrouter:anthropic/claude-sonnet-4.5", ("claude",)),
        ("anthropic:claude-opus-4", ("claude",)),
        ("bedrock:eu.anthropic.claude-3-5-sonnet-20240620-v1:0", ("claude",)),
        ("google_genai:gemini-2.5-pro", ("gemini",)),
        ("openrouter:google/gemma-3-27b-it:free", ("gemma",)),
        ("openai@https://host.example/v1:meta-llama/Llama-3.1-8B-Instruct", ("llama",)),
        ("openai@http://127.0.0.1:8080:codellama-7b.Q4_K_M.gguf", ("llama",)),
        ("ollama:llama3:8b", ("llama",)),
        ("together:Qwen/Qwen2.5-72B-Instruct-Turbo", ("qwen",)),
        ("ollama:qwq", ("qwen",)),
        ("openrouter:mistralai/mixtral-8x7b-instruct", ("mistral",)),
        ("mistral:ministral-8b-latest", ("mistral",)),
        ("mistral:labs-nameless", ("mistral",)),
        ("together:deepseek-ai/DeepSeek-R1-Distill-Llama-70B", ("deepseek", "llama")),
        ("ollama:deepseek-r1-distill-qwen:7b", ("deepseek", "qwen")),
        ("groq:llama-3.1-nemotron-70b", ("llama",)),
        ("xai:grok-4", ("grok",)),
        ("cohere:command-r-plus", ("command",)),
        ("ollama:phi3:mini", ("phi",)),
        ("vllm:01-ai/Yi-34B-Chat", ("yi",)),
        ("openrouter:z-ai/glm-4.6", ("glm",)),
        ("vllm:EleutherAI/gpt-j-6b", ()),
        ("ollama:dolphin", ()),
        ("vllm:polo1-base", ()),
        ("sim:student", ()),
        ("sim@http://127.0.0.1:8788/v1:gpt", ()),
    ],
)
def test_the_family_is_read_from_every_spelling(model: str, expected: tuple[str, ...]) -> None:
    assert families(model) == expected
    assert family(model) == (expected[0] if expected else None)


@pytest.mark.parametrize(
    ("target", "judge", "said"),
    [
        ("openai:gpt-5-mini", "openrouter:openai/gpt-5", "of the target's own family (gpt)"),
        (
            "ollama:llama3",
            "together:deepseek-ai/DeepSeek-R1-Distill-Llama-70B",
            "own family (llama)",
        ),
        ("google_genai:gemini-2.5-pro", "ollama:gemma3:27b", "both made by Google"),
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
    assert evaluator.startswith("The evaluator openai:gpt-5 is of the target's own family (gpt)")
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
