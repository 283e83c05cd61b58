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
    common = sorted(families(target) & families(other))
    if not common and first.provider == second.provider in MAKERS:
        common = [first.provider]
    if first.text == second.text:
        kinship = "the target itself"
    elif common:
        kinship = f"of the target's own family ({common[0]})"
    else:
        return None
    advice = f"models tend to favour their own kind; name another with --{role}."
    return f"The {role} {second.label} is {kinship}: {advice}"


def family_notices(
    target: str,
    evaluator: str,
    judge: str,
    generator: str | None = None,
) -> tuple[str, ...]:
    """What to tell before a run and in its notes: one sentence for each judge, evaluator or
    generator that is related to the target; one for a model in several of these roles. None for
    models that are no addresses: a host's own objects."""
    notices = dict[str, str | None]()
    for role, model in (("judge", judge), ("evaluator", evaluator), ("generator", generator)):
        if model is None:
            continue
        try:
            notices.setdefault(parse_model(model).text, related(target, model, role=role))
        except UsageError:
            return ()
    return tuple(filter(None, notices.values()))
