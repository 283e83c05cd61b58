"""What can be known about an element: one line per property, with its tier, its words and its unit.

Every text names its subject and states exactly one fact. `{S}` is the subject at the start of a sentence, `{s}` inside
one, `{v}` the value with its unit. Texts never end on a single letter: a full stop after one looks like an initial.
"""

from dataclasses import dataclass

from ..state.tiers import Tier
from .values import Kind

COMMON, TEXTBOOK, PROFESSIONAL, SPECIALIST, CUTTING_EDGE = Tier


@dataclass(frozen=True, slots=True)
class Property:
    """A kind of fact. `sentence` stands on pages, `question` asks, `claim` answers."""

    id: str
    tier: Tier
    kind: Kind
    sentence: str
    question: str
    claim: str
    unit: str = ""
    exact: bool = False
    """Numbers count as equal only when they are identical (years, counts)."""
    gap: float = 0.0
    """How far a wrong number must be from the right one; 0: half a per cent."""
    section: str = ""
    """Heading under which an encyclopedia page states it; empty: the lead, or a document without headings."""


def quantity(id: str, tier: Tier, noun: str, unit: str = "", *, section: str = "", exact: bool = False) -> Property:
    """A property whose texts follow from its noun phrase."""
    return Property(
        id,
        tier,
        "number",
        f"For {{s}}, the {noun} is given as {{v}}.",
        f"What is the {noun} of {{s}}?",
        f"The {noun} of {{s}} is {{v}}.",
        unit,
        exact,
        section=section,
    )


MATTER, PLACE = "Structure and physical properties", "Classification and occurrence"

