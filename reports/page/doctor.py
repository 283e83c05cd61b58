"""The doctor's findings, one line each."""

from collections.abc import Iterable, Sequence

from ...tools.doctor.finding import Finding
from .sanitise import one_line

_SIGNS = {"ok": "✓", "warning": "!", "failure": "✗"}


def lines(findings: Iterable[Finding]) -> list[str]:
    """A sign, what was looked at, what was found, and what to do."""
    return [_line(found) for found in findings]


def _line(found: Finding) -> str:
    advice = f" → {found.advice}" if found.advice else ""
    said = found.said.rstrip(".")
    what = said if said.startswith(found.subject) else f"{found.subject}: {said}"
    return one_line(f"{_SIGNS[found.level]} {what}{advice}")


def verdict(findings: Sequence[Finding]) -> str:
    """One sentence over all findings."""
    failures = sum(found.level == "failure" for found in findings)
    if not failures:
        return "All checks passed."
    return f"{failures} {'problem' if failures == 1 else 'problems'} must be fixed before a run."
