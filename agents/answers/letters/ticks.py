"""What an answer says of its selection beyond labels: boxes that are ticked, and sentences that take it back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .. import lines as forms
from .line import Options, begins, chosen_by, core

_TICKED, _CROSSED = "✓✔✅☑🗹", forms.CROSSES.replace("☒", "")
_BOX = rf"(?:\[ ?([xX{_TICKED}]?) ?\]|([{_TICKED}{_CROSSED}☒]))"
_BOXED = re.compile(rf"{_BOX}\s?(?=\S)")
_NEXT = re.compile(rf" (?=(?:\[ ?[xX{_TICKED}]? ?\]|[☐☑☒□◻⬜🗹]) ?[\"'(\[]*+[A-Za-z](?!\w))")
_MANY = 24
"""Options from which [X] may be a letter."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a list of options."""

    index: int
    place: int
    """The option; −1 where the line leaves it open, or calls its tick in doubt."""
    ticked: bool | None
    """None where it has neither tick nor box."""


def ticked(lines: Sequence[str], options: Options) -> list[str]:
    """The lines, with what a list ticks behind a label in place of the list. Of several such lists only the last, and
    that only where it has all options, or stands below a label: the others may be about something else."""
    parted = [part for line in lines for part in _NEXT.split(line)]
    if not any(_BOXED.match(line) or _behind(line) for line in parted):
        return list(lines)
    runs, run = list[list[_Entry]](), list[_Entry]()
    for index, line in enumerate(parted):
        entry = _entry(index, line, options)
        if entry:
            run.append(entry)
        elif line and run:
            runs.append(run)
            run = []
    marked = [run for run in [*runs, run] if any(entry.ticked is not None for entry in run)]
    if not marked or not _tells(last := marked[-1], parted):
        return list(lines)
    above = next((line for line in reversed(parted[: last[0].index]) if line), "")
    behind = forms.behind_label(above)
    if len(marked) > 1 and len(last) < options.count and (behind is None or behind.said):
        return list(lines)
    chosen = ", ".join(chr(65 + entry.place) for entry in last if entry.ticked)
    for entry in last:
        parted[entry.index] = ""
    parted[last[0].index] = f"Answer: {chosen}"
    return parted


def _tells(run: Sequence[_Entry], lines: Sequence[str]) -> bool:
    """Whether a list says what is chosen: each option once, some of them ticked, and not by a sign that may be a cross
    as well; a tick at a single line is none of a list unless it is in a box."""
    boxed = any(lines[entry.index].startswith("[") for entry in run)
    signs = {lines[entry.index][0] for entry in run}
    return (
        any(entry.ticked for entry in run)
        and all(entry.place >= 0 for entry in run)
        and len({entry.place for entry in run}) == len(run)
        and (len(run) > 1 or boxed)
        and ("☒" not in signs or not signs & set(_TICKED))
    )


def _entry(index: int, line: str, options: Options) -> _Entry | None:
    """The option that a line is about and its mark; None for a line about none."""
    box = _BOXED.match(line)
    if box and not (box[1] == "X" and options.count >= _MANY):
        sign = box[1] if box[2] is None else box[2]
        ticks, said = sign != "" and sign not in _CROSSED, line[box.end() :]
    elif _behind(line):
        ticks, said = line[-1] in _TICKED, line[:-1].rstrip(" :-")
    else:
        place = begins(line, options)
        return None if place is None else _Entry(index, place, None)
    said = said.rstrip(",; ")
    found = chosen_by(said, options, "label")
    if found is not None:
        return _Entry(index, min(found.places) if len(found.places) == 1 else -1, ticks)
    place = begins(said, options)
    if place is None:
        return _Entry(index, -1, ticks) if box else None
    text = core(said[1:].lstrip("\"')].:- ").casefold())
    others = [own for own, other in options.longest_first if other != place and text.startswith(own)]
    rest = text.removeprefix(options.own[place])
    doubtful = forms.DOUBT.search(rest) or (rest == text and others)
    return _Entry(index, -1 if ticks and doubtful else place, ticks)


def _behind(line: str) -> bool:
    """Whether a tick or a cross stands behind a line."""
    return line[-1:] in (*_TICKED, *_CROSSED)


