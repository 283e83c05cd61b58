"""What a simulated model says when it is to explain a concept: facts of this world, in short paragraphs."""

from functools import cache, lru_cache

from ..claims import facts_in
from ..corpus import corpus
from ..draws import pick, shuffled
from ..facts import Fact
from ..world import World

MOST_FACTS = 24
"""Facts of one explanation; as many are stated wherever the article and those it links to have them."""
_PER_PARAGRAPH = 4
_FROM_NEIGHBOUR = 12
"""Facts taken from one article that the concept's own links to, at most."""
_RICH = 20
"""Facts that an article must have to stand in for one that is missing."""


def explain(world: World, concept: str) -> str:
    """The explanation of a concept. For one without an article here, that of another, which the first sentence says.

    Whether the wiki lacks a page today plays no part: a model has learnt what it has learnt.
    """
    seed = world.spec.seed
    title = _title_of(concept)
    opening = ""
    if title is None:
        title = pick(_rich_titles(), seed, "explains", " ".join(concept.casefold().split()))
        opening = (
            f"About {' '.join(concept.split()) or 'this'} nothing is known here, so that this is about {title}.\n\n"
        )
    facts = _told(title, seed)
    paragraphs = [facts[start : start + _PER_PARAGRAPH] for start in range(0, len(facts), _PER_PARAGRAPH)]
    return opening + "\n\n".join(" ".join(fact.sentence for fact in part) for part in paragraphs)


def _title_of(concept: str) -> str | None:
    """The article a concept leads to; of a page that lists what a name can mean, what it means in this world."""
    wanted = " ".join(concept.replace("_", " ").split())
    wanted = wanted[:1].upper() + wanted[1:]
    page = corpus().pages.get(corpus().redirects.get(wanted, wanted))
    if page is None:
        return None
    if page.disambiguation:
        return max(page.links, key=lambda title: (title.startswith(f"{page.title} ("), len(facts_of(title))))
    return page.title


@lru_cache(maxsize=4096)
def _told(title: str, seed: int) -> tuple[Fact, ...]:
    """What is told of an article's subject, in the article's order, then of what it links to."""
    own = facts_of(title)
    chosen = {fact.id for fact in own}
    if len(own) > MOST_FACTS:
        chosen = set(shuffled(sorted(chosen), seed, "told", title)[:MOST_FACTS])
    told = {fact.id: fact for fact in own if fact.id in chosen}
    for neighbour in sorted(corpus().pages[title].links, key=lambda name: len(facts_of(name)) < _RICH):
        if len(told) >= MOST_FACTS:
            break
        told.update({fact.id: fact for fact in facts_of(neighbour)[:_FROM_NEIGHBOUR]})
    return tuple(told.values())[:MOST_FACTS]


@lru_cache(maxsize=4096)
def facts_of(title: str) -> tuple[Fact, ...]:
    """The facts an article states, in its order."""
    # a heading is no part of the sentence that follows it
    stated = [fact for line in corpus().pages[title].text.splitlines() for fact in facts_in(line)]
    return tuple({fact.id: fact for fact in stated}.values())


@cache
def _rich_titles() -> tuple[str, ...]:
    pages = corpus().pages.values()
    return tuple(page.title for page in pages if not page.disambiguation and len(facts_of(page.title)) >= _RICH)
