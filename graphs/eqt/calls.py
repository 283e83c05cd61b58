"""What an Explain-Query-Test asks: per concept an explanation and q questions; per question k
paraphrases (each checked, where that is asked for), k + 1 answers, and one more with the
explanation at hand; over all, attributions of wrong answers, as many as there turn out to be and at
most as many as are asked for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...state.spec import EqtSpec
from ..run.due import LIMIT, ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ..run.spread import Spread, fixed
from .concept import concept_id

EXPLANATION_TOKENS = 4000
EXPLANATION_BYTES = 12_000
"""Room for an explanation in the requests that carry it."""
OPTION_BYTES, OPTION_CHARACTERS = 150, 65
ATTRIBUTION = -1
"""The part that comes after all concepts."""
WRONG = Spread(0.0, 0.4, 1.0)
"""Share of the answers that are wrong, where that is needed: all of a question's options have to be
judged rightly."""
OTHER_FORM = Spread(0.0, 0.1, 1.0)
"""Share of the answers that do not end with the line asked for, so that the judge reads them."""


class EqtCalls:
    """What one run asks. Who names a run's concepts one by one gives a spec with only that one."""

    def __init__(self, spec: EqtSpec, material: object = None) -> None:
        self.spec = spec
        same = {
            "target": "",
            "judge": "",
            "attribute": 0,
            "open_book": False,
            "verify_paraphrases": False,
        }
        self._same = spec.model_copy(update=same).digest
        """What is written is the same for all runs with this one."""

    def parts(self, past: Sequence[object] = ()) -> list[tuple[int, Spread]]:
        """The concepts, and the attributions of all of them together."""
        concepts = range(len(self.spec.concepts))
        last = [ATTRIBUTION] if self.spec.attribute else []
        return [(part, ONCE) for part in (*concepts, *last)]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        if part == ATTRIBUTION:
            yield self.attribution(done)
            return
        kinds = self._kinds()
        for purpose, item_ids in self._items(part, done).items():
            due = kinds[purpose]
            number = fixed(done.number_missing(item_ids))
            judge = self.spec.judge if due.role == "judge" else ""
            key = None if due.role == "target" else (self._same, part, purpose, judge)
            yield replace(due, number=number, shared=key)
            if purpose in ("choice", "open_book"):
                often = (number.mid * share for share in OTHER_FORM)
                yield replace(kinds["selection"], number=Spread(*often))

    def attribution(self, done: FinishedItems) -> PlannedCall:
        """Those of all wrong answers, beyond the ones that are done."""
        spec, most = self.spec, self.spec.attribute
        answers = len(spec.concepts) * spec.questions * (spec.paraphrases + 1)
        made = sum(item_id.endswith(".why") for item_id in done.memory.item_ids)
        often = (max(0.0, min(most, answers * share) - made) for share in WRONG)
        number = Spread(*often)
        return replace(self._kinds()["attribution"], number=number)

    def _items(self, part: int, done: FinishedItems) -> Mapping[str, Sequence[str]]:
        """Purpose → the items that come about by it. Of what came to nothing nothing follows."""
        spec, concept = self.spec, concept_id(done.run_id, part)
        if done.empty(concept):
            return {}
        every = [f"{concept}.q{number}" for number in range(1, spec.questions + 1)]
        questions = [question for question in every if not done.empty(question)]
        paraphrases, asked = list[str](), list[str]()
        for question in questions:
            nth = range(1, spec.paraphrases + 1)
            paraphrases += [f"{question}.p{n}" for n in nth]
            asked += [f"{question}.a0"]
            asked += [f"{question}.a{n}" for n in nth if not done.empty(f"{question}.p{n}")]
        return {
            "explanation": [concept],
            "choice_question": questions,
            "paraphrase": paraphrases,
            "same_question": paraphrases if spec.verify_paraphrases else [],
            "choice": asked,
            "open_book": [f"{question}.open" for question in questions] if spec.open_book else [],
        }

    def _kinds(self) -> dict[str, PlannedCall]:
        spec = self.spec
        shown = TEXT_BYTES + OPTION_BYTES * spec.options
        told, writing = EXPLANATION_BYTES + TEXT_BYTES, LIMIT + 80 * spec.options
        with_book, reply = EXPLANATION_BYTES + shown, spec.answer_tokens
        seen = float(OPTION_CHARACTERS * spec.options)
        kinds = (
            PlannedCall("examiner", "explanation", room=TEXT_BYTES, limit=EXPLANATION_TOKENS),
            PlannedCall("examiner", "choice_question", room=told, limit=writing),
            PlannedCall("examiner", "paraphrase", room=shown, known=seen),
            PlannedCall("judge", "same_question", room=2 * shown, known=seen),
            PlannedCall("target", "choice", room=shown, limit=reply, known=seen),
            PlannedCall("target", "open_book", room=with_book, limit=reply, known=seen),
            PlannedCall("judge", "selection", room=shown + 4 * reply, known=seen),
            PlannedCall("judge", "attribution", room=with_book, known=seen),
        )
        return {due.purpose: due for due in kinds}

    def chain(self, parts: Spread) -> list[CallStage]:
        """All concepts stand beside one another, and open-book answers beside the others."""
        return [
            *self.chain_of_a_concept(),
            *([CallStage("judge", "attribution")] if self.spec.attribute else []),
        ]

    def chain_of_a_concept(self) -> list[CallStage]:
        links = [CallStage("examiner", "explanation"), CallStage("examiner", "choice_question")]
        if self.spec.paraphrases:
            links.append(CallStage("examiner", "paraphrase"))
            links += [CallStage("judge", "same_question")] if self.spec.verify_paraphrases else []
        return [*links, CallStage("target", "choice")]
