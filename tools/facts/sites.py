"""Sites that searches prefer or leave out."""


def _listed(hosts: str) -> tuple[str, ...]:
    return tuple(hosts.split())


PREPRINT_HOSTS = _listed(
    """
arxiv.org biorxiv.org medrxiv.org chemrxiv.org preprints.org ssrn.com osf.io psyarxiv.com researchsquare.com
techrxiv.org essoar.org eartharxiv.org engrxiv.org authorea.com zenodo.org
"""
)

PROFESSIONAL_HOSTS = _listed(
    """
who.int iso.org iec.ch itu.int iaea.org fao.org oecd.org icao.int imo.org wmo.int europa.eu nist.gov bipm.org ietf.org
w3.org cdc.gov fda.gov epa.gov osha.gov usgs.gov nice.org.uk hse.gov.uk cochranelibrary.com ifrs.org iupac.org acs.org
rsc.org ieee.org acm.org asme.org astm.org aps.org apa.org americanbar.org heart.org escardio.org
"""
)
"""Where a search for professional evidence looks first; it goes on without them when they have
nothing."""
JOURNAL_HOSTS = _listed(
    """
nih.gov europepmc.org nature.com science.org sciencedirect.com cell.com springer.com wiley.com tandfonline.com oup.com
cambridge.org acs.org rsc.org aps.org iop.org aip.org ieee.org acm.org pnas.org plos.org frontiersin.org mdpi.com
biomedcentral.com bmj.com thelancet.com nejm.org jamanetwork.com ahajournals.org sagepub.com
royalsocietypublishing.org annualreviews.org elifesciences.org jstor.org copernicus.org agu.org uchicago.edu
karger.com lww.com thieme.com degruyter.com
"""
)
"""Publishers and archives of reviewed journals: a mark of review, and where a search for specialists
looks first."""
