"""Transformed benchmarks as files: problems, and what was written from them and has passed every check."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ....state.deepquestion.items import LOADS, Load, Problem, ProblemSet, Transformed
from ....state.errors import UsageError
from ....state.worlds import is_simulated
from ..output import write_whole
from ..table import row as cells
from ..table.json_rows import lines_table
from ..table.read import MAX_BYTES, MAX_ROWS, Data, Row, Shape, Table, table_of
from ..table.row import kind, listed
from ..text import quoted, read_bytes, shown, some_of, unseen
from .limits import FAMILY, FORMAT, MAX_NAME, MAX_TEXT, drawn, name_of
from .options import MAX_OPTIONS

_HOLDS = "problems with their scenarios and instructions"
_HEAD = ("format", "benchmark", "made")
_COLUMNS = (*_HEAD, "id", "question", "answer", "options", "solution", "domain", "scenarios", "instruction")
MAX_OWN = 256_000_000
"""Bytes of a file as it was written; of one that another tool wrote, those of any table."""
_CHUNK = 16_000_000
_NOT_LONG = ("solution", "domain")
"""Fields of any length: nobody is asked them."""
_OWN = re.compile(rb'\s*\{\s*"format"\s*:\s*"' + FAMILY.encode())


class Written(NamedTuple):
    texts: int
    """How many problems have any."""
    notices: tuple[str, ...]
    """What was left out, and why."""


def write_transformed(
    path: Path, problems: ProblemSet, transformed: Sequence[Transformed], made: Mapping[str, str]
) -> Written:
    """All problems as JSON lines, which `read_transformed` reads back, and `datasets.load_dataset("json")`, too.

    Every line is a problem; there is no line before them, which would be a row to other tools. Format, name of the
    benchmark and `made` (how the texts came about) stand on each. So do all fields that any problem has; fields that
    are empty throughout are left out. A problem without scenarios and instruction is one whose texts did not pass.

    Texts that are longer than `read_transformed` takes are left out. Raises UsageError when the file cannot be written
    or no text is left, ValueError for a text of an unknown problem.
    """
    kept = [short for each in transformed if (short := _short_enough(each)).scenarios or short.instruction]
    long = [each.problem for each in transformed if each != _short_enough(each)]
    notices = _too_long(long)
    if long and not kept:
        raise UsageError(f"No text can be written to {path}. {' '.join(notices)}")
    given = {each.problem: each for each in transformed}
    if unknown := given.keys() - {problem.id for problem in problems.problems}:
        raise ValueError(f"texts of problems that are not there: {', '.join(sorted(unknown))}")
    head = {"format": FORMAT, "benchmark": _visible(problems.name), "made": dict(made)}
    loads = [load for load in LOADS if any(load in each.scenarios for each in kept)]
    given = {each.problem: each for each in kept}
    lines = [head | _line(problem, given.get(problem.id), loads) for problem in problems.problems]
    empty = {name for name in lines[0] if not any(line[name] for line in lines)} - {"benchmark"}
    told = [{name: value for name, value in line.items() if name not in empty} for line in lines]
    data = b"".join(orjson.dumps(line) + b"\n" for line in told)
    write_whole(path, data, "The texts")
    large = f"The file {path} is larger than 256 MB, which --from does not read: take fewer problems, with --limit."
    return Written(len(kept), (*notices, *([large] if len(data) > MAX_OWN else [])))


def _short_enough(texts: Transformed) -> Transformed:
    """All scenarios of a problem, or none, so that all loads have the same problems."""
    fits = all(len(text) <= MAX_TEXT for text in texts.scenarios.values())
    instruction = texts.instruction if len(texts.instruction) <= MAX_TEXT else ""
    return Transformed(problem=texts.problem, scenarios=texts.scenarios if fits else {}, instruction=instruction)


def _too_long(ids: Sequence[str]) -> tuple[str, ...]:
    if not ids:
        return ()
    whose = f"{len(ids):,} problem{'s' if len(ids) > 1 else ''} ({some_of(ids)})"
    return (f"Texts of {whose} are left out: --from takes at most {MAX_TEXT:,} characters.",)


def _visible(name: str) -> str:
    return "".join(sign for sign in name if not unseen(sign))[:MAX_NAME]


def _line(problem: Problem, given: Transformed | None, loads: Sequence[Load]) -> dict[str, Any]:
    """A load without a scenario is null: other tools take the members of an object from its first line."""
    written = given or Transformed(problem=problem.id)
    return problem.model_dump(mode="json") | {
        "scenarios": {load: written.scenarios.get(load) for load in loads},
        "instruction": written.instruction,
    }


def read_own(path: Path, holds: str = _HOLDS) -> Data:
    """A file that may hold texts, up to 256 MB where it is as it was written. Raises UsageError as `read_data` does."""
    raw = read_bytes(path, holds, MAX_OWN)
    if len(raw) > MAX_BYTES:
        size = "32 MB" if not _OWN.match(raw) else "256 MB" if len(raw) > MAX_OWN else ""
        if size:
            raise UsageError(f"The file {shown(path)} is larger than {size}: split it, or name another one.")
    if not raw.removeprefix(b"\xef\xbb\xbf").strip():
        raise UsageError(f"The file {shown(path)} is empty: name one that holds {holds}.")
    return Data(shown(path), raw, holds)


def _own_lines(data: Data) -> Table:
    """Some lines at a time: the whole file as one text would take several times its size."""
    rows, start, before = list[Row](), 0, 0
    while start < len(data.raw) and len(rows) <= MAX_ROWS:
        end = data.raw.find(b"\n", start + _CHUNK) + 1 or len(data.raw)
        chunk = data.raw[start:end]
        # blank lines are none, and keep the numbers of those behind them
        text = data._replace(raw=b"\n" * before + chunk).text
        rows += lines_table(text, data.path, MAX_ROWS).rows
        start, before = end, before + chunk.count(b"\n")
    if len(rows) > MAX_ROWS:
        raise UsageError(f"The file {data.path} has more than {MAX_ROWS:,} rows of {data.holds}: split it.")
    return Table(tuple(rows))


def read_transformed(path: Path | Data, *, limit: int | None = None, seed: int = 42) -> ProblemSet:
    """The problems of a file that `write_transformed` wrote (`-`: the standard input), with the texts that there are;
    also of one that another tool wrote again (JSON, Parquet, CSV with JSON in its cells). A notice says who wrote the
    texts, in which run, and whether in the simulated world. `limit`: see `drawn`.

    Raises UsageError, with the row, for what cannot be read, a plain benchmark, another version of the format, rows of
    more than one file, a missing or broken field, one id for two rows, an answer that is none of the options, a load
    that is unknown, scenarios at some loads only, and a file without any text.
    """
    data = path if isinstance(path, Data) else read_own(path)
    own = _OWN.match(data.raw)  # whatever the file is called; of a single line, too
    table = _own_lines(data) if own else table_of(data, _COLUMNS, Shape())
    name, made = _about(table, data.path)
    problems, transformed, places = list[Problem](), list[Transformed](), dict[str, str]()
    for row in table.rows:
        problem = _problem(row)
        if problem.id in places:
            raise UsageError(f"{places[problem.id]} and {row.place} have the same id, {problem.id}: keep one of them.")
        places[problem.id] = row.place
        problems.append(problem)
        texts = Transformed(problem=problem.id, scenarios=_scenarios(row), instruction=_text(row, "instruction"))
        transformed += [texts] if texts.scenarios or texts.instruction else []
    _require_texts(transformed, places, data.path)
    found = ProblemSet(
        name=name,
        problems=tuple(problems),
        transformed=tuple(transformed),
        made=made,
        notices=(*_origin(made), *_left_aside(table, data.path)),
    )
    return drawn(found, limit, seed, data.path)


def _about(table: Table, path: Path) -> tuple[str, dict[str, str]]:
    """The benchmark's name and how the texts were made, which every row says alike."""
    heads = [
        (row, [_object(row, name) if name == "made" else row.cells.get(name) for name in _HEAD]) for row in table.rows
    ]
    first, head = heads[0]
    if not any(str(told[0]).startswith(FAMILY) for _, told in heads):
        raise UsageError(
            f"The file {path} is no file of texts that `fathom deepquestion -o` wrote (its rows do not name the format"
            f" {FORMAT}): a benchmark is given as BENCHMARK, without --from."
        )
    for row, told in heads:
        if told[0] != FORMAT:
            raise UsageError(
                f"{row.place} has the format {quoted(str(told[0]))}: this version of Fathom reads {FORMAT}."
            )
        if told != head:
            raise UsageError(
                f"{first.place} and {row.place} come from two files (benchmark or made differ): give one of them."
            )
    made = _object(first, "made")
    if not all(isinstance(value, str) and not unseen(key + value) for key, value in made.items()):
        raise UsageError(f"{first.place} has an entry 'made' that is no object of visible texts: take it out.")
    name = cells.text(first, first.place, "benchmark")
    if name is not None and (len(name) > MAX_NAME or unseen(name)):
        raise UsageError(f"The name in {path} must be a text of at most {MAX_NAME} signs that can be seen.")
    return name_of(path) if name is None else name, {key: str(value) for key, value in made.items()}


