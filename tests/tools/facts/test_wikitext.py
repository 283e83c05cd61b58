"""Wikitext read as plain text: what prose says, and a mark for what only the wiki could write
out."""

import pytest

from fathom.tools.facts.mediawiki import plain
from fathom.tools.facts.passages import LACKS, passages

READ = {
    "links": (
        "An [[atom]] of [[Gold (element)|gold]] [[w:en:x|here]].",
        "An atom of gold here.",
    ),
    "a title with a colon": (
        "See [[Mission: Impossible]] again.",
        "See Mission: Impossible again.",
    ),
    "bold and italics": ("'''''Gold''''' is ''soft'', isn't it.", "Gold is soft, isn't it."),
    "footnotes": (
        'Old.<ref name="a/b">{{cite book|title=T}}</ref> New.<ref name=c /> End.',
        "Old. New. End.",
    ),
    "footnotes by template": (
        "Old.{{sfn|Smith|1900}} New{{citation needed|date=May 2020}} too.",
        "Old. New too.",
    ),
    "a footnote of a wiki that we do not know": (
        "Old.{{fotnot|Smith}} New.{{fotnot}}",
        "Old. New.",
    ),
    "remarks": ("Gold<!-- not\nsilver --> is heavy.", "Gold is heavy."),
    "pictures": ("[[File:A.jpg|thumb|A [[ring]] of gold]]Gold is heavy.", "Gold is heavy."),
    "pictures of other languages": (
        "[[Datei:A.svg|mini|Ring]]\nGold ist schwer.",
        "\nGold ist schwer.",
    ),
    "addresses": (
        "See [https://example.org/a the list] or [//example.org].",
        "See the list or .",
    ),
    "raised signs": (
        "10<sup>5</sup> atoms of H<sub>2</sub>O, the 2<sup>nd</sup>.",
        f"10⁵ atoms of H2O, the 2{LACKS}.",
    ),
    "entities": ("5&nbsp;kg &lt; 7&amp;nbsp;", "5\xa0kg < 7&nbsp;"),
    "items of a list": ("* gold\n** silver\n# first\n; term", "gold\nsilver\nfirst\nterm"),
    "headings": (
        "== Use ==\n{{main|Use of gold}}\n=== ''Old'' use ===\nText.",
        "== Use ==\n\n=== Old use ===\nText.",
    ),
    "tables": (
        'Before.\n{| class="x"\n! A\n|-\n| {{b|c}}\n{|\n| inner\n|}\n|}\nAfter.',
        "Before.\n\nAfter.",
    ),
    "templates in templates": (
        "{{Infobox\n| a = {{b|{{c}}}}\n| formula = {x}\n}}\nGold.",
        "\nGold.",
    ),
    "what only the wiki can write": (
        "It weighs {{val|5|u=kg}} or {{convert|5|to|8|kg}} or <math>x</math>.",
        f"It weighs {LACKS} or {LACKS} or {LACKS}.",
    ),
    "what is only set in another type": (
        "{{lang|la|Aurum}} is {{chem2|AuCl}}, {{convert|5|km|mi}} or {{cvt|2.5|kg}} of it.",
        "Aurum is AuCl, 5 km or 2.5 kg of it.",
    ),
    "brackets around it": ("Gold ({{IPA|x}}, [[Latin]]: aurum) is heavy.", "Gold is heavy."),
    "pages of another kind": ("Gold.\n[[Category:Metals]]\n[[de:Gold]]", "Gold.\n"),
    "a page of another kind in the midst": ("It is [[Re:Zero]] here.", f"It is {LACKS} here."),
    "what is left open": ("Gold {{is heavy. <ref>And", f"Gold {LACKS}is heavy. {LACKS}And"),
}


@pytest.mark.parametrize(("wikitext", "text"), READ.values(), ids=READ)
def test_wikitext_is_read_as_its_readers_see_it(wikitext: str, text: str) -> None:
    assert plain(wikitext) == text


def test_a_sentence_that_lacks_something_is_no_evidence_and_those_around_it_are() -> None:
    text = plain(
        "Gold was found by the river in 1848. It weighed {{val|5|u=kg}} when it was found by "
        "him. "
        "The news of it came to the city within a month.{{note|x}}"
    )
    assert [passage.text for passage in passages(text)] == [
        "Gold was found by the river in 1848.",
        "The news of it came to the city within a month.",
    ]


@pytest.mark.parametrize(
    "sign",
    ["{{", "}}", "{|", "[[", "]]", "<ref>", "<!--", "(", "{{a|", "''", "<sup>", "=", "\n{|"],
)
def test_a_hostile_page_is_read_in_no_time(sign: str) -> None:
    assert isinstance(plain(f"Gold {sign * 20_000} is heavy."), str)
