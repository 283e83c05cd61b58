"""`fathom report RUN…`: runs as one document to send on."""

import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import typer

from ..graphs.method import METHODS, title_of
from ..reports.document import html, markdown, sheet
from ..reports.document.about import how_measured, provenance
from ..reports.document.report import Report, Run, RunPage, Section
from ..reports.document.sheet import browser
from ..reports.page import figures
from ..reports.page.blocks import Block, Line, Text
from ..reports.page.figures import short_id
from ..reports.page.palette import one_colour_per_model
from ..reports.page.sanitise import model_name, one_line
from ..reports.page.view import PageOptions
from ..reports.rows import answers_table, rows_of
from ..reports.views.profile import profile_blocks
from ..state.decision import Policy
from ..state.errors import RunFailed, UsageError
from ..state.option import OUTPUT, Option
from ..state.worlds import label_of
from ..tools.files.output import write_whole
from ..tools.files.text import STDIN
from .comparison import ranking, ranking_blocks
from .decision import POLICY_OPTIONS, decide_runs, policy_of, require_decided
from .declare import Command, Given
from .environment import runs_dir
from .finished import FinishedRun, run_or_fault_in, with_result
from .options.shared import FORCE, RUNS, SEVERAL_RUNS
from .paths import read_steps
from .print_results import run_blocks
from .profile import profile_of
from .run_names import named_folders, stated_rule
from .sheet import sections_of
from .show_options import pictures_of
from .writable import require_file

WORST = 10
"""Wrong answers that stand on the page of a run."""
FORMS = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".pdf": "pdf"}
"""End of a file's name → what is written."""
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


def _report(values: Given) -> None:
    sentence = write_report(values)
    if sentence:
        typer.echo(sentence, err=True)


def write_report(values: Given) -> str:
    """Write what the options ask for; a sentence on the file, none where it went to stdout. Raises
    UsageError."""
    form, path = _form(values)
    names, folder = values["run"], runs_dir(values["runs"])
    runs = [run_or_fault_in(path) for path in named_folders(names, folder)]
    policy = policy_of(values, stated_rule(names, folder))
    page = io.StringIO()
    with one_colour_per_model(
        one_line(label_of(run.result.spec.target)) for run in runs if run.result is not None
    ):
        if values["sheet"]:
            write_sheet = sheet.write_markdown if form == "md" else sheet.write
            write_sheet(*_sheet(runs, policy, values["title"]), page)
        else:
            write_pages = markdown.write if form == "md" else html.write
            write_pages(_document(runs, values["title"], policy), page)
    if path == STDIN:
        sys.stdout.write(page.getvalue())
        sys.stdout.flush()
        return ""
    if form == "pdf":
        sheet.print_pdf(page.getvalue(), path)
    else:
        write_whole(path, page.getvalue().encode(), "The report")
    return f"{'Sheet' if values['sheet'] else figures.count(len(runs), 'run')}: {path}"


def _form(values: Given) -> tuple[str, Path]:
    """What is to be written, by --format or the file's name, and where to. Raises UsageError."""
    output: Path | None = values["output"]
    form = values["format"] or FORMS.get(output.suffix.casefold() if output else "", "html")
    if form not in FORMS.values():
        raise UsageError(f"--format knows html, md and pdf, not {form!r}.")
    path = output or Path(f"{'sheet' if values['sheet'] else 'report'}.{form}")
    if form == "pdf":
        if not values["sheet"] or path == STDIN:
            raise UsageError("A PDF is made of a sheet, into a file: --sheet -o sheet.pdf.")
        browser()
    if path != STDIN:
        require_file(path, "-o", *FORMS, force=bool(values["force"]))
    return form, path


# what stands in it


def _sheet(
    runs: Sequence[FinishedRun], policy: Policy, title: str | None
) -> "tuple[str, str, list[Section]]":
    """Title, when it was made, and parts of the decision on one page. Raises UsageError where there
    is none to make."""
    sections = [*sections_of(require_decided(runs, policy), runs)]
    domains = dict.fromkeys(filter(None, map(_domain, runs)))
    created = f"{datetime.now(UTC):%Y-%m-%d} · measured with Fathom"
    return title or ", ".join(domains) or "Fathom", created, sections


def _domain(run: FinishedRun) -> str:
    domain = run.result.spec.domain if run.result else run.spec.get("domain", "")
    return one_line(str(domain))


