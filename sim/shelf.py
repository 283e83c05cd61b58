"""Drafts become pages: links, redirects, disambiguation pages, stubs."""

from collections.abc import Iterator, Mapping

from .facts import lower_first
from .pages import Draft, Page, prose
from .values import tokens

DISAMBIGUATION = "Disambiguation pages"

_OTHER_NAMES = {
    "Aluminum": "Aluminium", "Cesium": "Caesium", "Sulphur": "Sulfur", "Wolfram": "Tungsten", "Natrium": "Sodium",
    "Kalium": "Potassium", "Quicksilver": "Mercury (element)", "Ferrum": "Iron", "Aurum": "Gold", "Argentum": "Silver",
    "Plumbum": "Lead", "Stannum": "Tin", "Chemical elements": "Chemical element", "Element": "Chemical element",
    "Elements": "Chemical element", "Periodic system": "Periodic table", "Pnictogens": "Group 15",
    "Chalcogens": "Group 16", "Coinage metals": "Group 11", "Noble gas": "Noble gases", "Halogen": "Halogens",
    "Alkali metal": "Alkali metals", "Alkaline earth metal": "Alkaline earth metals",
    "Transition metal": "Transition metals",
    "Lanthanide": "Lanthanides", "Actinide": "Actinides", "Metalloid": "Metalloids", "Nonmetal": "Nonmetals",
    "Poor metal": "Poor metals", "Post-transition metals": "Poor metals", "Rare earths": "Lanthanides",
    "USA": "United States", "United States of America": "United States",
}  # fmt: skip

_DISAMBIGUATION = {
    "Mercury": ("Mercury (element)", "Mercurius", "Period 6"),
    "Lead (disambiguation)": ("Lead", "Group 14", "Car batteries"),
    "Period": ("Periodic table", "Period 1", "Period 2"),
    "Curie": ("Pierre Curie", "Marie Curie", "Curium"),
}


def redirects(drafts: Mapping[str, Draft]) -> dict[str, str]:
    """Other names, with the title each leads to."""
    found = {name: title for name, title in _OTHER_NAMES.items() if title in drafts and name not in drafts}
    for title in drafts:
        if title.startswith(("Group ", "Period ")):
            found[f"{title} element"] = title
    return found


def finish(drafts: Mapping[str, Draft], lead_to: Mapping[str, str]) -> Iterator[Page]:
    """The pages, numbered in the order of their drafts."""
    titles = {tuple(tokens(draft.name)): draft.title for draft in drafts.values()}
    titles |= {tuple(tokens(name)): title for name, title in lead_to.items()}
    for pageid, draft in enumerate(drafts.values(), start=1):
        known = [name for name in draft.topics if tuple(tokens(name)) in titles and name != draft.name]
        links = dict.fromkeys(titles[tuple(tokens(name))] for name in known)
        yield Page(
            pageid=pageid,
            title=draft.title,
            lead=_lead(draft, known),
            sections=tuple(
                (heading, prose(draft.name, facts, known, turn=place + 3))
                for place, (heading, facts) in enumerate(sorted(draft.body.items()))
            ),
            links=tuple(sorted(title for title in links if title != draft.title)),
            categories=tuple(dict.fromkeys(draft.categories)),
        )


def _lead(draft: Draft, known: list[str]) -> str:
    """A page without a fact of its own says that it is a stub, as such pages do: that is no evidence of anything."""
    if draft.lead:
        return prose(draft.name, draft.lead, known, turn=draft.title.count("e"))
    return f"This article on {draft.name} is a stub."


def front_pages(count: int) -> Iterator[Page]:
    """Disambiguation pages: they list, they state nothing."""
    for pageid, (title, targets) in enumerate(_DISAMBIGUATION.items(), start=count + 1):
        bare = title.partition(" (")[0]
        lines = "\n".join(f"{target}, see {lower_first(target)}" for target in targets)
        lead = f"{bare} may refer to:\n{lines}"
        yield Page(pageid, title, lead, (), tuple(sorted(targets)), (DISAMBIGUATION, "All disambiguation pages"), True)
