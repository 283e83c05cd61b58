"""Model names: what is read, what is refused and how it is put."""

import pytest

from fathom.state.errors import UsageError
from fathom.tools.models.address import parse_model


@pytest.mark.parametrize(
    ("text", "provider", "model", "base_url"),
    [
        ("openai:gpt-5-mini", "openai", "gpt-5-mini", None),
        (" openai:gpt-5-mini ", "openai", "gpt-5-mini", None),
        ("ollama:llama3:8b", "ollama", "llama3:8b", None),
        (
            "openrouter:meta-llama/llama-3.1-8b:free",
            "openrouter",
            "meta-llama/llama-3.1-8b:free",
            None,
        ),
        ("openai:team@model", "openai", "team@model", None),
        ("sim:student", "sim", "student", None),
        ("anthropic:claude", "anthropic", "claude", None),
        ("openai@https://host/v1:model", "openai", "model", "https://host/v1"),
        ("openai@https://host/v1/:model", "openai", "model", "https://host/v1"),
        ("openai@https://host/:model", "openai", "model", "https://host"),
        ("openai@HTTPS://Host/v1:model", "openai", "model", "https://host/v1"),
        (
            "openai@http://127.0.0.1:8790/v1:model",
            "openai",
            "model",
            "http://127.0.0.1:8790/v1",
        ),
        (
            "openai@http://127.0.0.1:8790/v1:llama3:8b",
            "openai",
            "llama3:8b",
            "http://127.0.0.1:8790/v1",
        ),
        (
            "openai@https://host/a/b/v1:org/model@2",
            "openai",
            "org/model@2",
            "https://host/a/b/v1",
        ),
        ("sim@http://127.0.0.1:8788/v1:student", "sim", "student", "http://127.0.0.1:8788/v1"),
        ("sim@http://127.0.0.1:8788:student", "sim", "student", "http://127.0.0.1:8788/v1"),
        ("ollama@http://box:llama3:8b", "ollama", "llama3:8b", "http://box/v1"),
        ("ollama@http://box:11434:8b", "ollama", "8b", "http://box:11434/v1"),
        ("vllm@http://[::1]:8000/v1:m", "vllm", "m", "http://[::1]:8000/v1"),
        ("vllm@http://[::1]:8000:m", "vllm", "m", "http://[::1]:8000/v1"),
        ("vllm@http://[2001:db8::2]:m", "vllm", "m", "http://[2001:db8::2]/v1"),
    ],
)
def test_a_name_is_read(text: str, provider: str, model: str, base_url: str | None) -> None:
    address = parse_model(text)
    assert (address.provider, address.model, address.base_url) == (provider, model, base_url)
    assert address.text == text.strip()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "No model is named"),
        ("   ", "No model is named"),
        ("gpt-5-mini", "is not a model: write provider:model, as in openai:gpt-5-mini"),
        ("openai/gpt-5", "is not a model"),
        ("llama3:8b", r"There is no provider 'llama3'"),
        ("openai:", "no model"),
        ("openai: ", "no model"),
        ("openai:gpt 5", "no spaces"),
        (":model", "provider is missing"),
        ("opnai:gpt-5", "Did you mean openai"),
        ("Ollama:llama3", "Did you mean ollama"),
        ("nobody:gpt-5", "Providers: openai, azure, openrouter"),
        ("openai@host/v1:model", "http:// or https://"),
        ("openai@ftp://host/v1:model", "http:// or https://"),
        ("openai@https://host/v1", "no model"),
        ("openai@http://127.0.0.1:8790", "no model"),
        ("openai@https:///v1:model", "valid address"),
        ("openai@https://:model", "valid address"),
        ("openai@https://host:99999/v1:model", "valid address"),
        ("openai@https://host:port/v1:model", "valid address"),
        ("openai@https://[::1/v1:model", "valid address"),
        ("openai@https://ho st/v1:model", "no model"),
        ("openai@https://host/v1?a=b:model", "query"),
        ("anthropic@https://host/v1:model", "takes no address"),
    ],
)
def test_a_wrong_name_is_refused_in_words(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_model(text)


@pytest.mark.parametrize(
    "text",
    [
        "openai@https://me:hunter2@host/v1:model",
        "openai@https://hunter2@host/v1:model",
        "openai@https://host/v1?api_key=hunter2:model",
        "sk-hunter2",
        "sk-hunter2:model",
        "openai/sk-hunter2",
        "gpt-token-hunter2",
    ],
)
def test_a_secret_in_a_name_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model(text)
    assert "hunter2" not in str(caught.value)
