"""The providers Fathom speaks to, as one table: where they are, which variables hold their keys,
how they differ."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

SchemaMode = Literal["json_schema", "json_object", "none"]
"""How a JSON shape is asked for: by `response_format` with the schema, by `response_format` alone,
or in the prompt."""

LimitName = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True)
class Provider:
    """One OpenAI-compatible provider."""

    name: str
    base_url: str | None
    """Where its API is; None: only known when a run starts (the simulated world)."""
    key_variables: tuple[str, ...] = ()
    base_url_variable: str | None = None
    key_optional: bool = False
    limit_name: LimitName = "max_tokens"
    seed_name: str = "seed"
    logprobs: bool | int = True
    """How the tokens' log-probabilities are asked for: Together wants the number of tokens to tell
    at each place."""
    mode: SchemaMode = "json_schema"
    """The best mode to try first; the client steps down when a model's endpoint says it cannot."""
    price_id: str | None = None
    """The provider's name in genai-prices; None: no price list."""
    free: bool = False
    """Calls cost nothing: the machine is the user's own, or the model is simulated."""
    connections: int | None = None
    """Calls at once when the user chose no number: programs for one person's machine answer a few
    at a time, and what queues there runs into its time limit. None: as usual."""
    extra: Mapping[str, object] = field(default_factory=dict)
    """Fields every request carries."""
    start: str | None = None
    """The command that starts it on this machine."""
    simulated: bool = False
    """It is told the purpose and the values of a prompt beside it, and reads none."""
    version_variables: tuple[str, ...] = ()
    """Azure's: where the version of its API stands. Every customer has an address there, which the
    variable names."""


_TABLE = (
    Provider(
        "openai",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        "OPENAI_BASE_URL",
        limit_name="max_completion_tokens",
        price_id="openai",
    ),
    Provider(
        "azure",
        None,
        ("AZURE_OPENAI_API_KEY",),
        "AZURE_OPENAI_ENDPOINT",
        limit_name="max_completion_tokens",
        price_id="azure",
        version_variables=("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"),
    ),
    Provider(
        "openrouter",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        "OPENROUTER_BASE_URL",
        price_id="openrouter",
        extra={"usage": {"include": True}},
    ),
    Provider(
        "groq",
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        "GROQ_BASE_URL",
        price_id="groq",
    ),
    Provider(
        "together",
        "https://api.together.xyz/v1",
        ("TOGETHER_API_KEY",),
        "TOGETHER_BASE_URL",
        logprobs=1,
        price_id="together",
    ),
    Provider(
        "deepseek",
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        "DEEPSEEK_BASE_URL",
        mode="json_object",
        price_id="deepseek",
    ),
    Provider(
        "mistral",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        "MISTRAL_BASE_URL",
        seed_name="random_seed",
        price_id="mistral",
    ),
    Provider(
        "ollama",
        "http://127.0.0.1:11434/v1",
        ("OLLAMA_API_KEY",),
        "OLLAMA_BASE_URL",
        key_optional=True,
        free=True,
        start="ollama serve",
        connections=4,
    ),
    Provider(
        "vllm",
        "http://127.0.0.1:8000/v1",
        ("VLLM_API_KEY",),
        "VLLM_BASE_URL",
        key_optional=True,
        free=True,
        start="vllm serve MODEL",
    ),
    Provider(
        "lmstudio",
        "http://127.0.0.1:1234/v1",
        ("LMSTUDIO_API_KEY",),
        "LMSTUDIO_BASE_URL",
        key_optional=True,
        free=True,
        start="lms server start",
        connections=4,
    ),
    Provider(
        "sim",
        None,
        key_optional=True,
        free=True,
        simulated=True,
    ),
)

_BY_NAME = {provider.name: provider for provider in _TABLE}
PROVIDERS: Mapping[str, Provider] = {
    **_BY_NAME,
    "azure_openai": _BY_NAME["azure"],
}  # as LangChain calls it


@dataclass(frozen=True, slots=True)
class Integration:
    """A provider reached through LangChain: the package to install, and the variable that holds its
    key, if it has one (cloud platforms find their credentials by themselves)."""

    package: str
    key_variable: str | None = None


INTEGRATIONS: Mapping[str, Integration] = {
    "anthropic": Integration("langchain-anthropic", "ANTHROPIC_API_KEY"),
    "azure_ai": Integration("langchain-azure-ai"),
    "bedrock": Integration("langchain-aws"),
    "bedrock_converse": Integration("langchain-aws"),
    "cohere": Integration("langchain-cohere", "COHERE_API_KEY"),
    "fireworks": Integration("langchain-fireworks", "FIREWORKS_API_KEY"),
    "google_genai": Integration("langchain-google-genai", "GOOGLE_API_KEY"),
    "google_vertexai": Integration("langchain-google-vertexai"),
    "huggingface": Integration("langchain-huggingface", "HUGGINGFACEHUB_API_TOKEN"),
    "ibm": Integration("langchain-ibm"),
    "nvidia": Integration("langchain-nvidia-ai-endpoints", "NVIDIA_API_KEY"),
    "perplexity": Integration("langchain-perplexity", "PPLX_API_KEY"),
    "upstage": Integration("langchain-upstage", "UPSTAGE_API_KEY"),
    "xai": Integration("langchain-xai", "XAI_API_KEY"),
}
"""Providers that LangChain's `init_chat_model` knows."""