ELEMENT: tuple[Property, ...] = (
    Property(
        "symbol", COMMON, "symbol",
        "{S} is written with the chemical symbol {v} in formulas.",
        "What is the chemical symbol of {s}?",
        "The chemical symbol of {s} is {v}.",
    ),
    Property(
        "atomic_number", COMMON, "number",
        "{S} is the chemical element with the atomic number {v}.",
        "What is the atomic number of {s}?",
        "The atomic number of {s} is {v}.",
        exact=True,
    ),
    Property(
        "group", COMMON, "text",
        "{S} belongs to {v} of the periodic table.",
        "Which group of the periodic table does {s} belong to?",
        "The group of the periodic table that {s} belongs to is {v}.",
    ),
    Property(
        "period", COMMON, "text",
        "{S} stands in {v} of the periodic table.",
        "Which period of the periodic table does {s} stand in?",
        "The period of the periodic table that {s} stands in is {v}.",
    ),
    Property(
        "block", COMMON, "text",
        "{S} is assigned to the {v} of the periodic table.",
        "Which block of the periodic table is {s} assigned to?",
        "The block of the periodic table that {s} is assigned to is the {v}.",
    ),
    Property(
        "series", COMMON, "text",
        "{S} is counted among the {v} by chemists.",
        "Which series of chemical elements is {s} counted among?",
        "The series that {s} is counted among is the {v}.",
    ),
    Property(
        "discovery_year", COMMON, "number",
        "{S} was discovered in the year {v}.",
        "In which year was {s} discovered?",
        "The year of the discovery of {s} is {v}.",
        exact=True, gap=10,
    ),
    Property(
        "discoverers", COMMON, "text",
        "The discovery of {s} is credited to {v}.",
        "Who is credited with the discovery of {s}?",
        "The discovery of {s} is credited to {v}.",
    ),
    Property(
        "country", COMMON, "text",
        "The first discovery of {s} took place in {v}.",
        "In which country was {s} first discovered?",
        "The country in which {s} was first discovered is {v}.",
    ),
    Property(
        "origin", COMMON, "text",
        "The name of {s} goes back to the {language} {v}, which means {meaning}.",
        "Which older word, meaning {meaning}, does the name of {s} go back to?",
        "The name of {s} goes back to the word {v}.",
    ),
    Property(
        "namesake", COMMON, "text",
        "{S} takes its name from {v}.",
        "Whom or what is {s} named after?",
        "The name of {s} is taken from {v}.",
    ),
    Property(
        "use", COMMON, "text",
        "A typical use of {s} is in {v}.",
        "What is {s} typically used in?",
        "The typical use of {s} is in {v}.",
    ),
    Property(
        "state", COMMON, "text",
        "Under ordinary conditions {s} is a {v}.",
        "What state of matter does {s} have under ordinary conditions?",
        "The state of {s} under ordinary conditions is that of a {v}.",
    ),
    Property(
        "electronic_configuration", TEXTBOOK, "text",
        "The ground state of an atom of {s} has the electron configuration {v}.",
        "What is the electron configuration of {s} in its ground state?",
        "The electron configuration of {s} in its ground state is {v}.",
        section=MATTER,
    ),
    Property(
        "lattice", TEXTBOOK, "text",
        "Atoms of {s} arrange themselves in a {v} crystal lattice.",
        "What kind of crystal lattice does {s} form?",
        "The crystal lattice that {s} forms is {v}.",
        section=MATTER,
    ),
    quantity("atomic_weight", TEXTBOOK, "standard atomic weight", "daltons", section=PLACE),
    quantity("melting_c", TEXTBOOK, "melting point", "°C", section=MATTER),
    quantity("boiling_c", TEXTBOOK, "boiling point", "°C", section=MATTER),
    quantity("density", TEXTBOOK, "density near room temperature", "g/cm³", section=MATTER),
    quantity("atomic_radius", TEXTBOOK, "empirical atomic radius", "pm", section=MATTER),
    quantity("en_pauling", TEXTBOOK, "electronegativity on the Pauling scale", section=MATTER),
    Property(
        "oxidation_state", TEXTBOOK, "number",
        "In its common compounds {s} reaches a highest main oxidation state of {v}.",
        "What is the highest main oxidation state of {s}?",
        "The highest main oxidation state of {s} is {v}.",
        exact=True, gap=1, section=PLACE,
    ),
    Property(
        "goldschmidt_class", TEXTBOOK, "text",
        "In the Goldschmidt classification {s} counts as {v}.",
        "How is {s} classified by Goldschmidt?",
        "The Goldschmidt classification lists {s} as {v}.",
        section=PLACE,
    ),
    Property(
        "geochemical_class", TEXTBOOK, "text",
        "Geochemists place {s} in the class called {v}.",
        "Which geochemical class is {s} placed in?",
        "The geochemical class of {s} is called {v}.",
        section=PLACE,
    ),
    Property(
        "cas", TEXTBOOK, "text",
        "{S} is registered with the Chemical Abstracts Service as {v}.",
        "What is the Chemical Abstracts Service registry number of {s}?",
        "The Chemical Abstracts Service registry number of {s} is {v}.",
        section=PLACE,
    ),
    Property(
        "commonest_isotope", TEXTBOOK, "text",
        "In nature most atoms of {s} are atoms of {v}.",
        "Which isotope of {s} is the most abundant in nature?",
        "The isotope of {s} that is the most abundant in nature is {v}.",
        section=PLACE,
    ),
    quantity("thermal_conductivity", PROFESSIONAL, "thermal conductivity at 25 degrees Celsius", "W/(m K)"),
    quantity("specific_heat_capacity", PROFESSIONAL, "specific heat capacity", "J/(g K)"),
    quantity("molar_heat_capacity", PROFESSIONAL, "molar heat capacity", "J/(mol K)"),
    quantity("fusion_heat", PROFESSIONAL, "heat of fusion", "kJ/mol"),
    quantity("evaporation_heat", PROFESSIONAL, "heat of vaporisation", "kJ/mol"),
    quantity("lattice_constant", PROFESSIONAL, "lattice constant", "ångström"),
    quantity("abundance_crust", PROFESSIONAL, "abundance in the Earth's crust", "mg/kg"),
    quantity("abundance_sea", PROFESSIONAL, "abundance in sea water", "mg/L"),
    quantity("production_concentration", PROFESSIONAL, "share of the largest producer in the world's supply", "%"),
    quantity("reserve_distribution", PROFESSIONAL, "share of the richest country in the world's reserves", "%"),
    quantity("relative_supply_risk", PROFESSIONAL, "relative supply risk on a scale to ten"),
    quantity("price_per_kg", PROFESSIONAL, "reference price", "US dollars per kilogram"),
    quantity("covalent_radius_pyykko", PROFESSIONAL, "single-bond covalent radius after Pyykkö", "pm"),
    quantity("covalent_radius_pyykko_double", PROFESSIONAL, "double-bond covalent radius after Pyykkö", "pm"),
    quantity("covalent_radius_pyykko_triple", PROFESSIONAL, "triple-bond covalent radius after Pyykkö", "pm"),
    quantity("covalent_radius_cordero", PROFESSIONAL, "covalent radius after Cordero", "pm"),
    quantity("metallic_radius", PROFESSIONAL, "single-bond metallic radius", "pm"),
    quantity("metallic_radius_c12", PROFESSIONAL, "metallic radius with twelve neighbours", "pm"),
    quantity("vdw_radius", PROFESSIONAL, "van der Waals radius", "pm"),
    Property(
        "top_producer", PROFESSIONAL, "text",
        "The country that produces the most {s} is {v}.",
        "Which country is the largest producer of {s}?",
        "The largest producer of {s} is {v}.",
    ),
    Property(
        "top_reserves", PROFESSIONAL, "text",
        "The country that holds the largest reserves of {s} is {v}.",
        "Which country holds the largest reserves of {s}?",
        "The largest reserves of {s} are held by {v}.",
    ),
    quantity("ionisation_1", SPECIALIST, "first ionisation energy", "eV"),
    quantity("ionisation_2", SPECIALIST, "second ionisation energy", "eV"),
    quantity("ionisation_3", SPECIALIST, "third ionisation energy", "eV"),
    quantity("ionisation_4", SPECIALIST, "fourth ionisation energy", "eV"),
    quantity("ionisation_5", SPECIALIST, "fifth ionisation energy", "eV"),
    quantity("ionic_radius", SPECIALIST, "Shannon radius", "pm"),
    quantity("dipole_polarizability", SPECIALIST, "static dipole polarisability", "cubic bohr"),
    quantity("electron_affinity", SPECIALIST, "electron affinity", "eV"),
    quantity("en_allen", SPECIALIST, "electronegativity on the Allen scale", "eV"),
    quantity("en_ghosh", SPECIALIST, "electronegativity on the Ghosh scale", "reciprocal picometres"),
    quantity("en_miedema", SPECIALIST, "Miedema electronegativity", "volts"),
    quantity("en_mullay", SPECIALIST, "electronegativity on the Mullay scale"),
    quantity("en_gunnarsson_lundqvist", SPECIALIST, "Gunnarsson-Lundqvist electronegativity", "eV"),
    quantity("en_robles_bartolotti", SPECIALIST, "Robles-Bartolotti electronegativity", "eV"),
    quantity("c6", SPECIALIST, "C6 dispersion coefficient after Chu and Dalgarno", "atomic units"),
    quantity("c6_gb", SPECIALIST, "C6 dispersion coefficient after Gould and Bučko", "atomic units"),
    quantity("proton_affinity", SPECIALIST, "proton affinity", "kJ/mol"),
    quantity("gas_basicity", SPECIALIST, "gas-phase basicity", "kJ/mol"),
    quantity("heat_of_formation", SPECIALIST, "heat of formation of the gaseous atom", "kJ/mol"),
    quantity("miedema_molar_volume", SPECIALIST, "Miedema molar volume", "cm³/mol"),
    quantity("miedema_electron_density", SPECIALIST, "Miedema electron density parameter"),
    quantity("vdw_radius_alvarez", SPECIALIST, "van der Waals radius after Alvarez", "pm"),
    quantity("vdw_radius_batsanov", SPECIALIST, "van der Waals radius after Batsanov", "pm"),
    quantity("vdw_radius_uff", SPECIALIST, "van der Waals radius in the Universal Force Field", "pm"),
    quantity("vdw_radius_mm3", SPECIALIST, "van der Waals radius in the MM3 force field", "pm"),
    quantity("atomic_radius_rahm", SPECIALIST, "atomic radius after Rahm", "pm"),
    quantity("mendeleev_number", SPECIALIST, "Mendeleev number", exact=True),
    quantity("pettifor_number", SPECIALIST, "Pettifor number", exact=True),
    quantity("glawe_number", SPECIALIST, "Glawe number", exact=True),
    quantity("isotope_mass", CUTTING_EDGE, "evaluated atomic mass", "daltons"),
    Property(
        "isotope_half_life", CUTTING_EDGE, "text",
        "Recent evaluations put the half-life of {s} at {v}.",
        "What is the half-life of {s}?",
        "The half-life of {s} is {v}.",
    ),
    Property(
        "isotope_spin", CUTTING_EDGE, "text",
        "The nucleus of {s} has a ground-state spin of {v} in current tables.",
        "What is the spin of the nucleus of {s} in its ground state?",
        "The spin of the nucleus of {s} in its ground state is {v}.",
    ),
    Property(
        "isotope_year", CUTTING_EDGE, "number",
        "The isotope {s} was first identified in the year {v}.",
        "In which year was the isotope {s} first identified?",
        "The year in which the isotope {s} was first identified is {v}.",
        exact=True, gap=10,
    ),
    quantity("isotope_abundance", CUTTING_EDGE, "measured natural abundance", "%"),
    Property(
        "isotope_decay", CUTTING_EDGE, "text",
        "The dominant decay mode observed for {s} is {v}.",
        "What is the dominant decay mode of {s}?",
        "The dominant decay mode of {s} is {v}.",
    ),
)  # fmt: skip

BY_ID = {prop.id: prop for prop in ELEMENT}
