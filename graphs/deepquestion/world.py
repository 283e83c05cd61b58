"""What a simulated generator and evaluator will come to, known beforehand: their drafts with the scores, and from which
problems something is written that passes every check. Nobody is asked: it follows from the world's seed and the texts.

It holds for the world that a run starts for itself; one that is served elsewhere may be another.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...agents.answers.final.answer import read_final, same_answer
from ...agents.questioner.transformation import criteria_text, samples_text, shown
from ...sim.deepquestion import guides as stoich_guides
from ...sim.deepquestion.checking import letter_of
from ...sim.deepquestion.core import Unsolvable, answer_of
from ...sim.deepquestion.reading import read_problem
from ...sim.deepquestion.writing import stem_of
from ...sim.personas import Persona
from ...sim.settings import persona_of
from ...state.deepquestion.items import Kind, Problem, ProblemSet, PromptDraft, PromptScore
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.items import PromptItem
from ...stats.deepquestion.prompts import goes_ahead, prompt_history
from ...tools.models.address import parse_model
from .loop import goes_on, samples_of
from .solving import Wanted


@dataclass(frozen=True, slots=True)
class Foreseen:
    """One kind."""

    drafts: tuple[str, ...]
    """None where the prompt is given."""
    guide: str
    """The prompt that is used, or would be."""
    goes_ahead: bool
    """Whether anything is written by it."""
    sound: int
    """Problems from which something is written that passes every check."""
    foreign: int
    """Problems that are not of this world: what becomes of them is not known."""


def comparable(target: str) -> float:
    """Share of a simulated target's questions that are expected to have the required answer: the valid ones, and every
    third of the others."""
    valid = persona_of(parse_model(target).model).creating
    return valid + (1.0 - valid) / 3


def foreseen(spec: DeepQuestionSpec, problems: ProblemSet) -> dict[Kind, Foreseen]:
    """By kind; empty where it cannot be known: another generator or evaluator, a world elsewhere, given texts."""
    own = [parse_model(name) for name in (spec.generator, spec.evaluator)]
    if spec.given or spec.world is None or any(each.provider != "sim" or each.base_url for each in own):
        return {}
    generator = persona_of(own[0].model)
    return {kind: _foreseen(spec, problems.problems, kind, generator, spec.world.seed) for kind in spec.kinds}


def _foreseen(
    spec: DeepQuestionSpec, problems: Sequence[Problem], kind: Kind, generator: Persona, seed: int
) -> Foreseen:
    items = _drafts(spec, problems, kind, generator, seed) if kind in spec.drafted else []
    history = prompt_history(spec, kind, items)
    fates = [_is_sound(spec, problem, kind, generator, history.guide, seed) for problem in problems]
    return Foreseen(
        drafts=tuple(each.draft for each in history.rounds),
        guide=history.guide,
        goes_ahead=goes_ahead(spec, history),
        sound=fates.count(True),
        foreign=fates.count(None),
    )


def _drafts(
    spec: DeepQuestionSpec, problems: Sequence[Problem], kind: Kind, generator: Persona, seed: int
) -> list[PromptItem]:
    """The cycle of drafts and scores."""
    criteria = criteria_text(kind)
    name = (seed, generator.name, criteria, samples_text(samples_of(spec, problems)).strip())
    draft, items, number = stoich_guides.first_draft(generator, criteria, *name), list[PromptItem](), 1
    while True:
        told = stoich_guides.score(criteria, draft, seed)
        score, feedback = int(str(told["score"])), str(told["feedback"])
        items.append(PromptDraft(id=f"draft{number}", problem=-1, kind=kind, round=number, text=draft))
        items.append(
            PromptScore(id=f"score{number}", problem=-1, kind=kind, round=number, score=score, feedback=feedback)
        )
        if goes_on(spec, number, score) == "stop":
            return items
        draft, number = stoich_guides.next_draft(generator, criteria, draft, feedback), number + 1


def _is_sound(
    spec: DeepQuestionSpec, problem: Problem, kind: Kind, generator: Persona, guide: str, seed: int
) -> bool | None:
    """Whether what is written from a problem passes every check; None for one that is not of this world."""
    known = read_problem(stem_of(shown(problem)))
    try:
        answer = answer_of(known.core) if known else ""
    except Unsolvable:
        return None
    if known is None or not answer:
        return None
    if stoich_guides.fault_of(seed, generator, kind, guide, known.core.key) is not None:
        return False
    return kind == "q2i" or _is_answer(spec, problem, answer)


def _is_answer(spec: DeepQuestionSpec, problem: Problem, answer: str) -> bool:
    """Whether the answer that the world has is the reference."""
    wanted = Wanted.of(problem)
    if wanted.kind == "choice":
        return letter_of(answer, problem.options) == problem.answer
    if answer == wanted.answer:
        return True
    read = read_final(answer, wanted.kind)
    return same_answer(read, wanted.answer, wanted.kind, tolerance=spec.tolerance) is True
