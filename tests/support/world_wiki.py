"""A wiki for tests: sixty of the simulated world's articles as wikitext, with a redirect, a list of
senses, and a subject that is missing. The world knows who knows what, so every verdict of a drill
here has a known right value."""

import re
from functools import cache

from fathom.sim.pages import Page
from fathom.sim.world import World
from fathom.state.spec import WorldSpec

WORLD = WorldSpec(seed=2)
DOMAIN = "Chemical elements"
ASPECTS = (
    "Rhodium",
    "Rhenium",
    "Group 7",
    "Radon",
    "Nickel",
    "Mercury",
    "Glenn Seaborg",
    "France",
)
"""What this world's evaluator names first as aspects of the domain."""
MOVED, MOVED_TO = "Nickel", "Nickel (metal)"
AMBIGUOUS, MEANT = "Mercury", "Mercury (element)"
UNKNOWN = "Glenn Seaborg"
"""Has no page on the wiki, and no page there mentions the name."""

_SIZE = 60
_CITATION = "<ref>A handbook of the elements, 1987, page 12.</ref>"
_TABLE = '{| class="wikitable"\n! Property !! Value\n|-\n| Price || 12\n|}'
_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z])")


@cache
def world() -> World:
    """The world whose articles these are."""
    return World(WORLD)


@cache
def articles() -> dict[str, Page]:
    """The wiki's articles by title: what the aspects are about, and part of what those link to."""
    own = [title for title in (*ASPECTS, MEANT, "Chemical element") if title != UNKNOWN]
    titles = dict.fromkeys([*own, *(link for title in own for link in world().links(title))])
    pages = [world().look_up(title).page for title in titles if title != UNKNOWN]
    chosen = [page for page in pages if page and not page.disambiguation][:_SIZE]
    return {MOVED_TO if page.title == MOVED else page.title: page for page in chosen}


def wiki_pages() -> dict[str, str]:
    """The whole wiki, title → wikitext."""
    senses = world().look_up(AMBIGUOUS).page
    assert senses is not None
    lines = "\n".join(f"* [[{title}]]" for title in senses.links)
    return {title: _wikitext(page) for title, page in articles().items()} | {
        DOMAIN: "#REDIRECT [[Chemical element]]",
        MOVED: f"#REDIRECT [[{MOVED_TO}]]",
        AMBIGUOUS: f"'''{AMBIGUOUS}''' may refer to:\n{lines}\n[[Category:Disambiguation pages]]",
    }


def prose(page: Page) -> dict[str | None, str]:
    """An article's text as a reader sees it, by heading (None: the lead), less the sentences on the
    unknown subject."""
    texts: dict[str | None, str] = {None: page.lead, **dict(page.sections)}
    return {
        heading: " ".join(s for s in _SENTENCE_END.split(t) if UNKNOWN not in s)
        for heading, t in texts.items()
    }


def _wikitext(page: Page) -> str:
    """The article with links, a reference, a table, a list of links and categories around and in
    its prose."""
    texts = {heading: _linked(text, page) for heading, text in prose(page).items()}
    first, *rest = _SENTENCE_END.split(texts.pop(None))
    parts = [" ".join([first + _CITATION, *rest]), _TABLE]
    parts += [f"== {heading} ==\n{text}" for heading, text in texts.items()]
    parts += [
        "== See also ==\n"
        + "\n".join(f"* [[{title}]]" for title in page.links if title != UNKNOWN)
    ]
    parts += [
        "== References ==\n<references />",
        "[[Category:Chemical elements]]\n[[Category:Elements of the world]]",
    ]
    return "\n\n".join(parts)


def _linked(text: str, page: Page) -> str:
    names = sorted((title.partition(" (")[0] for title in page.links), key=len, reverse=True)
    if not names:
        return text
    return re.sub(
        rf"\b({'|'.join(map(re.escape, names))})\b", r"[[\1]]", text, flags=re.IGNORECASE
    )