_ANSWER = (
    r"(?:it|this|that|(?:the|my) (?:(?:correct|right|best|true|final|only|revised|corrected|new|actual) )*"
    r"(?:answers?(?: line)?|options?|choices?|letters?|selection))"
)
_AGAIN = (
    r"(?:wait|hold on|scratch that|strike that|(?:up)?on (?:\w+ )?(?:reflection|thoughts?|consideration|review"
    r"|inspection|re-?reading|checking)|after (?:\w+ )?(?:reflection|thought|consideration|review)|looking again"
    r"|correction|erratum|edit|actually|oops|sorry|(?:my )?apologies|my mistake|i stand corrected|i was wrong"
    r"|i take (?:that|it) back|i made a mistake|i should have said|i meant(?: to say)?|i correct myself"
    r"|i(?:'ve| have| will|'ll|'d| would)? (?:changed?|revised?|corrected?) (?:my (?:mind|answer)|it|this|that)"
    r"|let me (?:correct|revise|change|update) (?:that|this|it|myself|my answer)|i now (?:think|believe|see)|instead"
    r"|rather|no(?=,))"
)
_TAKES_BACK = re.compile(
    rf"(?:^|(?<=[.!?;:,)(-]\s)|(?<=\())(?:(?:but|hmm+|oh|ah|no|well|ok|okay|and)[\s,.!-]{{1,4}}){{0,2}}+(?:"
    rf"(?={_ANSWER} should (?:be|have been)\b)|{_AGAIN}(?!\w)(?:[\s,.!:;-]{{0,4}}+(?:{_AGAIN}|no)(?!\w)){{0,3}}"
    r"[\s,.!:;-]{0,4}+)",
    re.IGNORECASE,
)
_IS = (
    r"(?:'s| is| are| was| were| must be| should be| should have been| has to be| ought to be| would be| will be)"
    r"(?: (?:actually|really|rather|indeed|in fact|just))?"
)
_I_SAY = r"i (?:now )?(?:(?:would|will|should|must) )?(?:choose|pick|select|say|mean|go (?:with|for))"
_SAYS = re.compile(
    rf"(?:(?:so|now|then|that|and) )*+(?:{_ANSWER}{_IS}|{_I_SAY}|(?:make|change) (?:it|that|this)(?: to)?|answer|to)"
    r"(?!\w)\s?[:,]?\s?",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"(?:the )?(?:options? |answers? |letters? |choices? )?[\"'(\[]*(?:[B-HJ-Z](?!['\w])|[AI] (?:is|was|too|and|or)\b)"
    r"|.*\b(?:options?|answers?|letters?|choices?) \(?[A-Z]\b|.*\b(?:wrong|incorrect|mistaken?|not (?:right|correct))\b"
)


_HOLDS = re.compile(r"\b(?:is|are)\b")
_ENDED = re.compile(r"[.!?](?=\s|$)")
_ALTERS = re.compile(r"\b(?:also|too|as well|should|belongs?|not|n't)\b")


def standing(lines: Sequence[str], options: Options) -> list[str]:
    """The lines from the last sentence on that takes back what was said before: what it says instead behind a label, or
    itself, where it leaves that open. All lines where there is none."""
    for index in range(len(lines) - 1, -1, -1):
        line, end = lines[index], len(lines[index])
        for opening in reversed(list(_TAKES_BACK.finditer(line))):
            rest, end = line[opening.end() : end].strip(), opening.start()
            says = _SAYS.match(rest)
            said = rest[says.end() :] if says else rest
            below = lines[index + 1 :][:1]
            if len(said) > 1 or (said.isupper() and not any(below)):
                found = chosen_by(said, options, "label")
                claims = says is None and _HOLDS.search(said)  # "B is right" may say that it is so, too
                if found is not None and found.reading != "unreadable" and not claims:
                    return [f"Answer: {said}", *lines[index + 1 :]]
            elif says and line.endswith(":"):
                return ["Answer:", *lines[index + 1 :]]
            if (says or not opening[0].casefold().startswith("no,")) and _doubts(rest, options):
                return [rest, *lines[index + 1 :]]
    return list(lines)


def _doubts(said: str, options: Options) -> bool:
    """Whether a sentence names an option as one to be chosen or not, or says that something was wrong."""
    first = _ENDED.split(said, maxsplit=1)[0]
    named = any(len(text) > 1 and text in first.casefold() for text, _ in options.longest_first)
    return _DOUBTS.match(first) is not None or (named and _ALTERS.search(first) is not None)
