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
from .items import ATTRIBUTION

EXPLANATION_TOKENS = 4000
EXPLANATION_BYTES = 12_000
"""Room for an explanation in the requests that carry it."""
OPTION_BYTES, OPTION_CHARACTERS = 150, 65
WRONG = Spread(0.0, 0.4, 1.0)
"""Share of the answers that are wrong, where that is needed: all of a question's options have to be
judged rightly."""
OTHER_FORM = Spread(0.0, 0.1, 1.0)
"""Share of the answers that do not end with the line asked for, so that the judge reads them."""
WRITING = {
    "target": "",
    "judge": "",
    "attribute": 0,
    "open_book": False,
    "verify_paraphrases": False,
}
"""Fields of a spec that what is written does not depend on, left empty."""


class EqtCalls:
    """What one run asks. Who names a run's concepts one by one gives a spec with only that one."""

    def __init__(self, spec: EqtSpec, material: object = None) -> None:
        self.spec = spec
        self._written_alike = spec.model_copy(update=WRITING).digest

    def parts(self, past: Sequence[object] = ()) -> list[tuple[int, Spread]]:
        """The concepts, and the attributions of all of them together."""
        parts = [*range(len(self.spec.concepts)), *[ATTRIBUTION] * bool(self.spec.attribute)]
        return [(part, ONCE) for part in parts]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        if part == ATTRIBUTION:
            yield self.attribution(done)
            return
        kinds = self._kinds()
        for purpose, item_ids in self._items(part, done).items():
            call, number = kinds[purpose], done.number_missing(item_ids)
            judge = self.spec.judge if call.role == "judge" else ""
            key = None if call.role == "target" else (self._written_alike, part, purpose, judge)
            yield replace(call, number=fixed(number), shared=key)
            if call.role == "target" and number:
                yield replace(kinds["selection"], number=OTHER_FORM.times(number))

    def attribution(self, done: FinishedItems) -> PlannedCall:
        """Those of all wrong answers, beyond the ones that are done."""
        spec, most = self.spec, self.spec.attribute
        answers = len(spec.concepts) * spec.questions * (spec.paraphrases + 1)
        finished = sum(item_id.endswith(".why") for item_id in done.memory.item_ids)
        number = Spread(*(max(0.0, min(most, answers * share) - finished) for share in WRONG))
        return replace(self._kinds()["attribution"], number=number)

    def _items(self, part: int, done: FinishedItems) -> Mapping[str, Sequence[str]]:
        """Purpose → the items that come about by it. Of what came to nothing nothing follows."""
        spec, concept = self.spec, concept_id(done.run_id, part)
        if done.empty(concept):
            return {}
        questions, paraphrases, answers = list[str](), list[str](), list[str]()
        for number in range(1, spec.questions + 1):
            question = f"{concept}.q{number}"
            if done.empty(question):
                continue
            questions.append(question)
            answers.append(f"{question}.a0")
            for n in range(1, spec.paraphrases + 1):
                paraphrases.append(f"{question}.p{n}")
                answers += [] if done.empty(f"{question}.p{n}") else [f"{question}.a{n}"]
        return {
            "explanation": [concept],
            "choice_question": questions,
            "paraphrase": paraphrases,
            "same_question": paraphrases if spec.verify_paraphrases else [],
            "choice": answers,
            "open_book": [f"{question}.open" for question in questions]
            if spec.open_book
            else [],
        }

    def _kinds(self) -> dict[str, PlannedCall]:
        spec = self.spec
        question = TEXT_BYTES + OPTION_BYTES * spec.options
        known = float(OPTION_CHARACTERS * spec.options)
        with_book, reply = EXPLANATION_BYTES + question, spec.answer_tokens
        with_text, writing = EXPLANATION_BYTES + TEXT_BYTES, LIMIT + 80 * spec.options
        calls = (
            PlannedCall("examiner", "explanation", room=TEXT_BYTES, limit=EXPLANATION_TOKENS),
            PlannedCall("examiner", "choice_question", room=with_text, limit=writing),
            PlannedCall("examiner", "paraphrase", room=question, known=known),
            PlannedCall("judge", "same_question", room=2 * question, known=known),
            PlannedCall("target", "choice", room=question, limit=reply, known=known),
            PlannedCall("target", "open_book", room=with_book, limit=reply, known=known),
            PlannedCall("judge", "selection", room=question + 4 * reply, known=known),
            PlannedCall("judge", "attribution", room=with_book, known=known),
        )
        return {call.purpose: call for call in calls}

    def chain(self, parts: Spread) -> list[CallStage]:
        """All concepts stand beside one another, and open-book answers beside the others."""
        spec = self.spec
        stages = [
            CallStage("examiner", "explanation"),
            CallStage("examiner", "choice_question"),
        ]
        if spec.paraphrases:
            stages.append(CallStage("examiner", "paraphrase"))
        if spec.paraphrases and spec.verify_paraphrases:
            stages.append(CallStage("judge", "same_question"))
        stages.append(CallStage("target", "choice"))
        return [*stages, *[CallStage("judge", "attribution")] * bool(spec.attribute)]
