"""Which family a model is of, by its name: a judge tends to favour answers of its own kind, and the
user is told so."""

import re
from collections.abc import Mapping

from ...state.errors import UsageError
from ...state.spec import is_simulated
from .address import parse_model

_FAMILIES: Mapping[str, re.Pattern[str]] = {
    family: re.compile(rf"(?<![a-z])(?:{pattern})(?![a-z])", re.IGNORECASE)
    for family, pattern in {
        "gpt": r"(?:chat)?gpt(?!-(?:j|neo|neox)\b)|o[134](?=$|[-:/@_.])|davinci|codex|computer-use-preview",
        "claude": r"claude",
        "gemini": r"gemini|learnlm|palm|bison",
        "gemma": r"(?:code|shield|med|pali|t5)?gemma",
        "llama": r"(?:meta-?)?(?:code)?llama|nemotron|vicuna|alpaca|tulu|sonar",
        "mistral": r"(?:open-)?mi[sx]tral|ministral|codestral|devstral|magistral|pixtral|voxtral|mathstral|mistralai|"
        r"zephyr",
        "qwen": r"qwen|qwq|qvq",
        "deepseek": r"deepseek",
        "phi": r"phi",
        "grok": r"grok",
        "command": r"command(?:-r)?|c4ai|aya",
        "nova": r"nova",
        "titan": r"titan",
        "granite": r"granite",
        "jamba": r"jamba",
        "glm": r"(?:chat)?glm",
        "kimi": r"kimi|moonshot",
        "yi": r"yi",
        "falcon": r"falcon",
        "olmo": r"olmo|molmo",
        "ernie": r"ernie",
        "hunyuan": r"hunyuan",
        "minimax": r"minimax|abab",
        "solar": r"solar",
        "exaone": r"exaone",
        "smollm": r"smollm",
        "internlm": r"internlm",
        "dbrx": r"dbrx",
        "reka": r"reka",
    }.items()
}
"""Names by which a model's family is known, as whole words of letters; the makers' own and those of
well-known offspring. A name can be of two families: a distillation of one model into another."""

_MAKERS: Mapping[str, frozenset[str]] = {
    "OpenAI": frozenset({"gpt"}),
    "Google": frozenset({"gemini", "gemma"}),
    "Amazon": frozenset({"nova", "titan"}),
}
"""Makers with more than one family: what one learnt from, the other often did too."""


def families(model: str) -> tuple[str, ...]:
    """The families a model belongs to, in the order of its name: `ollama:deepseek-r1-distill-llama`
    → deepseek, llama.

    Empty when the name tells nothing, and for simulated models. `model` is an address as the
    command line takes it; the provider counts only when it is a maker's own and the name is silent.
    Raises UsageError when it is malformed.
    """
    address = parse_model(model)
    if is_simulated(address.text):
        return ()
    # the maker in front (`deepseek-ai/…`) is one of the ways to host a model, not always its
    # origin: the name decides
    name = address.model.rpartition("/")[2]
    if name.startswith("ft:"):
        name = name.split(":")[1]  # what follows is whose fine-tune it is
    return _found(name) or _found(address.model) or _OF_PROVIDER.get(address.provider, ())


_OF_PROVIDER: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("claude",),
    "azure": ("gpt",),
    "azure_openai": ("gpt",),
    "deepseek": ("deepseek",),
    "mistral": ("mistral",),
    "xai": ("grok",),
    "cohere": ("command",),
}


def family(model: str) -> str | None:
    """The first of a model's families; None when its name tells nothing. Raises UsageError when it
    is malformed."""
    return next(iter(families(model)), None)


def related(target: str, other: str, *, role: str = "judge") -> str | None:
    """One sentence for a notice when `other`, in its `role`, is of the target's own family, of
    one by the same maker, or the very same model; None when nothing is known to bind them."""
    first, second = parse_model(target), parse_model(other)
    if is_simulated(first.text) or is_simulated(second.text):
        return None
    why = (
        "what it writes may suit its own kind"
        if role == "generator"
        else "models tend to favour their own kind"
    )
    advice = f"{why}; name another with --{role}."
    if first.text == second.text:
        return f"The {role} {second.label} is the target itself: {advice}"
    ours, theirs = families(target), families(other)
    common = next((name for name in ours if name in theirs), None)
    if common is not None:
        return f"The {role} {second.label} is of the target's own family ({common}): {advice}"
    for maker, made in _MAKERS.items():
        if made & set(ours) and made & set(theirs):
            return (
                f"The {role} {second.label} and the target {first.label} are both made by "
                f"{maker}: {advice}"
            )
    return None


def family_notices(
    target: str, evaluator: str, judge: str, generator: str | None = None
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


def _found(name: str) -> tuple[str, ...]:
    places = (
        (found.start(), family)
        for family, pattern in _FAMILIES.items()
        if (found := pattern.search(name))
    )
    return tuple(family for _, family in sorted(places))
