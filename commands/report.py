"""`fathom report RUN…`: runs as one document to send on."""

import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..graphs.method import METHODS, title_of
from ..state.decision import Policy
from ..state.errors import RunFailed, UsageError
from ..state.option import OUTPUT, Option
from ..tools.files.text import STDIN
from .decision import POLICY_OPTIONS, decide_runs, policy_of
from .declare import Command, Given
from .ended import FinishedRun, answers_of, listed_in
from .environment import runs_dir
from .options.shared import FORCE, RUNS, SEVERAL_RUNS
from .run_names import decide_block_of, named_folders
from .writable import require_file

if TYPE_CHECKING:
    from ..reports.document.report import Report, Run, RunPage, Section
    from ..reports.page.blocks import Block
    from ..reports.page.chart.picture import Picture
    from ..state.comparison import Comparison

BUNDLE = "report takes run folders: name the run it was frozen from"
WORST = 10
"""Wrong answers that stand on the page of a run."""
ENDS = {
    "html": (".html", ".htm"),
    "md": (".md", ".markdown"),
    "pdf": (".pdf",),
}
EPILOG = """Examples:
  fathom report last -o report.html
  fathom report LAUNCH RUN RUN -o report.html
  fathom report LAUNCH --format md -o -
  fathom report study.yaml --sheet -o sheet.pdf

An address in the page leads to a run, a step, a filter:
report.html#3b471695/d04.s07?mark=wrong

Exit codes:
  0 done, 1 a run or the file failed, 2 refused (no such run)
"""


def _report(given: Given) -> None:
    from ..reports.page.console import stderr_console

    told = write_report(given)
    if told:
        stderr_console().print(told, soft_wrap=True, markup=False, highlight=False)


def write_report(given: Given) -> str:
    """Write what the options ask for; a sentence on the file, none where it went to stdout. Raises
    UsageError, and RunFailed where the file cannot be written."""
    form, place = _form(given)
    if place != STDIN:
        require_file(place, "-o", *_ends(given, form), force=bool(given["force"]))
    folders = named_folders(given["run"], runs_dir(given["runs"]), BUNDLE)
    from ..reports.page import figures
    from ..reports.page.palette import one_colour_per_model
    from ..reports.page.sanitise import one_line
    from ..state.worlds import label_of

    runs = [listed_in(folder) for folder in folders]
    results = [run.result for run in runs if run.result is not None]
    policy = policy_of(given, decide_block_of(given["run"], runs_dir(given["runs"])))
    with one_colour_per_model(one_line(label_of(result.spec.target)) for result in results):
        if given["sheet"]:
            _sheet(runs, policy, given["title"], form, place)
            return f"Sheet: {place}" if place != STDIN else ""
        report = _made(runs, given["title"], policy)
        if place == STDIN:
            _write(report, form, sys.stdout)
            return ""
        _save(lambda file: _write(report, form, file), place)
    return f"{figures.count(len(report.runs), 'run')} in {place}"


def _ends(given: Given, form: str) -> list[str]:
    """How the name of the file may end."""
    forms = [form] if given["format"] else ENDS if given["sheet"] else ("html", "md")
    return [end for each in forms for end in ENDS[each]]


def _form(given: Given) -> tuple[str, Path]:
    """What is to be written, by --format or the file's name, and where to. Raises UsageError."""
    place: Path | None = given["output"]
    name = "sheet" if given["sheet"] else "report"
    by_name = next(
        (form for form, ends in ENDS.items() if place and place.suffix.casefold() in ends), "html"
    )
    form = given["format"] or by_name
    if form not in ENDS:
        raise UsageError(f"--format knows {', '.join(ENDS)}, not {form!r}.")
    place = place or Path(f"{name}{ENDS[form][0]}")
    if form == "pdf":
        if not given["sheet"] or place == STDIN:
            raise UsageError("A PDF is made of a sheet, into a file: --sheet -o sheet.pdf.")
        from ..reports.document.sheet import browser

        browser()
    return form, place


def _write(report: "Report", form: str, file: IO[str]) -> None:
    from ..reports.document import html, markdown

    (html if form == "html" else markdown).write(report, file)
    file.flush()


def _save(write: "Callable[[IO[str]], None]", place: Path) -> None:
    """Write the file, whole or not at all. Raises RunFailed when that cannot be."""
    try:
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with open(handle, "w", encoding="utf-8", newline="\n") as file:
                write(file)
            os.chmod(name, 0o644)
            os.replace(name, place)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise RunFailed(
            f"The report {place} cannot be written ({error.strerror or error})."
        ) from error


