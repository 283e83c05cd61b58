"""How people name a thing, and how a page or heading on it is called: the forms that both have."""

import re
from collections.abc import Iterator

from ...state.text import normalise

_ASIDE = re.compile(r"\s+\((?P<sense>[^()]*)\)\s*$")
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)", re.IGNORECASE)
NUMBER = r"\d+[a-z]?(?:[.-]\d+)*"
_LABEL = re.compile(
    rf"(?P<label>[^\W\d_]+\.?\s+(?:{NUMBER}|(?-i:[IVXLCDM]+|[A-Z](?:\.\d+)*(?=\.)))"
    rf"|(?:§+|art(?:icle|ikel)?\.?|chapter|guideline|rule|section)\s*{NUMBER}(?=\s+\S))"
    r"(?:\s*[.:)–—-]+\s+|\s+)(?=\S)",
    re.IGNORECASE,
)
"""One word and a number, and then what it is about: "Article 14. Equality before the law"."""
_STOPPED = re.compile(r"[.:)–—-]\s+$|^(?:§|art|chapter|guideline|rule|section)", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"(?:\(?\d{1,3}[a-z]?[.:)]|(?:\d{1,3}|[A-Z])(?:\.\d+)+[.:)]?)\s+(?=\S)")
_MANUAL_PAGE = re.compile(r"\(\d\w{0,2}\)(?: manual page)?$", re.IGNORECASE)
# each begins with a sign, so that what lies between is passed over fast
_POSSESSIVE = re.compile(r"'(?:(?<=\w')s\b|(?<=s')(?!\w))")
_ISE = re.compile(r"is(?<=\w{3}is)(?=(?:e|ed|es|ing|ations?)\b)")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff])")
_PLURALS = (
    ("ies", "y", 5),
    ("ves", "f fe", 5),
    ("ses", "s se", 5),
    ("xes", "x xe", 4),
    ("ches", "ch che", 5),
    ("shes", "sh", 5),
    ("oes", "o oe", 5),
)
"""Ends of English plurals, with those of the singular, and the fewest letters of such a word."""


def bare(concept: str) -> str:
    """A concept or title without what stands in brackets behind it: "commit" for "commit (Git)"."""
    return _ASIDE.sub("", concept) or concept


def parenthesised(concept: str) -> str:
    """What stands in brackets behind a concept or title: "Git" of "commit (Git)"; empty where
    nothing does."""
    match = _ASIDE.search(concept)
    return match["sense"] if match and match.start() else ""


def split_number(title: str) -> tuple[str, str]:
    """A title's number with the word before it, and the rest: ("Article 14", "Equality before the
    law"), ("", "Overview") for "43.1. Overview"."""
    label = _LABEL.match(title)
    if label and _STOPPED.search(label.group()):
        return label["label"], title[label.end() :]
    number = _BARE_NUMBER.match(title)
    return "", title[number.end() :] if number else title


def unnumbered(heading: str) -> str:
    """A heading without its number: "Overview" for "43.1. Overview", "Glossary" for "Appendix M.
    Glossary"."""
    return split_number(heading)[1]


def title_forms(concept: str) -> list[str]:
    """Titles that a page on the concept may have, those most like it first: as it is written,
    without brackets, number or article, with its last word in the singular, in small letters but
    for the first, without a possessive's s, and without hyphens."""
    spelling = " ".join(concept.replace("_", " ").replace("’", "'").split())
    plain = bare(spelling)
    forms = [spelling, plain, _ARTICLE.sub("", unnumbered(plain))]
    for change in (_singulars, _sentence_case, _without_possessive, _without_hyphens):
        forms += [changed for form in filter(None, forms[1:]) for changed in change(form)]
    return list(dict.fromkeys(form for form in forms if form))


def heading_forms(title: str) -> list[str]:
    """What a page or section with this title may be called: all of it, without number or section of
    the manual, its number alone, each side of a dash; each as `title_forms` has it."""
    label, rest = split_number(title)
    names = [title, label, *_MANUAL_PAGE.sub("", rest).split(" — ", 1)]
    return list(dict.fromkeys(form for name in names if name for form in title_forms(name)))


def title_is_concept(title: str, concept: str) -> bool:
    """Whether a page with this title is the page on the concept: "Mercury (element)" for "mercury",
    "Alkali metal" for "the alkali metals"; not "Iron ore" for "iron". Of two with brackets, those
    must agree."""
    sense, wanted = parenthesised(title), parenthesised(concept)
    if sense and wanted and not set(fold(wanted).split()) <= set(fold(sense).split()):
        return False
    titles = {fold(form) for form in heading_forms(title)}
    return not titles.isdisjoint(map(fold, title_forms(concept)))


def fold(text: str) -> str:
    """The words of a text as they are matched, in small letters, without any other sign."""
    return " ".join(_WORD.findall(respell(text)))


def respell(text: str) -> str:
    """A text in one spelling for matching: without possessive s and with -ize for -ise, and signs
    apart where words are not spaced."""
    plain = _ISE.sub("iz", _POSSESSIVE.sub("", normalise(text)))
    return plain if plain.isascii() else _UNSPACED.sub(r" \1 ", plain)


def _singulars(title: str) -> Iterator[str]:
    word = title.rsplit(maxsplit=1)[-1]
    for ending, singulars, least in _PLURALS:
        if len(word) >= least and word.endswith(ending):
            yield from (title.removesuffix(ending) + singular for singular in singulars.split())
            return
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        yield title[:-1]


def _sentence_case(title: str) -> Iterator[str]:
    first, *others = title.split(" ")
    if others:  # a word with another capital, DNA or pH, is a name
        yield " ".join([first, *map(_small, others)])


def _small(word: str) -> str:
    return word.lower() if len(word) > 1 and word.isalpha() and word.istitle() else word


def _without_possessive(title: str) -> Iterator[str]:
    yield _POSSESSIVE.sub("", title)


def _without_hyphens(title: str) -> Iterator[str]:
    yield title.replace("-", " ")
