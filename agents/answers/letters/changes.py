"""Sentences of an answer that take back what it said before."""

import re
from collections.abc import Sequence

from .grammar import chosen_by
from .options import Options, folded

_ANSWER = (
    r"(?:it|this|that|(?:the|my) "
    r"(?:(?:correct|right|best|true|final|only|revised|corrected|new|actual) )*"
    r"(?:answers?(?: line)?|options?|choices?|letters?|selection))"
)
_AGAIN = (
    r"(?:wait|hold on|scratch that|strike that|(?:up)?on (?:\w+ "
    r")?(?:reflection|thoughts?|consideration|review"
    r"|inspection|re-?reading|checking)|after (?:\w+ "
    r")?(?:reflection|thought|consideration|review)|looking again"
    r"|correction|erratum|edit|actually|oops|hmm+|sorry|(?:my )?apologies|my mistake|i stand "
    r"corrected|i was wrong"
    r"|i take (?:that|it) back|i made a mistake|i should have said|i meant?(?: to say)?|i correct "
    r"myself"
    r"|i(?:'ve| have| will|'ll|'d| would)? (?:changed?|revised?|corrected?) (?:my "
    r"(?:mind|answer)|it|this|that)"
    r"|let me (?:correct|revise|change|update) (?:that|this|it|myself|my answer)"
    r"|i now (?:think|believe|see)|instead|rather|no(?=,))"
)
_TAKES_BACK = re.compile(
    rf"(?:^|(?<=[.!?:;,)(-]\s)|(?<=\())(?:(?:but|oh|ah|no|well|ok|okay|and)[\s,.!-]{{1,4}}){{0,2}}+(?:"
    rf"(?={_ANSWER} should (?:be|have "
    rf"been)\b)|{_AGAIN}(?!\w)(?:[\s,.!:;-]{{0,4}}+(?:{_AGAIN}|no)(?!\w)){{0,3}}"
    r"[\s,.!:;-]{0,4}+)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    rf"(?:(?:so|now|then|that|and) )*+(?:{_ANSWER}(?:'s| is| are| was| were| must be| should be| "
    r"should have been"
    r"| has to be| ought to be| would be| will be)(?: (?:actually|really|rather|indeed|in "
    r"fact|just))?"
    r"|i (?:now )?(?:(?:would|will|should|must) )?(?:choose|pick|select|say|mean|go (?:with|for))"
    r"|(?:make|change) (?:it|that|this)(?: to)?|answer|to)(?!\w)\s?[:,]?\s?",
    re.IGNORECASE,
)
_NAMES = re.compile(
    r"(?:the )?(?:options? |answers? |letters? |choices? )?[\"'(\[]*(?:[B-HJ-Z](?!['\w])|[AI] "
    r"(?:is|was|too|and|or)\b)"
    r"|.*\b(?:options?|answers?|letters?|choices?|reconsider|check) \(?[A-Z]\b"
    r"|.*\b(?:wrong|incorrect|mistaken?|not (?:right|correct)|no longer|start over)\b"
)
_HOLDS = re.compile(r"\b(?:is|are)\b")
_ALTERS = re.compile(r"\b(?:also|too|as well|should|belongs?|not|n't)\b")


def standing(lines: Sequence[str], options: Options) -> list[str]:
    """The lines from the last sentence on that takes back what was said before: what it says
    instead behind a label, or itself, where it leaves that open. All lines where there is none."""
    for index in range(len(lines) - 1, -1, -1):
        line, end = lines[index], len(lines[index])
        for opening in reversed(list(_TAKES_BACK.finditer(line))):
            rest, end = line[opening.end() : end].strip(), opening.start()
            says = _SAYS.match(rest)
            said = rest[says.end() :] if says else rest
            below = lines[index + 1 :][:1]
            if len(said) > 1 or (said.isupper() and not any(below)):
                found = chosen_by(said, options, "label")
                claims = says is None and _HOLDS.search(
                    said
                )  # "B is right" may say that it is so, too
                if found is not None and found.reading != "unreadable" and not claims:
                    return [f"Answer: {said}", *lines[index + 1 :]]
            elif says and line.endswith(":"):
                return ["Answer:", *lines[index + 1 :]]
            if (says or not opening[0].casefold().startswith("no,")) and _doubts(rest, options):
                return [rest, *lines[index + 1 :]]
    return list(lines)


def _doubts(said: str, options: Options) -> bool:
    """Whether a sentence names an option as one to be chosen or not, or says that something was
    wrong."""
    sentence = re.split(r"[.!?](?=\s|$)", said, maxsplit=1)[0]
    if _NAMES.match(sentence) is not None:
        return True
    words = folded(sentence)
    names_option = any(len(text) > 1 and text in words for text, _ in options.longest_first)
    return names_option and _ALTERS.search(sentence) is not None