# what stands in it


def _sheet(
    runs: Sequence[FinishedRun], policy: Policy, title: str | None, form: str, place: Path
) -> None:
    """Write the decision on one page. Raises UsageError where there is none to make."""
    from ..reports.document import sheet
    from .decision import require_decided
    from .sheet import sections_of

    decided = require_decided(runs, policy)
    held = [*sections_of(decided, runs)]
    named = title or ", ".join(dict.fromkeys(map(_about, runs))) or "Fathom"
    made = f"{datetime.now(UTC):%Y-%m-%d} · measured with Fathom"
    writer = sheet.write_markdown if form == "md" else sheet.write
    if place == STDIN:
        writer(named, made, held, sys.stdout)
        sys.stdout.flush()
        return
    if form == "pdf":
        page = io.StringIO()
        writer(named, made, held, page)
        sheet.print_pdf(page.getvalue(), place)
    else:
        _save(lambda file: writer(named, made, held, file), place)


def _about(run: FinishedRun) -> str:
    from ..reports.page.sanitise import one_line

    spec = run.result.spec if run.result is not None else None
    return one_line(str(getattr(spec, "domain", "") or run.fragment.get("domain", "")))


def _made(runs: Sequence[FinishedRun], title: str | None, policy: Policy) -> "Report":
    from ..reports.document.about import about
    from ..reports.document.report import Report, Section
    from ..reports.rows import rows_of

    now = datetime.now(UTC)
    given = [_listed(run, name) for run, name in zip(runs, _ids(runs), strict=True)]
    places = [*dict.fromkeys(run.about for run in given)]
    ordered = sorted(range(len(runs)), key=lambda at: places.index(given[at].about))
    runs = [runs[at] for at in ordered]
    listed = [given[at] for at in ordered]
    domains = [*dict.fromkeys(each.domain for each in listed)]
    more = " and more" if len(domains) > 3 else ""
    named = title or f"Fathom: {', '.join(domains[:3])}{more}"
    pages = (_page(run, each) for run, each in zip(runs, listed, strict=True))
    results = [run.result for run in runs if run.result is not None]
    rows = rows_of("runs", results)
    parts = about(results, METHODS) if results else ()
    how = [Section(heading, told) for heading, told in parts]
    created = f"Created {now:%Y-%m-%d %H:%M} UTC"
    sections = [*_sections(runs, policy)]
    return Report(named, created, sections, how, listed, rows, pages)


def _ids(runs: Sequence[FinishedRun]) -> list[str]:
    """Short ids as an address and a page can hold them, each once."""
    from ..reports.page.figures import short_id

    found: dict[str, None] = {}
    for run in runs:
        name = re.sub(r"[^\w-]+", "-", short_id(run.run_id), flags=re.ASCII) or "run"
        several = (f"{name}-{number}" for number in count(2))
        found[next(each for each in chain([name], several) if each not in found)] = None
    return [*found]


def _listed(run: FinishedRun, name: str) -> "Run":
    from ..reports.document.report import Run
    from ..reports.page import figures
    from ..reports.page.sanitise import model_name, one_line

    result, spec = run.result, run.fragment.get("spec") or {}
    held: Mapping[str, Any] = result.spec.model_dump() if result is not None else spec
    model = model_name(str(held.get("target") or held.get("evaluator", "")))
    if result is not None:
        domain = getattr(result.spec, "domain", "")
        headline = METHODS[result.method].page.headline(result)
        simulated = result.simulated
    else:
        ends = [str(run.fragment.get(name) or "") for name in ("status", "error")]
        status = one_line(figures.joined(ends, ": "))
        domain = held.get("domain", "")
        headline = f"no result ({status})"
        simulated = bool(run.fragment.get("simulated"))
    return Run(
        name,
        run.method or "unknown",
        one_line(str(domain)),
        model,
        headline,
        simulated,
        result is None,
    )


def _sections(runs: Sequence[FinishedRun], policy: Policy) -> "Iterator[Section]":
    """Which model to take; who is ahead, method by method; the profile of several methods."""
    from ..reports.document.report import Section
    from .comparison import ranking

    done = [run for run in runs if run.result is not None]
    results = [run.result for run in done if run.result is not None]
    methods = dict.fromkeys(str(result.method) for result in results)
    of_methods = {method: [run for run in done if run.method == method] for method in methods}
    by_method = {method: own for method, own in of_methods.items() if len(own) > 1}
    for method in of_methods:
        lead = f"{title_of(method)}: " if len(of_methods) > 1 else ""
        yield from _opening([run for run in runs if run.method == method], policy, lead)
    for method, own in by_method.items():
        decided = ranking([run for run in runs if run.method == method])
        yield Section(
            f"{title_of(method)}: the models compared", *_side_by_side(method, own, decided)
        )
    if len(of_methods) > 1:
        yield from _profile(done)


