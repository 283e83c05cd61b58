"""Transformed benchmarks as files: problems, and what was written from them and has passed every
check."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import orjson
from pydantic import BeforeValidator, Field

from ... import __version__
from ...state.deepquestion.result import DeepQuestionResult
from ...state.errors import UsageError
from ...state.problems import LOADS, Load, Problem, ProblemSet, Transformed
from ...state.worlds import is_simulated
from .output import write_whole
from .problems import FORMAT, has_texts, name_of, require_texts, sample_of, usable, visible
from .rows import Id, Row, Text, Visible, checked, ids_of, rows_of
from .table import read_table
from .text import Data, read_data

HOLDS = "problems with their scenarios and instructions"
MAX_OWN = 256_000_000
"""Bytes of a file of texts, which may be larger than any other table."""


def _scenarios(value: object) -> object:
    """Those that are there; other tools fill in null for those that are not."""
    if not isinstance(value, dict):
        return value
    return {
        name: text for name, text in value.items() if text is not None and str(text).strip()
    }


class TransformedRow(Row):
    format: Literal["fathom-deepquestion/1"] | None = None
    benchmark: Visible | None = None
    made: dict[str, Visible] = Field(default_factory=dict)
    id: Id
    question: Text = ""
    answer: Text = ""
    options: tuple[Text, ...] = ()
    solution: Text = ""
    domain: Text = ""
    scenarios: Annotated[dict[Load, Text], BeforeValidator(_scenarios)] = Field(
        default_factory=dict
    )
    instruction: Text = ""


def write_transformed(
    path: Path,
    problems: ProblemSet,
    transformed: Sequence[Transformed],
    made: Mapping[str, str],
) -> int:
    """All problems as JSON lines, which `read_transformed` reads back, and
    `datasets.load_dataset("json")`, too; the number of those with any text.

    Every line is a problem; there is no line before them, which would be a row to other tools.
    Format, name of the benchmark and `made` (how the texts came about) stand on each. A
    problem without scenarios and instruction is one whose texts did not pass.

    Raises UsageError when the file cannot be written.
    """
    texts = {text.problem: text for text in transformed if text.scenarios or text.instruction}
    head = {
        "format": FORMAT,
        "benchmark": visible(problems.name),
        "made": dict(made),
    }
    content = b""
    for problem in problems.problems:
        written = texts.get(problem.id) or Transformed(problem=problem.id)
        # a load without a scenario is null: other tools take the members of an object from its
        # first line
        scenarios = {load: written.scenarios.get(load) for load in LOADS}
        line = {**head, **problem.model_dump(mode="json")}
        line |= {"scenarios": scenarios, "instruction": written.instruction}
        content += orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
    write_whole(path, content, "The texts")
    return len(texts)


def is_transformed(data: Data) -> bool:
    """Whether it holds texts of an earlier run, as written or as another tool wrote them again."""
    return has_texts(read_table(data, HOLDS, inner="data"))


def read_transformed(
    path: Path | Data, *, limit: int | None = None, seed: int = 42
) -> ProblemSet:
    """The problems of a file that `write_transformed` wrote (`-`: the standard input), with the
    texts that there are; also of one that another tool wrote again (JSON, Parquet). A notice says
    who wrote the texts, in which run, and whether in the simulated world. `limit`: see `sample_of`.

    Raises UsageError, with the row, for what cannot be read, a plain benchmark, another version of
    the format, rows of more than one file, a missing or broken field, one id for two rows, an
    answer that is none of the options, a load that is unknown, scenarios at some loads only, and a
    file without any text.
    """
    data = path if isinstance(path, Data) else read_data(path, HOLDS, MAX_OWN)
    raw = read_table(data, HOLDS, inner="data")
    if not has_texts(raw):
        raise UsageError(
            f"The file {data.path} holds no texts that `fathom deepquestion -o` wrote: a benchmark "
            "is given as BENCHMARK, without --from."
        )
    rows = rows_of(raw, TransformedRow)
    first = rows[0]
    problems, transformed = list[Problem](), list[Transformed]()
    ids_of(rows)
    for row in rows:
        source = row.format, row.benchmark, row.made
        if source != (first.format, first.benchmark, first.made):
            raise UsageError(
                f"{first.place} and {row.place} come from two files (benchmark or made "
                "differ): give one of them."
            )
        fields = row.model_dump(include=set(Problem.model_fields))
        problems.append(usable(checked(Problem, fields, row.place), row.place))
        if row.scenarios or row.instruction:
            texts = {"scenarios": row.scenarios, "instruction": row.instruction}
            transformed.append(Transformed(problem=row.id, **texts))
    loaded = ProblemSet(
        name=name_of(data.path) if first.benchmark is None else first.benchmark,
        problems=tuple(problems),
        transformed=tuple(transformed),
        made=first.made,
        notices=tuple(_origin(first.made)),
    )
    require_texts(loaded, f"The rows of {data.path}")
    return sample_of(loaded, limit, seed, data.path)


def _origin(made: Mapping[str, str]) -> Iterator[str]:
    """Who wrote the texts, as far as the file says so."""
    ways = (("generator", "written by"), ("evaluator", "checked by"), ("run", "in the run"))
    origin = ", ".join(f"{way} {made[name][:120]}" for name, way in ways if made.get(name))
    makers = (made.get("generator", ""), made.get("evaluator", ""))
    if made.get("simulated") == "yes" or any(is_simulated(maker) for maker in makers):
        yield "The texts are of the simulated world."
    if origin:
        yield f"Of the texts: {origin}."


def texts_made(result: DeepQuestionResult, problems: ProblemSet) -> dict[str, str]:
    """How the texts came about: by whom and in which run, the seed, how many problems were drawn,
    and of each kind's prompt where it is from, and its best score."""
    spec = result.spec
    about = {
        "generator": spec.generator,
        "evaluator": spec.evaluator,
        "run": result.run_id,
        "version": __version__,
        "simulated": "yes" if result.simulated else "no",
        "seed": str(spec.seed),
        "language": spec.language,
    }
    about |= {"drawn": problems.made["drawn"]} if "drawn" in problems.made else {}
    for history in result.prompts:
        about[f"{history.kind}_prompt"] = history.source
        if history.score is not None:
            about[f"{history.kind}_score"] = str(history.score)
    return about