def _problem(row: Row) -> Problem:
    id_ = cells.id_of(row, "id")
    question, answer, options = _text(row, "question"), _text(row, "answer"), _options(row)
    for what, said in (("question", question), ("answer", answer)):
        if not said.strip():
            raise UsageError(f"{row.place} has no {what}: export the texts again.")
    if options and answer not in [chr(65 + at) for at in range(len(options))]:
        raise UsageError(
            f"{row.place} has the answer {quoted(answer)} and {len(options)} options: it must be the letter of one."
        )
    return Problem(
        id=id_,
        question=question,
        answer=answer,
        options=options,
        solution=_text(row, "solution"),
        domain=_text(row, "domain"),
    )


def _text(row: Row, name: str) -> str:
    said = cells.text(row, row.place, name) or ""
    if len(said) > MAX_TEXT and name not in _NOT_LONG:
        raise UsageError(f"{row.place} has {len(said):,} characters as its {name}: use at most {MAX_TEXT:,}.")
    return said


def _options(row: Row) -> tuple[str, ...]:
    value = listed(row.cells.get("options"))
    if value is None or value in ([], ""):
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise UsageError(f"{row.place} has {kind(value)} as its options: they must be a list of texts.")
    if not 2 <= len(value) <= MAX_OPTIONS or len(set(value)) < len(value):
        raise UsageError(f"{row.place} must have 2 to {MAX_OPTIONS} options, each another one: export the texts again.")
    return tuple(cells.text(Row(row.place, {"options": one}), row.place, "options") or "" for one in value)


