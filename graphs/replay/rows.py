"""A replay as rows of answers."""

from dataclasses import replace

from ...state.replay import RejudgeResult, ReplayResult
from ...state.rows import AnswerRow
from ..answers import row_maker
from ..drill.rows import VERDICTS, probe_rows
from .question_set import AGAIN
from .trials import FURTHER

OF_ANSWER = ("error", "confidence")
"""Tags that are about the answer and not about its question."""
DRILLED = "drilled model"
"""Condition of the answers of the model that the questions are from."""


def rows_of(result: ReplayResult | RejudgeResult) -> list[AnswerRow]:
    """The other model's answers, then (without their texts) those of the drilled one; of answers
    that were only judged again these. An item has the id of the drill's own."""
    spec = result.spec
    make = row_maker(result, source_run=spec.source_run)
    drill = spec.source_run.rpartition("-")[2]
    nominal = {*result.source.nominal, *spec.nominal}
    rows: list[AnswerRow] = []
    for probe in result.probes:
        place = probe.id.rpartition("/")[2]
        if place.endswith(AGAIN) == spec.rejudges and not place.endswith(FURTHER):
            item = f"{drill}/{place.removesuffix(AGAIN)}"
            rows += [replace(row, item=item) for row in probe_rows(make, probe, nominal)]
    by_item = {row.item: row for row in rows}
    for pair in getattr(result, "pairs", ()):
        if pair.source is not None and pair.id in by_item:
            new = by_item[pair.id]
            texts = {**new.texts, "answer": "", "reason": ""}
            tags = {name: tag for name, tag in new.tags.items() if name not in OF_ANSWER}
            verdict, score = VERDICTS[pair.source], float(pair.source == "correct")
            drilled = replace(new, condition=DRILLED, score=score, verdict=verdict, stage="")
            rows.append(replace(drilled, tags=tags, texts=texts))
    return rows
