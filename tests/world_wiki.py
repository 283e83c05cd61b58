"""The simulated world's articles as wikitext, for a MediaWiki that nobody here wrote."""

import re
from collections.abc import Iterable

from fathom.sim.pages import Page
from fathom.sim.world import World

DOMAIN = "Chemical elements"
WORLD = WorldSpec(seed=2)  # its evaluator names these as the first aspects of the field:
ASPECTS = ("Rhodium", "Rhenium", "Group 7", "Radon", "Nickel", "Mercury", "Glenn Seaborg", "France")
UNKNOWN = "Glenn Seaborg"
"""Has no page on the wiki, and no page there mentions the name."""
MOVED, MOVED_TO = "Nickel", "Nickel (metal)"
AMBIGUOUS, MEANT = "Mercury", "Mercury (element)"


@cache
def world() -> World:
    return World(WORLD)


@cache
def articles() -> dict[str, Page]:
    """The wiki's articles by title: what the aspects are about, and part of what those link to."""
    titles = [title for title in (*ASPECTS, MEANT, "Chemical element") if title != UNKNOWN]
    found = neighbourhood(world(), titles, 60)
    return {MOVED_TO if title == MOVED else title: page for title, page in found.items() if title != UNKNOWN}


def wiki_pages() -> dict[str, str]:
    front = world().look_up(AMBIGUOUS).page
    assert front is not None
    return {title: wikitext(page, UNKNOWN) for title, page in articles().items()} | {
        DOMAIN: "#REDIRECT [[Chemical element]]",
        MOVED: f"#REDIRECT [[{MOVED_TO}]]",
        AMBIGUOUS: senses(front),
    }


CITATION = "<ref>A handbook of the elements, 1987, page 12.</ref>"
TABLE = '{| class="wikitable"\n! Property !! Value\n|-\n| Price || 12\n|}'
_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z])")


def article(page: Page, without: str = "") -> tuple[str, list[tuple[str, str]]]:
    """Lead and (heading, text) of a page as a reader sees them, less the sentences that mention `without`."""
    return _less(page.lead, without), [(heading, _less(text, without)) for heading, text in page.sections]


def wikitext(page: Page, without: str = "") -> str:
    """The article with links, a reference, a table, a list of links and categories around and in its prose."""
    lead, sections = article(page, without)
    first, *rest = _SENTENCE_END.split(_linked(lead, page))
    parts = [" ".join([first + CITATION, *rest]), TABLE]
    parts += [f"== {heading} ==\n{_linked(text, page)}" for heading, text in sections]
    parts += ["== See also ==\n" + "\n".join(f"* [[{title}]]" for title in page.links if title != without)]
    parts += ["== References ==\n<references />", "\n".join(f"[[Category:{name}]]" for name in page.categories)]
    return "\n\n".join(parts)


def neighbourhood(world: World, titles: Iterable[str], limit: int) -> dict[str, Page]:
    """The pages of these titles and then of what they link to, at most `limit` of them; no disambiguation pages."""
    wanted = list(titles)
    wanted += [link for title in wanted for link in world.links(title)]
    pages = (world.look_up(title).page for title in dict.fromkeys(wanted))
    return {page.title: page for page in [p for p in pages if p and not p.disambiguation][:limit]}


def senses(page: Page) -> str:
    """A disambiguation page: what it may refer to, and its category."""
    return (
        f"{page.lead.splitlines()[0]}\n"
        + "\n".join(f"* [[{t}]]" for t in page.links)
        + ("\n[[Category:Disambiguation pages]]")
    )


def _less(text: str, without: str) -> str:
    kept = [part for part in _SENTENCE_END.split(text) if not without or without not in part]
    return " ".join(kept)


def _linked(text: str, page: Page) -> str:
    names = sorted((title.partition(" (")[0] for title in page.links), key=len, reverse=True)
    if not names:
        return text
    return re.sub(rf"\b({'|'.join(map(re.escape, names))})\b", r"[[\1]]", text, flags=re.IGNORECASE)
