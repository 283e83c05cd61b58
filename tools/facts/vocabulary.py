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

FINITE = _words(
    """is are was were has have had can could may might must shall should will would does do did cannot isn't aren't
    doesn't don't can't won't becomes remains ist sind war waren hat haben kann können wird werden est sont était peut
    peuvent es son era puede pueden è sono"""
)
"""Verbs that tell a sentence from a part of one."""

CONTINUES = (
    STARTERS
    | FINITE
    | _words(
        """and or but nor so yet then thus hence where which who whom whose than because unless until though whether
        what why how of into onto over under via per between among without about within again each every any no not be
        been being also only even just else otherwise etc e.g i.e eg ie now here there never always often usually
        und oder aber wobei wo wenn dass et ou mais où dont que qui y o pero donde e ed ma che"""
    )
)
"""Words that, in small letters, continue a sentence, and never begin one as a name does."""

ADVERBS = _words("now also always never only still then usually normally typically automatically currently generally")

DETERMINERS = _words(
    """the a an all any each every its their this these that those one two no some what which whether how only
    der die das ein eine le la les un une el los las una lo"""
)
"""Words that follow a verb more often than a noun."""

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


def _either(text: str) -> str:
    return f"(?:{'|'.join(text.split())})"


_PART = _either(
    """(?:sub)?sections? chapters? pages? documents? appendix appendices manuals? tutorials? guides? articles? books?
    lessons? how-?to"""
)
_SHOWN = _either("tables? lists? examples? figures? diagrams? listings? code topics? points? steps? paragraphs?")
_PLACE = _either("(?:sub)?sections? chapters? tables? appendix figures? part examples? listings?")
_NUMBER = r"[A-Z]?\d+(?:[.-]\d+)*"
_TELLS = _either(
    r"""explains? describes? covers? discuss(?:es)? provides? shows? lists? contains? presents? introduces?
    summari[sz]es? documents? details? outlines? gives? illustrates? demonstrates? defines? assumes? deals?
    focus(?:es)? examines? explores? walks? compares? enumerates? attempts? tries aims? will
    (?:is|are)\s(?:about|intended|meant|organi[sz]ed|divided) is\san?\s(?:introduction|overview|tutorial|guide|list)
    has\s(?:been\s)?(?:\w+\s)?examples?"""
)
_TOLD = _either(
    """described explained discussed documented covered listed shown summari[sz]ed detailed outlined illustrated given
    defined found"""
)
_DOES = r"(?:\w+ly |also |then |briefly )?"
_SEE = "(?:see|refer to|consult|take a look at|have a look at)"
ABOUT_THE_TEXT = (
    # This section explains …; the rest of this chapter …
    "(?:the (?:rest|remainder) of |most of )?"
    "(?:this|these|the (?:present|current|following|next|previous|preceding|remaining|above)|subsequent|later) "
    rf"(?:\w+ )?{_PART} {_DOES}{_TELLS}\b",
    rf"(?:in|throughout|(?:at|by) the end of) (?:this|the (?:following|next|previous)) (?:\w+ )?{_PART},? "
    r"(?:we|you|i|let's|readers)\b",
    rf"the \w+ (?:described|discussed|covered|listed|documented) in this {_PART}\b",
    # The following table lists …; Table 9.1 shows …; Here is an example …
    rf"(?:the (?:following|next|{_SHOWN} below)|below) (?:[\w-]+ ){{0,2}}{_SHOWN}? ?(?:below )?{_DOES}{_TELLS}\b",
    r"this (?:table|list|figure|diagram|example|image|picture|screenshot) "
    r"(?:lists|shows|summari[sz]es|illustrates|demonstrates)\b",
    rf"{_PLACE} {_NUMBER},? {_DOES}{_TELLS}\b",
    rf"(?:here|below|following|next) (?:is|are) (?:\w+ ){{0,4}}(?:{_SHOWN}|overview|summary|session|excerpt|script)\b",
    # See Section 9.2 …; For more information, see …; Details can be found in …
    r"(?:please |also |just )*see (?!of\b|how\b|that\b)|see[:,] |refer to |consult ",
    r"for (?:(?!;|\b(?:who|you|we|can|will|to|may|might|always|never|not) see\b).){1,160},? (?:please )?"
    rf"{_SEE} (?!whether\b|what\b|if\b|that\b)",
    r"(?:(?:some |much )?(?:more|further|additional|detailed|complete|full) (?:information|details?|examples?|"
    r"documentation)|details|examples) .{0,120}\b(?:available|provided|presented|see|"
    rf"{_TOLD}) (?:also )?(?:in|at|on|from|below|above|here|under|with)\b",
    # They are described in Section 9.2. They are used as described above.
    r"(?:(?!\b(?:which|that|and|but|because|if|when|while)\b|[,;]).){3,160} (?:is|are|was|were|be) "
    rf"(?:\w+ly |also |further |all |now |both ){{0,2}}{_TOLD} (?:\w+ly |further )?(?:(?:in|with) (?:\w+ )?detail )?"
    r"(?:below|above|later|elsewhere|(?:in|by|under|on) (?:the )?(?:(?:following|next|previous|preceding|same) )?"
    rf"{_PLACE}(?: {_NUMBER})?)[^,;]{{0,40}}\.$",
    r"[^,;]{3,100} (?:is|are|works?|behaves?|appl(?:y|ies)|used|interpreted|handled) (?:exactly |just |the same )?"
    rf"as (?:{_TOLD}|mentioned|noted) (?:above|below|later|earlier|previously|in {_PLACE} {_NUMBER})\.$",
    # We will see …; you will learn … in this tutorial
    r"(?:we|i)(?:['’]ll| will| shall) (?:now |next |also |first |then |later )*(?:see|show|discuss|describe|explain|"
    r"learn|look|cover|examine|explore|introduce|present|return|come back)\b",
    rf"you(?:['’]ll| will) (?:see|learn|find)\b.{{0,60}}\b(?:{_PART}|later|here|below)\b",
    r"later,? (?:on )?(?:we|you)(?:['’]ll| will)\b",
    # the same in German, French and Spanish
    r"(?:dieser?|dieses|(?:die|der|das) folgenden?|nachfolgende) (?:\w+ )?(?:abschnitt|kapitel|artikel|dokument|"
    r"handbuch|tabelle|seite|anleitung|liste|beispiel) "
    r"(?:beschreibt|erklärt|erläutert|behandelt|zeigt|enthält|listet|gibt|führt)\b",
    r"siehe |vgl\. |weitere (?:informationen|einzelheiten|details) .{0,100}\b(?:finden|siehe|in|unter)\b",
    r"(?:tabelle|abbildung|kapitel|abschnitt|tableau|chapitre|tabla|cuadro|figura|capítulo) \d+(?:\.\d+)* "
    r"(?:zeigt|beschreibt|enthält|listet|montre|décrit|présente|muestra|describe|presenta)\b",
    r"(?:cette (?:section|page|partie)|ce (?:chapitre|document|tutoriel|guide)|cet article) (?:décrit|explique|"
    r"présente|traite|montre|contient|fournit)\b",
    r"voir (?:aussi|la section|le chapitre|ci-dessous|ci-dessus)|pour (?:plus|davantage) d['’e]",
    r"(?:esta (?:sección|página|guía)|este (?:capítulo|documento|artículo|tutorial|manual)) (?:describe|explica|"
    r"presenta|trata|muestra|contiene|proporciona)\b",
    r"véase\b|vea |para (?:obtener )?más (?:información|detalles)\b",
)
"""How a sentence begins, in any case, that is about the text it stands in and not about the text's subject."""
