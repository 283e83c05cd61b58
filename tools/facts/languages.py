"""Codes of languages in three letters by the codes of wikis."""


def _codes(pairs: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in pairs.split())


LANGUAGES = _codes(
    """
    ar:ara bg:bul ca:cat cs:ces da:dan de:deu el:ell en:eng es:spa et:est eu:eus fa:fas fi:fin
    fr:fra he:heb hi:hin hr:hrv hu:hun id:ind it:ita ja:jpn ko:kor lt:lit lv:lav nb:nob nl:nld
    nn:nno no:nor pl:pol pt:por ro:ron ru:rus simple:eng sk:slk sl:slv sr:srp sv:swe th:tha
    tr:tur uk:ukr vi:vie zh:zho
    """
)
"""Codes of ISO 639-3, as archives state them."""
MEDLINE_LANGUAGES = LANGUAGES | _codes(
    "cs:cze de:ger el:gre fa:per fr:fre nb:nor nl:dut nn:nor ro:rum sk:slo zh:chi"
)
"""MEDLINE has the bibliographic codes of ISO 639-2."""
