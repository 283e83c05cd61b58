"""`--offline`: what counts as this machine, and that nothing else passes."""

import re
from collections.abc import Mapping

import pytest

from fathom.state.errors import UsageError
from fathom.tools.offline import check_offline, traced_to

SECRET = "hunter2-canary"


@pytest.mark.parametrize(
    ("model", "env"),
    [
        ("sim:student", {}),
        ("sim@http://127.0.0.1:8788/v1:student", {}),
        ("ollama:llama3", {}),
        ("vllm:m", {}),
        ("lmstudio:m", {}),
        ("openai@http://localhost:8000/v1:m", {}),
        ("openai@http://[::1]:8000/v1:m", {}),
        ("openai:gpt-5", {"OPENAI_BASE_URL": "http://127.0.0.2:9/v1"}),
    ],
)
def test_models_on_this_machine_pass(model: str, env: Mapping[str, str]) -> None:
    check_offline([model], [], env)


@pytest.mark.parametrize(
    ("model", "env", "said"),
    [
        (
            "openai:gpt-5",
            {},
            "api.openai.com/v1 (openai's usual address), which is not this machine",
        ),
        (
            "ollama:llama3",
            {"OLLAMA_BASE_URL": "http://gpu-box:11434"},
            "http://gpu-box:11434/v1.*OLLAMA_BASE_URL",
        ),
        ("openai@https://host.example/v1:m", {}, "host.example"),
        ("openai@http://0.0.0.0:8000/v1:m", {}, "0.0.0.0"),
        ("openai@http://localhost.example:8000/v1:m", {}, "localhost.example"),
        ("openai@http://127.0.0.1.example/v1:m", {}, "127.0.0.1.example"),
        ("openai@http://192.168.0.7:8000/v1:m", {}, "192.168.0.7"),
        ("sim@http://other:8788/v1:student", {}, "other:8788"),
        ("anthropic:claude-opus-4", {}, "reached through LangChain"),
        (
            "azure:x",
            {"AZURE_OPENAI_ENDPOINT": "https://corp.openai.azure.com"},
            "asked at https://corp.openai.azure.com",
        ),
        (
            "azure_openai:x",
            {"AZURE_OPENAI_ENDPOINT": "https://corp.example/"},
            "https://corp.example",
        ),
    ],
)
def test_models_elsewhere_are_refused_by_name_with_the_reason_and_a_way_out(
    model: str, env: Mapping[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=f"^--offline refuses {re.escape(model)}: ") as caught:
        check_offline(["sim:student", model], ["sim"], env)
    first, _, rest = said.partition(".*")
    assert first in str(caught.value)
    assert rest in str(caught.value)
    assert "name one on this machine, such as ollama:llama3" in str(caught.value)


@pytest.mark.parametrize(
    ("source", "env"),
    [
        ("sim", {}),
        ("sim@http://127.0.0.1:8788", {}),
        ("folder:./notes", {}),
        ("zim:/data/wiki.zim", {}),
        ("mediawiki:http://localhost/w/api.php", {}),
        ("tavily@http://127.0.0.1:8788", {}),
        ("europepmc@http://[::1]:8788", {}),
        ("openalex@http://localhost:8788", {}),
        ("wikipedia", {"FATHOM_WIKIPEDIA_URL": "http://localhost:8080/{language}/api.php"}),
    ],
)
def test_sources_on_this_machine_pass(source: str, env: Mapping[str, str]) -> None:
    check_offline([], [source], env)


@pytest.mark.parametrize(
    ("source", "env", "host"),
    [
        ("wikipedia", {}, "en.wikipedia.org"),
        (
            "wikipedia",
            {"FATHOM_WIKIPEDIA_URL": "http://localhost.{language}.example/api.php"},
            "localhost.en",
        ),
        ("mediawiki:https://wiki.example/w/api.php", {}, "wiki.example"),
        ("tavily", {"TAVILY_API_KEY": SECRET}, "api.tavily.com"),
        ("tavily@https://proxy.example", {"TAVILY_API_KEY": SECRET}, "proxy.example"),
        ("europepmc", {}, "www.ebi.ac.uk"),
        ("openalex", {}, "api.openalex.org"),
        ("sim@http://other:1", {}, "other:1"),
    ],
)
def test_sources_elsewhere_are_refused(source: str, env: Mapping[str, str], host: str) -> None:
    with pytest.raises(UsageError, match="refuses the source") as caught:
        check_offline(["ollama:m"], ["folder:x", source], env)
    message = str(caught.value)
    assert source in message
    assert f"asked at {host}" in message
    assert "folder:PATH or zim:FILE" in message
    assert SECRET not in message


def test_tracing_that_would_send_prompts_elsewhere_is_refused() -> None:
    with pytest.raises(
        UsageError, match=r"LangSmith.*api\.smith\.langchain\.com.*LANGSMITH_TRACING"
    ):
        check_offline([], [], {"LANGSMITH_TRACING": "true", "LANGSMITH_API_KEY": SECRET})
    check_offline(
        [], [], {"LANGCHAIN_TRACING_V2": "true", "LANGSMITH_ENDPOINT": "http://localhost:1984"}
    )
    check_offline([], [], {"LANGCHAIN_TRACING_V2": "false"})
    assert traced_to({}) is None
