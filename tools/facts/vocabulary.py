"""Word lists for reading prose in several languages: abbreviations, function words, headings. Data only."""


def _entries(text: str) -> frozenset[str]:
    return frozenset(entry.strip() for entry in text.split("|"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ALWAYS_GOES_ON = _words(
    """dr mr mrs ms prof rev hon gen col capt lt sgt sen rep gov pres st mt ft messrs mme mlle mgr
    e.g i.e eg ie cf vs viz approx ca c esp incl resp z.b d.h u.a v.a i.d.r o.ä sog ggf evtl hrsg bzw
    p.ej v.gr av apr s.a b.v a.k.a sra srta dott ing avv тыс млн млрд т.е т.к т.н гг им напр"""
)
"""Abbreviations that never end a sentence."""

GOES_ON_BEFORE_NUMBER = _words(
    """no nos nr nrs num núm p pp vol vols ch chap sec sect fig figs eq eqs tab art arts para ver bd s abb kap
    bk pt ser iss op ref refs ed eds г стр рис табл том"""
)
"""Abbreviations only in front of a number: `No. 5`."""

MAY_END = _words(
    """etc al inc ltd co corp jr sr bros dept univ est dist max min sp spp subsp var ph.d m.d b.sc m.sc a.m p.m b.c a.d
    u.s u.k u.n e.u d.c jan feb mar apr jun jul aug sep sept oct nov dec usw u.s.w др пр"""
)
"""Abbreviations that end a sentence when a starter follows."""

STARTERS = _words(
    """the a an it its he she they we this that these those in on at by for from with as after before when while if
    although however there his her their our some many most one two another other such since during both all
    der die das ein eine er sie es im in am bei nach seit dies diese dieser le la les un une il elle ils elles ce
    cette ces dans en el los las una ella ellos este esta estos lo gli i uno nel nella o os as um uma ele ela no na"""
)
"""Words that, with a capital, begin a sentence more often than they continue a name."""

ORDINAL_DOT = _words("de da no nb nn fi cs sk hu pl sl hr sr bs et lv is tr")
"""Languages that write an ordinal as a number and a full stop: `am 3. Oktober`."""

STOPWORDS = _words(
    """a an the of in on at by for to from and or with as is are its
    der die das des dem den ein eine und von im zu le la les l un une des du de d et en au aux
    el los las del y lo il gli della di e o os as do da dos das em i na van het een"""
)
"""Words that say nothing about what a text is about."""

BOILERPLATE_SIGNS = _words(
    """stub expanding refer coordinates article section retrieved archived isbn issn doi pmid rights © copyright cookie
    policy terms subscribe sign log click enable share more wikipedia help artikel ébauche voce artículo заготовка
    小作品"""
)
"""Parts of words, one of which is in whatever boilerplate is looked for: a quick test before the slow one."""

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

NO_PROSE_HEADINGS = _entries(
    """see also | references | external links | further reading | notes | footnotes | notes and references |
    bibliography | sources | citations | cited sources | works cited | general references | gallery |
    literature cited | references and notes | acknowledgements | acknowledgments | author contributions |
    conflict of interest | competing interests | funding | related articles | siehe auch | einzelnachweise |
    weblinks | literatur | quellen | anmerkungen | belege | fußnoten | voir aussi | références |
    liens externes | bibliographie | notes et références | articles connexes | lien externe | véase también |
    referencias | enlaces externos | bibliografía | notas | notas y referencias | note | bibliografia |
    voci correlate | altri progetti | collegamenti esterni | ver também | referências | ligações externas |
    notas e referências | zie ook | externe links | bronnen, noten en/of referenties | см. также | примечания |
    литература | ссылки | источники | 参见 | 参看 | 參見 | 参考文献 | 參考文獻 | 参考资料 | 外部链接 | 外部連結 |
    注释 | 脚注 | 関連項目 | 外部リンク |
    出典 | انظر أيضا | انظر أيضًا | مراجع | المراجع | وصلات خارجية | روابط خارجية"""
)
"""Sections that hold lists, not prose about the subject."""
