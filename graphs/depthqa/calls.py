"""What asking a DepthQA graph takes: the answers and ratings of its protocol.

Requests that are the same to the letter are one call: runs of one launch share their replies. So
the first turn of a conversation is the zero-shot question, conversations that begin alike share
their beginnings, and an answer that is shared is rated once for each reference.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence

from ...state.depthqa.spec import DepthQASpec
from ...state.question_graph import Material, Mode, QuestionNode
from ...state.spec import is_simulated
from ...tools.models.replies import spoken
from ..run.due import ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ..run.spread import Spread, fixed
from .protocol import SCORE, PlannedQuestion, planned_questions

TOKEN_BYTES = 4
"""Bytes per token that an answer is taken to have where it is sent on."""
ANSWER, SIMULATED_ANSWER = 1_700, 180
"""Characters of an answer. The 1,571 zero-shot answers of Llama 3 8B that were published with the
method have 1,190 at depth 1, 1,890 and 1,880 at depths 2 and 3."""


class DepthQACalls:
    """What one run asks. Its parts are the trees of the graph."""

    def __init__(self, spec: DepthQASpec, material: Material) -> None:
        self.spec, self.graph = spec, material.graph
        self.trees = planned_questions(spec, material)
        self._answer = SIMULATED_ANSWER if is_simulated(spec.target) else ANSWER

    def parts(self, past: Sequence[object] = ()) -> list[tuple[int, Spread]]:
        return [(tree, ONCE) for tree in range(len(self.trees))]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        """What a tree's own questions take: one that stands in several trees belongs to the
        first."""
        return self.of(self.trees[part], done)

    def of(
        self, questions: Iterable[PlannedQuestion], done: FinishedItems
    ) -> Iterator[PlannedCall]:
        """What is left of these questions."""
        for planned in questions:
            answer_id = f"{done.short_id}/{planned.name}"
            answer = done.item(answer_id)
            if answer is None and planned.given_answer is None:
                yield self._asking(planned)
            # what was cut off or filtered has nothing to rate
            rateable = planned.scored and not silent(planned) and not (answer and answer.fault)
            if rateable and not done.has(f"{answer_id}{SCORE}"):
                yield self._rating(planned)

    def _asking(self, planned: PlannedQuestion) -> PlannedCall:
        question, *before = [self.graph.by_id[name] for name in (planned.node, *planned.before)]
        quoted = TOKEN_BYTES * self.spec.answer_tokens
        is_gold = planned.mode == "prompt-gold"
        texts = [
            len(node.question) + (len(node.reference) if is_gold else self._answer)
            for node in before
        ]
        return PlannedCall(
            "target",
            "depth_with_context" if quotes(planned) else "depth_answer",
            room=_bytes(question) + sum(_bytes(node) + quoted for node in before),
            limit=self.spec.answer_tokens,
            known=len(question.question) + sum(texts),
            shared=self._key(planned),
        )

    def _rating(self, planned: PlannedQuestion) -> PlannedCall:
        node, answer = self.graph.by_id[planned.node], planned.given_answer
        length_of_answer = self._answer if answer is None else len(answer)
        return PlannedCall(
            "judge",
            "rating",
            room=_bytes(node) + TOKEN_BYTES * self.spec.answer_tokens + TEXT_BYTES,
            limit=self.spec.judge_tokens,
            known=len(node.question) + len(node.reference) + length_of_answer,
            shared=(self.spec.judge, node.question, node.reference, self._key(planned)),
        )

    def _key(self, planned: PlannedQuestion) -> Hashable:
        """What tells the request for an answer from others."""
        nodes = [self.graph.by_id[name] for name in (*planned.before, planned.node)]
        texts = [node.question for node in nodes]
        if planned.mode == "prompt-gold":
            texts += [node.reference for node in nodes[:-1]]
        mode = planned.mode if quotes(planned) else ""
        return (self.spec.target, self.spec.seed, planned.given_answer, mode, *texts)

    def chain(self, parts: Spread) -> list[CallStage]:
        """The longest conversation, or an answer and what quotes it, and the rating; all trees
        beside one another."""
        rating = CallStage("judge", "rating")
        if self.spec.given:
            return [rating]
        turns = max(
            len(node.predecessors) + (not self.graph.successors[node.id])
            for node in self.graph.nodes
        )
        answer, context = (
            CallStage("target", "depth_answer"),
            CallStage("target", "depth_with_context"),
        )
        ways: dict[Mode, list[CallStage]] = {
            "zero-shot": [answer],
            "prompt-gold": [context],
            "prompt-pred": [answer, context],
            "multi-turn": [answer._replace(times=fixed(turns))],
        }
        return [*max((ways[mode] for mode in self.spec.modes), key=length), rating]


def length(links: Sequence[CallStage]) -> int:
    """Calls that follow each other."""
    return round(sum(link.times.mid for link in links))


def quotes(planned: PlannedQuestion) -> bool:
    """Whether the prompt quotes other questions; in a conversation they are turns."""
    return bool(planned.before) and planned.conversation is None


def silent(planned: PlannedQuestion) -> bool:
    """Whether it is known to be without an answer: nobody is asked to rate that."""
    answer = planned.given_answer
    return answer is not None and not spoken(answer).answer.strip()


def _bytes(node: QuestionNode) -> int:
    return len(node.question.encode()) + len(node.reference.encode())
