"""`fathom exam`: questions of a drill as a page for people, and their answers taken in beside those
of models."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Annotated, Literal, TypeVar

import typer
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..graphs.replay.question_set import digest_of, place_of, questions_of, replay_spec
from ..graphs.run.checks import one_model
from ..reports.document.exam import page
from ..reports.page import figures
from ..reports.page.sanitise import one_line
from ..state.errors import UsageError
from ..state.option import OUTPUT, Option
from ..state.records import Probe
from ..state.result import DrillResult
from ..state.spec import ReplaySpec
from ..state.text import in_turn
from ..tools.files.output import write_whole
from ..tools.files.text import MAX_BYTES, fold, read_data, unseen
from ..tools.runs.bundle import read_run
from ..tools.runs.event_file import first_fault
from ..tools.runs.folders import require_not_of_run
from .declare import Given
from .environment import runs_dir
from .method import MethodCommand
from .options.shared import FORCE, ONE_RUN, model
from .request import CommandInput, PlannedRuns
from .writable import require_file

M = TypeVar("M", bound=BaseModel)
HUMAN = "human:"
QUESTIONS, MOST_NAME = 30, 80
EPILOG = """Examples:
  fathom exam last -o exam.html
  fathom exam last --answers exam-1f0c9a7e-answers.json --name "Dr. Ruiz"
  fathom compare HUMAN_RUN REPLAY_RUN

Exit codes:
  0 written, or complete, 1 failed, 2 refused before any call,
  3 stopped by its budget, 130 interrupted
"""


class ExamAnswers(BaseModel):
    """What the page saves."""

    model_config = ConfigDict(extra="ignore")

    format: Literal["fathom-exam/1"]
    exam: str
    """Digest of its questions."""
    answers: Annotated[dict[str, Annotated[str, Field(max_length=20_000)]], Field(min_length=1)]
    """Place of a question in the drill → the answer, blank where none was given."""


class Exam(MethodCommand):
    """Without answers the page is written and nothing is asked."""

    def launch(self, values: Given) -> None:
        if values["answers"] is not None:
            MethodCommand.launch(self, values)
            return
        _write(values)


def _write(values: Given) -> None:
    """Write the page. Raises UsageError."""
    output = values["output"] or Path("exam.html")
    require_not_of_run(output)
    require_file(output, "--output", ".html", ".htm", force=bool(values["force"]))
    from .replay.request import answered

    _, drill = answered(read_run(values["run"], runs_dir(values["runs"])), "drill")
    questions = draw_questions(drill, values["questions"] or QUESTIONS)
    texts = {place_of(probe): probe.question.text for probe in questions if probe.question}
    title = f"{one_line(drill.spec.domain)}: {figures.count(len(texts), 'question')}"
    html = page(title, digest_of(questions), drill.run_id, texts)
    write_whole(output, html.encode(), "The exam")
    typer.echo(f"{title}: {output}", err=True)


def draw_questions(drill: DrillResult, number: int) -> list[Probe]:
    """So many questions, taken from the depths in turn, in the order of the drill."""
    probes = [*questions_of(drill)]
    shuffled = [*range(len(probes))]
    Random(f"0:{drill.run_id}:exam").shuffle(shuffled)
    chosen = in_turn([f"{probes[index].depth}" for index in shuffled], number)
    return [probes[index] for index in sorted(shuffled[position] for position in chosen)]


def ask(words: CommandInput) -> PlannedRuns:
    """The replay whose target is a person. Raises UsageError for answers that are not of this
    drill's exam, and for a person without a name."""
    from .replay.request import answered, planned_replays, require_trusted

    run, drill = answered(read_run(words["run"], words.runs), "drill")
    judge = drill.spec.judge
    if words["judge"] is not None:
        judge = one_model("--judge", words["judge"])
    else:
        require_trusted(run, judge)
    answers = read_saved(words["answers"], "answers that an exam page saved", ExamAnswers)
    questions = [probe for probe in questions_of(drill) if place_of(probe) in answers.answers]
    if len(questions) < len(answers.answers) or digest_of(questions) != answers.exam:
        raise UsageError(
            f"{words['answers']} holds answers to another exam than one of {drill.run_id}: name the "
            "run whose questions were answered."
        )
    spec = replay_spec(drill, f"{HUMAN}{_name(words['name'])}", judge, answers.answers)
    kept = {"questions": {spec.questions: questions}}
    return replace(planned_replays([(run, drill)], [spec]), kept=kept)


def read_saved(path: Path, holds: str, kind: type[M], most: int = MAX_BYTES) -> M:
    """What a page has saved. Raises UsageError for another file."""
    data = read_data(path, holds, most)
    try:
        return kind.model_validate_json(data.raw)
    except ValidationError as error:
        raise UsageError(
            f"The file {data.path} does not hold {holds}: {first_fault(error)}."
        ) from None


def _name(name: str | None) -> str:
    folded = fold(name or "")
    if not folded or len(folded) > MOST_NAME or unseen(folded) or "=" in folded:
        raise UsageError(
            f"--name says who answered, in at most {MOST_NAME} visible characters without =."
        )
    return folded


EXAM = Exam(
    "exam",
    ReplaySpec,
    ".exam:ask",
    """Write an exam for people from the questions of a drill; then take in their answers, judged like a model's.

The page works offline, shows one question at a time and saves the answers as a file; no reference stands in it. A \
question left blank counts as abstained.""",
    own=(
        ONE_RUN,
        Option(
            "--answers", "FILE", "Answers that the page saved: judge them.", OUTPUT, kind="file"
        ),
        Option(
            "--name",
            "NAME",
            "Who gave them, as results are to say it.",
        ),
        model("--judge", "Judge of the answers.", default="the drill's"),
        Option(
            "-n --questions",
            "N",
            "Questions, from all depths in turn.",
            type=int,
            least=5,
            most=200,
            default=f"{QUESTIONS}",
        ),
        Option(
            "--output -o",
            "FILE",
            "Page to write.",
            OUTPUT,
            kind="file",
            default="exam.html",
        ),
        FORCE,
    ),
    epilog=EPILOG,
)