def _opening(runs: Sequence[FinishedRun], policy: Policy, lead: str) -> "Iterator[Section]":
    """The sheet as the beginning of the report, without what the report shows itself. `lead`:
    before its title."""
    from ..reports.document.report import Section
    from ..reports.page.blocks import Text
    from .sheet import sections_of

    decided = decide_runs(runs, policy)
    if decided is None:
        return
    first, *rest = sections_of(decided, runs, drawn=False)
    blocks = [*first.blocks]
    ranked = ("Models", "The figures behind it") if len(decided.runs) > 1 else ()
    for section in rest:
        if section.title not in ranked:
            blocks += [Text([], section.title), *section.blocks]
    yield Section(f"{lead}{first.title}", blocks)


def _side_by_side(
    method: str, runs: Sequence[FinishedRun], decided: "Comparison | None"
) -> "tuple[Sequence[Block], Sequence[Picture]]":
    """Who is ahead, then what several results of the method amount to besides."""
    from .comparison import ranking_blocks

    view, results = METHODS[method].page, [run.result for run in runs]
    blocks = [*ranking_blocks(decided, runs)] if decided is not None else []
    blocks += view.compare(results, None) if view.compare is not None else ()
    pictures = view.pictures(results, None) if view.pictures is not None else ()
    return blocks, [*pictures]


def _profile(runs: Sequence[FinishedRun]) -> "Iterator[Section]":
    from ..reports.document.report import Section
    from ..reports.views.profile import profile_blocks
    from .profile import profile_of

    document = profile_of(runs)
    if document.profiles:
        yield Section("All methods together", profile_blocks(document, title_of))


def _page(run: FinishedRun, listed: "Run") -> "RunPage":
    from ..reports.document.report import RunPage
    from ..reports.page.view import PageOptions, page
    from ..reports.rows import answers_table

    assert run.folder is not None
    result, (steps, scene, lost) = run.result, _steps(run.folder)
    if result is None:
        return RunPage(listed, _fragment(run.folder, listed), (), None, steps, scene, [])
    draw = METHODS[result.method].page.pictures
    pictures = draw([result], None) if draw is not None else ()
    blocks = chain(page(METHODS[result.method].page, result, PageOptions(cases=WORST)), lost)
    return RunPage(listed, blocks, pictures, result, steps, scene, answers_table(answers_of(run)))


def _fragment(folder: Path, listed: "Run") -> "list[Block]":
    """What there is of a run without a result."""
    from ..reports.page.blocks import Line, Text
    from .fragment import fragment_blocks

    try:
        return [*fragment_blocks(folder, 120, kept=False)]
    except RunFailed:
        return [Text([Line(f"{listed.headline}.", "error")])]


def _steps(folder: Path) -> "tuple[Any, Any, list[Block]]":
    """The run's steps and what belongs to them; where they cannot be read none, and the reason."""
    from ..reports.page.blocks import Line, Text
    from .paths import read_steps

    try:
        return *read_steps(folder)[:2], []
    except (UsageError, RunFailed) as error:
        why = str(error).replace(f"{folder}{os.sep}", "")
        return (
            None,
            None,
            [Text([Line(f"The questions and answers cannot be shown: {why}", "error")])],
        )


SHEET = Option(
    "--sheet", "", "Write one page for a decision: HTML, Markdown, or PDF by Chromium.", OUTPUT
)
REPORT = Command(
    _report,
    """Write a report to share: an HTML page that opens from disk and loads nothing, or Markdown.

The page has who is ahead and how sure that is, all pictures, each run with its figures, and its questions and answers \
step by step: passage with its link, question, answer, verdict and reason, calls; filters, two runs side by side, JSON \
and CSV. The run folders stay as they are; nothing is asked.""",
    (
        SEVERAL_RUNS,
        Option(
            "-o --output",
            "FILE",
            "File to write; - for stdout.",
            OUTPUT,
            kind="file",
            type=Path,
            default="report.html",
        ),
        Option(
            "--format",
            "FORM",
            "html, md, or (of a sheet) pdf.",
            OUTPUT,
            default="by the file's name",
        ),
        Option("--title", "TEXT", "Its title.", OUTPUT, default="the domains"),
        SHEET,
        *POLICY_OPTIONS,
        FORCE,
        RUNS,
    ),
    EPILOG,
)