def _scenarios(row: Row) -> dict[Load, str]:
    """The scenarios that are there, loads ascending; other tools fill in null for those that are not."""
    found = {name: value for name, value in _object(row, "scenarios").items() if value not in (None, "")}
    if unknown := [name for name in found if name not in LOADS]:
        raise UsageError(f"{row.place} has scenarios for {some_of(unknown)}: there are {', '.join(LOADS)}.")
    named = Row(row.place, {f"scenario {load}": value for load, value in found.items()})
    return {load: said for load in LOADS if load in found and (said := _text(named, f"scenario {load}")).strip()}


def _object(row: Row, name: str) -> dict[str, object]:
    """An object, or the JSON of one; empty where there is none."""
    value = row.cells.get(name)
    if isinstance(value, str):
        try:
            value = orjson.loads(value) if value.strip() else None
        except orjson.JSONDecodeError:
            value = row.cells[name]
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UsageError(f"{row.place} has {kind(value)} as its {name}: it must be an object, as in {{…}}.")
    return value


def _require_texts(transformed: Sequence[Transformed], places: Mapping[str, str], path: Path) -> None:
    if not transformed:
        raise UsageError(f"The file {path} has neither a scenario nor an instruction: there is nothing to ask.")
    written = [each for each in transformed if each.scenarios]
    for each in written:
        if each.scenarios.keys() != written[0].scenarios.keys():
            one, other = (", ".join(text.scenarios) for text in (written[0], each))
            raise UsageError(
                f"{places[written[0].problem]} has scenarios for {one}, and {places[each.problem]} for {other}: every "
                "problem has them for the same loads, or none."
            )


def _origin(made: Mapping[str, str]) -> Iterator[str]:
    """Who wrote the texts, as far as the file says so."""
    ways = (("generator", "written by"), ("evaluator", "checked by"), ("run", "run"))
    told = ", ".join(f"{way} {_brief(made[name])}" for name, way in ways if made.get(name))
    makers = (made.get("generator", ""), made.get("evaluator", ""))
    if made.get("simulated") == "yes" or any(is_simulated(maker) for maker in makers):
        yield f"The texts are of the simulated world{f': {told}' if told else ''}."
    elif told:
        yield f"The texts were {told}." if not told.startswith("run") else f"The texts are of {told}."


def _brief(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"


def _left_aside(table: Table, path: Path) -> Iterator[str]:
    unknown = [name for name in table.columns() if name not in _COLUMNS]
    if unknown:
        yield f"What {path} holds as {some_of(unknown)} is left aside."
