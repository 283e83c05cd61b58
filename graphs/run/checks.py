"""Names that a spec holds, checked without what runs it."""

import unicodedata

from ...state.errors import UsageError
from ...tools.models.address import parse_model


def check_domain(domain: str) -> str:
    """The domain. Raises UsageError when it is long or names nothing, and for what is no text:
    control characters, no UTF-8."""
    if len(domain) > 200:
        raise UsageError(
            f"DOMAIN is {len(domain):,} characters long: it is a name, so use at most 200."
        )
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in domain):
        raise UsageError(
            f"DOMAIN cannot be {domain!r}: it holds control characters or bytes that are not "
            "UTF-8 text."
        )
    if not any(map(str.isalnum, domain)):
        raise UsageError(
            f"DOMAIN cannot be {domain!r}: it names no field, for want of a letter or digit."
        )
    return domain


def check_persona(name: str) -> None:
    """Raises UsageError when a simulated model is neither a persona nor the evaluator, or its
    settings are wrong."""
    address = parse_model(name)
    if address.provider == "sim":
        from ...sim.personas import persona_of

        try:
            persona_of(address.model)
        except ValueError as error:
            raise UsageError(str(error)) from None


def check_embeddings(name: str) -> None:
    """Raises UsageError for a malformed name, and for what is no embeddings model of the simulated
    world."""
    address = parse_model(name)
    if address.provider != "sim":
        return
    from ...sim.embeddings import MODEL

    if address.model != MODEL:
        raise UsageError(
            f"The simulated world has no embeddings model {address.model!r}; it has one, "
            f"sim:{MODEL}."
        )
