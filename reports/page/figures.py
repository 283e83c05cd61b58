"""Numbers as the screen writes them: shares, intervals, money and time."""

from collections.abc import Callable, Sequence

from ...state.result import Interval

UNKNOWN = "unknown"
NONE = "–"
"""Stands where there is no number."""
MARKS = {
    "correct": "✓",
    "wrong": "✗",
    "abstained": "∅",
    "unscored": "?",
}

STOPS = {
    "max_depth": "the depth limit was reached",
    "evidence_exhausted": "the evidence ran out",
    "no_source": "the next tier has no fact source",
    "all_asked": "every question was asked",
    "no_questions": "no usable question was written",
    "budget": "the budget was reached",
}


def stop_words(reason: str, threshold: float | None, unit: str = "probe") -> str:
    """A stop reason as prose; one without words of its own is returned as it is. `unit`: what a run
    consists of."""
    if reason == "threshold":
        return "survival fell below " + (
            f"{threshold * 100:g}%" if threshold is not None else "the threshold"
        )
    if reason == "infrastructure":
        return f"too many {unit}s failed"
    return STOPS.get(reason, reason)


def evd(value: float | None, *, censored: bool) -> str:
    """An Expected Valid Depth as `4.62`, as `≥4.62` when the drill was censored, as `–` when there
    is none."""
    return f"{'≥' if censored and value is not None else ''}{number(value)}"


def number(
    value: float | None, digits: int = 2, *, signed: bool = False, short: bool = False
) -> str:
    """A number with so many decimals and the minus sign −, never before a zero; a dash where there
    is none. `signed`: with a plus too, `+0.31`. `short`: without the zero before the point, `.92`.
    """
    if value is None:
        return NONE
    rounded = round(value, digits) + 0.0
    digits_text = f"{rounded:{'+' if signed else ''}.{digits}f}".replace("-", "−")
    return digits_text.replace("0.", ".", 1) if short and abs(rounded) < 1 else digits_text


def ends(interval: Interval | None, write: Callable[[float], str]) -> str:
    """An interval as `63–90`, or `−1 to +11` where an end has a sign; a dash where there is
    none."""
    if interval is None:
        return NONE
    low, high = (write(end) for end in interval)
    return f"{low} to {high}" if {low[0], high[0]} & {"+", "−"} else f"{low}–{high}"


def percent(share: float | None) -> str:
    """A share in 0 … 1 as `80%`; a tenth below one per cent, so that a rare success does not read
    as none."""
    if share is not None and 0 < share < 0.01:
        return percent_fine(share)
    return NONE if share is None else f"{whole(share)}%"


def percent_fine(share: float) -> str:
    """A share with one decimal, for survival: whether it fell below the threshold must be
    readable."""
    return f"{share * 100:.1f}%"


def whole(share: float | None) -> str:
    """A share in whole per cent without the sign."""
    return number(None if share is None else share * 100, 0)


def span(interval: Interval | None) -> str:
    """An interval of depths or mean scores as `3.10–6.89`."""
    return ends(interval, number)


def score(value: float | None) -> str:
    """A score in 0 … 1 as `.92`, the whole as `1.00`."""
    return number(value, short=True)


def gap(value: float | None) -> str:
    """A discrepancy as `.083`, a negative gap as `−.120`."""
    return number(value, 3, short=True)


def points(share: float | None) -> str:
    """A difference of shares in percentage points, as `+15` or `−3`, and `0` without a sign."""
    return number(None if share is None else share * 100, 0, signed=True).replace("+0", "0")


def points_span(interval: Interval | None) -> str:
    """The interval of a difference as `+8 to +22`."""
    return ends(interval, points)


def difference(value: float | None) -> str:
    """A difference of EVDs or mean scores as `+0.31` or `−0.05`."""
    return number(value, signed=True)


def p_value(p: float | None) -> str:
    """A p-value as `.031`, `1.000` or `< .001`."""
    return "< .001" if p is not None and p < 0.001 else number(p, 3, short=True)


def money(usd: float | None) -> str:
    """An amount in US dollars; `unknown` when a price is unknown, never 0 in its place."""
    if usd is None:
        return UNKNOWN
    if usd == 0:
        return "USD 0"
    return f"USD {usd:.4f}" if usd < 0.1 else f"USD {usd:,.2f}"


def duration(seconds: float) -> str:
    """Seconds as `0.8 s`, `12 s`, `1 min 2 s` or `1 h 2 min`."""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, left = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {left} s"
    return f"{minutes // 60} h {minutes % 60} min"


def roughly(seconds: float) -> str:
    """A time that is only guessed: `40 s`, `12 min`, `3 h 20 min`, `2 days`."""
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        hours, rest = divmod(minutes if minutes < 600 else 60 * round(minutes / 60), 60)
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{round(minutes / 1440)} days"


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 call`, `1,200 calls`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def short_id(run_id: str) -> str:
    """The last part of a run's id, which tells runs apart: `1a2b3c4d`."""
    return run_id.rpartition("-")[2]


def place(probe_id: str) -> str:
    """A probe's id within its run: `d03.s07.r0`."""
    return probe_id.rpartition("/")[2]


def stages(unscored: dict[str, int]) -> str:
    """Unscored counts by stage: `facts 2, judge 1`; an empty text when there are none."""
    return ", ".join(f"{stage} {n}" for stage, n in sorted(unscored.items()) if n)


def joined(parts: Sequence[str], sign: str = " · ") -> str:
    """The parts that are not empty, joined."""
    return sign.join(part for part in parts if part)