def _document(runs: Sequence[FinishedRun], title: str | None, policy: Policy) -> "Report":
    entries = [*zip(map(_listed, runs, _ids(runs)), runs, strict=True)]
    places = [*dict.fromkeys(listed.about for listed, _ in entries)]
    entries.sort(key=lambda entry: places.index(entry[0].about))
    domains = [*dict.fromkeys(listed.domain for listed, _ in entries)]
    more = " and more" if len(domains) > 3 else ""
    results = [run.result for _, run in entries if run.result is not None]
    about = [
        Section("How it was measured", how_measured(results, METHODS)),
        Section("Provenance", provenance(results)),
    ]
    return Report(
        title or f"Fathom: {', '.join(domains[:3])}{more}",
        f"Created {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        [*_sections([run for _, run in entries], policy)],
        about if results else [],
        [listed for listed, _ in entries],
        rows_of("runs", results),
        (_page(run, listed) for listed, run in entries),
    )


def _ids(runs: Sequence[FinishedRun]) -> list[str]:
    """Short ids as an address and a page can hold them, each once."""
    ids: list[str] = []
    for run in runs:
        name = re.sub(r"[^\w-]+", "-", short_id(run.run_id), flags=re.ASCII) or "run"
        ids.append(f"{name}-{len(ids)}" if name in ids else name)
    return ids


def _listed(run: FinishedRun, name: str) -> "Run":
    result = run.result
    if result is None:
        headline, simulated = (
            f"no result ({one_line(run.ending)})",
            run.fragment.get("simulated"),
        )
    else:
        headline, simulated = METHODS[result.method].page.headline(result), result.simulated
    return Run(
        name,
        run.method or "unknown",
        _domain(run),
        model_name(str(run.spec.get("target") or run.spec.get("evaluator", ""))),
        headline,
        simulated=bool(simulated),
        failed=result is None,
    )


def _sections(runs: Sequence[FinishedRun], policy: Policy) -> "Iterator[Section]":
    """Which model to take; who is ahead, method by method; the profile of several methods."""
    methods = with_result(runs)
    compared: list[Section] = []
    for method, finished_runs in methods.items():
        title = title_of(method)
        of_method = [run for run in runs if run.method == method]
        decided = decide_runs(of_method, policy)
        if decided is not None:
            first, *rest = sections_of(decided, of_method, drawn=False)
            blocks = [*first.blocks]
            for section in rest:
                blocks += [Text([], section.title), *section.blocks]
            lead = f"{title}: " if len(methods) > 1 else ""
            yield Section(f"{lead}{first.title}", blocks)
        if len(finished_runs) > 1:
            blocks = _compared(method, of_method, finished_runs)
            pictures = [*pictures_of(finished_runs)]
            compared.append(Section(f"{title}: the models compared", blocks, pictures))
    yield from compared
    if len(methods) > 1:
        document = profile_of([run for run in runs if run.result is not None])
        if document.profiles:
            yield Section("All methods together", profile_blocks(document, title_of))


def _compared(
    method: str, runs: Sequence[FinishedRun], finished_runs: Sequence[FinishedRun]
) -> "list[Block]":
    """Who is ahead, then what several results of the method amount to besides."""
    order, compare = ranking(runs), METHODS[method].page.compare
    blocks: list[Block] = []
    if order is not None:
        blocks += ranking_blocks(order, finished_runs)
    if compare is not None:
        blocks += compare([run.result for run in finished_runs])
    return blocks


def _page(run: FinishedRun, listed: "Run") -> "RunPage":
    """All of one run; where its journal cannot be read, the reason stands on it."""
    assert run.folder is not None
    steps, scene = None, None
    faults: list[Block] = []
    try:
        steps, scene, _ = read_steps(run)
    except (UsageError, RunFailed) as error:
        why = str(error).replace(f"{run.folder}{os.sep}", "")
        faults = [Text([Line(f"The questions and answers cannot be shown: {why}", "error")])]
    whole = run_blocks(run, PageOptions(cases=WORST))
    if run.result is None:
        try:
            blocks = [*whole]
        except RunFailed:
            blocks = [Text([Line(f"{listed.headline}.", "error")])]
        return RunPage(listed, blocks, (), None, steps, scene, [])
    blocks_and_faults = chain(whole, faults)
    rows = answers_table(run.rows)
    return RunPage(
        listed, blocks_and_faults, pictures_of([run]), run.result, steps, scene, rows
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
        Option(
            "--title",
            "TEXT",
            "Its title.",
            OUTPUT,
            default="the domains",
        ),
        SHEET,
        *POLICY_OPTIONS,
        FORCE,
        RUNS,
    ),
    EPILOG,
)
