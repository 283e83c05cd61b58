"""Text that speaks to whoever reads it in place of telling them something: found so that it can be pointed out.

The guard against such text is that it stands in a block (`agents.blocks`) and that the prompts say what a block is.
This is only a lamp beside it: it knows a few phrases in seven languages, misses whatever is put more cleverly, and
lights up on a sound text about such phrases. Therefore no passage is passed over and no answer is marked by it; it
marks them for the reader, and a question whose own quote is such a phrase is rejected, with the reason, before it is
asked.
"""

import re
import unicodedata

_OBEYED = r"(?:instructions?|prompts?|rules|guidelines|directions|commands|orders|reference(?: answer)?|context)"
_MODEL = r"(?:AI|LLM|language model|assistant|chatbot|marker|grader|judge|examiner|evaluator|question[- ]writer)"
_PHRASES = (
    rf"\b(?:ignore|disregard|forget|override|overrule)\b(?: [\w']+){{0,5}} {_OBEYED}\b",
    r"\b(?:mark|grade|score|rate|judge|accept|count|treat|consider)\b(?: [\w']+){0,4} (?:as|is) "
    r"(?:fully |entirely )?(?:correct|right|true|wrong|incorrect|false)\b",
    rf"\b(?:you are|act as|pretend to be)(?: now)? (?:an? |the )?(?:[\w-]+ )?{_MODEL}\b",
    rf"\b(?:note|message|instructions?|attention|reminder)(?: to| for|,)? (?:the |any |all )?{_MODEL}s?\b",
    r"\b(?:new|updated|real) (?:instructions?|task) ?:|\bsystem prompt\b|(?:^|[\n.>] ?)(?:system|developer) ?:",
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?INST\]|<<SYS>>|<(?:start|end)_of_turn>",
    r"[\"'](?:asserts_reference|asserts_incompatible|abstained|self_contained|answerable)[\"'] ?:",
    r"\bignorier\w*\b(?: \w+){0,5} (?:Anweisung|Anleitung|Vorgabe|Referenz)\w*",
    r"\bignore[zrs]?\b(?: [\w']+){0,5} (?:consignes?|instructions?|référence)\b",
    r"\bignor(?:a|ar|e|en|ad)\b(?: \w+){0,5} (?:instrucciones|indicaciones|referencia)\b",
    r"\bигнориру\w+(?: \w+){0,5} (?:инструкц|указан|эталон)\w*",
    r"(?:忽略|无视|無視)[^。]{0,12}(?:指令|指示|说明|說明|要求|参考答案)|(?:指示|命令|指令)[^。]{0,8}無視",
)
_ADDRESSED = re.compile("|".join(_PHRASES), re.IGNORECASE)
_LETTERS_OF_TAGS = re.compile("[\U000e0020-\U000e007e]{4,}")
_LONGEST = 120


def addressed(text: str) -> str | None:
    """The first phrase of the text that speaks to a model or a marker, at most 120 characters of it; None for none.

    Read as a model reads it: signs of the same look are one, invisible signs are not there, and letters hidden in
    Unicode's tag characters count as such a phrase, whatever they say.
    """
    hidden = _LETTERS_OF_TAGS.search(text)
    if hidden:
        return "".join(chr(ord(sign) - 0xE0000) for sign in hidden[0])[:_LONGEST]
    found = _ADDRESSED.search(_as_read(text))
    return found[0].strip(" \n.>")[:_LONGEST] if found else None


def _as_read(text: str) -> str:
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", text)
        text = "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")
    return re.sub(r"[^\S\n]+", " ", text)
