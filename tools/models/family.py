"""Which family a model is of, by its name: a judge tends to favour answers of its own kind, and the
user is told so."""

import re

from ...state.errors import UsageError
from ...state.spec import is_simulated
from .address import parse_model

_NAMES = """gpt claude gemini gemma llama mistral mixtral qwen deepseek phi grok command nova granite glm
kimi"""
FAMILIES = tuple(_NAMES.split())
"""How words in the names of a family's models begin."""
MAKERS = ("openai", "anthropic", "google_genai", "mistral", "deepseek", "xai", "cohere")
"""Providers that serve their own models only, whatever these are called."""


def families(model: str) -> set[str]:
    """The families whose name stands in the model's: of a distillation two. Empty when the name
    tells nothing, and for simulated models. Raises UsageError when it is malformed."""
    address = parse_model(model)
    name = "" if is_simulated(address.text) else address.model.casefold()
    words = re.findall("[a-z]+", name)
    return {family for family in FAMILIES for word in words if word.startswith(family)}


def related(
    target: str,
    other: str,
    *,
    role: str = "judge",
) -> str | None:
    """One sentence for a notice when `other`, in its `role`, is of the target's own family, or the
    very same model; None when nothing is known to bind them."""
    first, second = parse_model(target), parse_model(other)
    if is_simulated(first.text) or is_simulated(second.text):
        return None
    advice = f"models tend to favour their own kind; name another with --{role}."
    if first.text == second.text:
        return f"The {role} {second.label} is the target itself: {advice}"
    common = sorted(families(target) & families(other))
    if not common and first.provider == second.provider in MAKERS:
        common = [first.provider]
    if not common:
        return None
    return f"The {role} {second.label} is of the target's own family ({common[0]}): {advice}"


def family_notices(
    target: str,
    evaluator: str,
    judge: str,
    generator: str | None = None,
) -> tuple[str, ...]:
    """What to tell before a run and in its notes: one sentence for each judge, evaluator or
    generator that is related to the target; one for a model in several of these roles. None for
    models that are no addresses: a host's own objects."""
    cast = {"judge": judge, "evaluator": evaluator} | (
        {} if generator is None else {"generator": generator}
    )
    try:
        addresses = {role: parse_model(name).text for role, name in cast.items()}
        parse_model(target)
    except UsageError:
        return ()
    first: dict[str, str] = {}
    for role, text in addresses.items():
        first.setdefault(text, role)
    return tuple(filter(None, (related(target, text, role=role) for text, role in first.items())))
