"""All questions at three depths: read from a text, however it is framed, and put together to graphs."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import count as counting

from ...state.depthqa.items import QuestionGraph, QuestionNode
from ...state.text import normalise
from ..claims import read_claim
from ..corpus import corpus
from ..draws import pick
from ..elements import elements
from .concepts import concepts
from .nodes import DeepQuestion, Kind, Unfit, known_fact, make, of_fact, wording_values
from .nuclei import AVERAGE, NEUTRONS
from .pairs import PAIRS
from .steps import CUBE, ION, LIQUID, STEPS, VALENCE, VOLUME
from .strategies import STRATEGIES

KINDS: tuple[Kind, ...] = (NEUTRONS, AVERAGE, *STEPS, *PAIRS, *STRATEGIES)
ECHO = "Briefly, "
"""In front of a question it leaves the question what it was."""
FRAMES = (
    "In plain words: ",
    "In plain textbook words: ",
    "In the plain words of a textbook: ",
    "In the plain words of a good school textbook: ",
    "In the plain words of a good school textbook for beginners: ",
    "In the plain words of a good old school textbook for curious young beginners: ",
)
"""The same with more words in front, from little to much."""
_IS_IT_TRUE = re.compile(r"Is it true that (.+)\?", re.IGNORECASE)
_FORM = {"a": "[a-z]+", "b": "[a-z]+", "n": r"\d+(?:\.\d+)?", "t": r"-?\d+", "x": ".+?"}
_AMOUNTS = {"isotope": ("0.5", "2", "2.5", "3", "4"), "portions": ("50", "100", "250")}
"""What may stand at `{n}` in questions of depth 3 that are made here."""
_TRIES = 20_000


@lru_cache(maxsize=16_384)
def recognise(text: str) -> DeepQuestion | None:
    """The question of this world that a text asks, be it put openly or so that yes or no would answer it; None for any
    other."""
    bare = _bare(" ".join(text.split()))
    words = normalise(bare)
    fact = corpus().questions.get(words)
    if fact is not None:
        return of_fact(fact)
    return _concepts().get(words) or _confirmed(bare) or _of_kind(words)


def framed(frame: str, question: str) -> str:
    """A question behind a frame or the echo."""
    return f"{frame}{question[:1].lower()}{question[1:]}"


def _bare(text: str) -> str:
    front = next((front for front in (*FRAMES, ECHO) if text.startswith(front)), "")
    return text.removeprefix(front)


@cache
def _concepts() -> dict[str, DeepQuestion]:
    return {normalise(text): q for q in concepts().values() for text in (q.question, q.yes_no)}


def _confirmed(text: str) -> DeepQuestion | None:
    """The fact whose claim is asked to be confirmed."""
    asked = _IS_IT_TRUE.fullmatch(text)
    claim = read_claim(f"{asked[1]}.") if asked else None
    return of_fact(claim.fact) if claim else None


@cache
def _forms() -> tuple[tuple[re.Pattern[str], Kind, str], ...]:
    """Every wording of every kind as a pattern over normalised text."""
    wordings = [(kind, text) for kind in KINDS for text in (*kind.wordings, kind.yes_no) if text]
    return tuple((_form(text), kind, text) for kind, text in wordings)


def _form(wording: str) -> re.Pattern[str]:
    seen: set[str] = set()
    found = ""
    for literal, place in re.findall(r"([^{]*)(?:\{(\w)\}|$)", wording.casefold().rstrip("?.")):
        found += re.escape(literal)
        if place:
            found += f"(?P={place})" if place in seen else f"(?P<{place}>{_FORM[place]})"
            seen.add(place)
    return re.compile(found)


def _of_kind(words: str) -> DeepQuestion | None:
    for form, kind, _ in _forms():
        found = form.fullmatch(words)
        if found is not None and (made := _made(kind, found.groupdict())) is not None:
            return made
    return None


def _made(kind: Kind, found: dict[str, str]) -> DeepQuestion | None:
    slots = [found[name] for name in kind.slots]
    if any(found[name] not in elements() for name in kind.slots if name in "ab"):
        return None
    try:
        question = make(kind, *(sorted(slots) if kind in PAIRS else slots))
    except Unfit:
        return None
    decided = wording_values(kind, *slots)
    return question if all(decided[place].casefold() == said for place, said in found.items()) else None


_FITTING_FACTS = (
    "symbol", "atomic_number", "atomic_weight", "period", "block", "series", "state", "melting_c", "density",
    "en_pauling", "use", "electronic_configuration",
)  # fmt: skip
_FITTING_STEPS = (NEUTRONS, LIQUID, VALENCE, ION, VOLUME, CUBE)


def fitting(question: DeepQuestion, depth: int) -> list[DeepQuestion]:
    """Questions of this depth (1 or 2) about the same elements, without the question itself."""
    names = [name for name in question.subjects if name in elements()]
    if depth == 1:
        made = [_tried(known_fact, name, prop) for prop in _FITTING_FACTS for name in names]
    else:
        made = [_tried(make, kind, name) for kind in _FITTING_STEPS for name in names]
        made += [_tried(make, kind, *sorted(names)) for kind in PAIRS if len(names) == 2]
    return [found for found in made if found is not None and found.id != question.id]


def _tried(write: Callable[..., DeepQuestion], *slots: object) -> DeepQuestion | None:
    try:
        return write(*slots)
    except Unfit:
        return None


def graph_of(count: int, seed: int, *, shared: bool = True) -> QuestionGraph:
    """A graph of `count` questions of depth 3, all kinds in turn, over elements that the seed chooses.

    `shared`: a question that serves several is one node; otherwise each tree has nodes of its own, as in the published
    data. Raises ValueError when so many different questions cannot be found.
    """
    return as_graph(strategies(count, seed), f"elements-{count}-{seed}", shared=shared)


def strategies(count: int, seed: int) -> list[DeepQuestion]:
    """So many different questions of depth 3, all kinds in turn. Raises ValueError when they cannot be found."""
    names = [name for name, row in elements().items() if row["atomic_number"] <= 83]
    found: dict[frozenset[str], DeepQuestion] = {}
    for place in range(count):
        kind = STRATEGIES[place % len(STRATEGIES)]
        key, question = _another(kind, names, found, seed, place)
        found[key] = question
    return list(found.values())


def _another(
    kind: Kind, names: Sequence[str], taken: Iterable[frozenset[str]], seed: int, place: int
) -> tuple[frozenset[str], DeepQuestion]:
    for step in counting():
        if step == _TRIES:
            raise ValueError(f"There are not so many questions of the kind {kind.name}.")
        pools = ((slot, _AMOUNTS[kind.name] if slot == "n" else names) for slot in kind.slots)
        slots = [pick(pool, seed, kind.name, place, step, slot) for slot, pool in pools]
        key = frozenset((kind.name, *slots))
        if len(key) <= len(slots) or key in taken:
            continue
        try:
            return key, make(kind, *slots)
        except Unfit:
            continue
    raise AssertionError


def as_graph(roots: Sequence[DeepQuestion], name: str, *, shared: bool = True) -> QuestionGraph:
    """The questions with everything they rest on."""
    nodes: dict[str, QuestionNode] = {}
    for tree, root in enumerate(roots, 1):
        _put(nodes, root, "" if shared else f"{tree}.", root.domain)
    return QuestionGraph(name=name, nodes=tuple(sorted(nodes.values(), key=lambda node: -node.depth)))


def _put(nodes: dict[str, QuestionNode], question: DeepQuestion, prefix: str, domain: str) -> str:
    node_id = prefix + question.id
    if node_id not in nodes:
        own = question.domain or domain
        nodes[node_id] = QuestionNode(
            id=node_id,
            depth=question.depth,
            question=question.question,
            reference=question.reference,
            predecessors=tuple(_put(nodes, need, prefix, own) for need in question.needs),
            domain=own,
            reasoning=question.reasoning,
        )
    return node_id
