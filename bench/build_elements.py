"""Builds sim/data/elements.json from the `mendeleev` package (MIT) and bench/element_lore.tsv.

A build-time script, run by hand when the data should change; `mendeleev` is not a dependency of Fathom:

    python -m venv venv && venv/bin/pip install mendeleev && venv/bin/python bench/build_elements.py

The same mendeleev version and the same lore give the same bytes.
"""

import csv
import importlib.metadata
import importlib.util
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TARGET = HERE.parent / "sim" / "data" / "elements.json"

NUMBERS = """
    atomic_number period density atomic_weight en_pauling atomic_radius mendeleev_number pettifor_number glawe_number
    thermal_conductivity specific_heat_capacity molar_heat_capacity fusion_heat evaporation_heat lattice_constant
    abundance_crust abundance_sea production_concentration reserve_distribution relative_supply_risk price_per_kg
    covalent_radius_cordero covalent_radius_pyykko covalent_radius_pyykko_double covalent_radius_pyykko_triple
    metallic_radius metallic_radius_c12 vdw_radius vdw_radius_alvarez vdw_radius_batsanov vdw_radius_uff
    vdw_radius_mm3 atomic_radius_rahm dipole_polarizability electron_affinity en_allen en_ghosh en_miedema
    en_gunnarsson_lundqvist en_robles_bartolotti en_mullay c6 c6_gb proton_affinity gas_basicity heat_of_formation
    miedema_molar_volume miedema_electron_density
""".split()  # noqa: SIM905  # a list of fifty literals reads worse
TEXTS = [
    "symbol",
    "name",
    "block",
    "electronic_configuration",
    "lattice_structure",
    "cas",
    "geochemical_class",
    "goldschmidt_class",
]
RENAMED = {"Aluminum": "Aluminium", "Cesium": "Caesium"}
COUNTRIES = {"USA": "United States", "UK": "United Kingdom", "Austrailia": "Australia", "DRC": "DR Congo"}
SECONDS = {
    "asec": 1e-18, "zsec": 1e-21, "ysec": 1e-24, "psec": 1e-12, "nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0,
    "minute": 60.0, "hour": 3600.0, "day": 86400.0, "year": 3.156e7, "kyear": 3.156e10, "Myear": 3.156e13,
    "Gyear": 3.156e16, "Tyear": 3.156e19, "Pyear": 3.156e22, "Eyear": 3.156e25, "Zyear": 3.156e28, "Yyear": 3.156e31,
}  # fmt: skip
ISOTOPES_PER_ELEMENT = 7
IONISATIONS_PER_ELEMENT = 5
RADII_PER_ELEMENT = 4


def tidy(value: float | None) -> float | int | None:
    """The number without binary noise: 28.000000000000004 becomes 28."""
    if value is None:
        return None
    short = float(f"{value:.7g}")
    return int(short) if short.is_integer() and abs(short) < 1e9 else short


def filled(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value not in (None, "", [])}


def first_country(listing: str | None) -> str | None:
    """`1) USA  2) Chile` → `United States`; None where the list is missing or doubtful."""
    match = re.match(r"1\)\s*([A-Za-z .]+?)\s*(?:2\)|$)", listing or "")
    if not match or "nknown" in match.group(1):
        return None
    name = match.group(1).strip()
    return COUNTRIES.get(name, name)


def lore() -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    with (HERE / "element_lore.tsv").open(encoding="utf-8", newline="") as handle:
        for row in csv.reader(handle, delimiter="\t"):
            if not row or row[0].startswith("#"):
                continue
            symbol, people, year, country, origin, namesake, use, also = (row + [""] * 8)[:8]
            rows[symbol] = filled(
                {
                    "discoverers": people.split("; ") if people else None,
                    "discovery_year": int(year) if year else None,
                    "country": country,
                    "origin": origin.split("/") if origin else None,
                    "namesake": namesake,
                    "use": use,
                    "also": also.split("; ") if also else None,
                }
            )
    return rows


def isotopes(base: sqlite3.Connection, number: int) -> list[dict[str, Any]]:
    """The most abundant, then the longest-lived isotopes, by mass number."""
    rows = base.execute("SELECT * FROM isotopes WHERE atomic_number = ? AND mass IS NOT NULL", (number,)).fetchall()

    def weight(row: sqlite3.Row) -> tuple[float, float, int]:
        life = (row["half_life"] or 0.0) * SECONDS.get(row["half_life_unit"] or "", 0.0)
        return (-(row["abundance"] or 0.0), -life, row["mass_number"])

    chosen = sorted(rows, key=weight)[:ISOTOPES_PER_ELEMENT]
    return [isotope(base, row) for row in sorted(chosen, key=lambda row: int(row["mass_number"]))]


def isotope(base: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    decay = base.execute(
        "SELECT mode FROM isotopedecaymodes WHERE isotope_id = ? AND intensity > 50 ORDER BY intensity DESC LIMIT 1",
        (row["id"],),
    ).fetchone()
    has_life = row["half_life"] is not None
    return filled(
        {
            "mass_number": row["mass_number"],
            "mass": float(f"{row['mass']:.9g}"),
            "abundance": tidy(row["abundance"]),
            "half_life": [tidy(row["half_life"]), row["half_life_unit"]] if has_life else None,
            "spin": row["spin"],
            "discovery_year": row["discovery_year"],
            "decay": decay["mode"] if decay else None,
        }
    )


def ionic_radii(base: sqlite3.Connection, number: int) -> list[dict[str, Any]]:
    rows = base.execute(
        "SELECT charge, coordination, spin, ionic_radius FROM ionicradii WHERE atomic_number = ? "
        "AND coordination IN ('IV', 'VI', 'VIII') AND ionic_radius > 0 ORDER BY charge, coordination, spin",
        (number,),
    ).fetchall()
    return [filled({**dict(row), "ionic_radius": tidy(row["ionic_radius"])}) for row in rows[:RADII_PER_ELEMENT]]


def element(base: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    number = int(row["atomic_number"])
    phase = base.execute(
        "SELECT * FROM phasetransitions WHERE atomic_number = ? ORDER BY id LIMIT 1", (number,)
    ).fetchone()
    energies = base.execute(
        "SELECT ionization_energy FROM ionizationenergies WHERE atomic_number = ? ORDER BY ion_charge LIMIT ?",
        (number, IONISATIONS_PER_ELEMENT),
    ).fetchall()
    states = base.execute(
        "SELECT MAX(oxidation_state) FROM oxidationstates WHERE atomic_number = ? AND category = 'main'", (number,)
    ).fetchone()
    series = base.execute("SELECT name FROM series WHERE id = ?", (row["series_id"],)).fetchone()
    return filled(
        {key: tidy(row[key]) for key in NUMBERS}
        | {key: row[key] for key in TEXTS}
        | {
            "name": RENAMED.get(row["name"], row["name"]),
            "group": row["group_id"],
            "series": series["name"],
            "melting_c": celsius(phase["melting_point"]) if phase else None,
            "boiling_c": celsius(phase["boiling_point"]) if phase else None,
            "oxidation_state": states[0],
            "ionisation_ev": [tidy(energy[0]) for energy in energies if energy[0]],
            "ionic_radii": ionic_radii(base, number),
            "isotopes": isotopes(base, number),
            "top_producer": first_country(row["top_3_producers"]),
            "top_reserves": first_country(row["top_3_reserve_holders"]),
        }
    )


def celsius(kelvin: float | None) -> float | None:
    return None if kelvin is None else round(kelvin - 273.15, 2)


def build() -> dict[str, Any]:
    spec = importlib.util.find_spec("mendeleev")
    if spec is None or spec.origin is None:
        raise SystemExit(
            "The package mendeleev is not installed here: pip install mendeleev in a throwaway environment."
        )
    base = sqlite3.connect(Path(spec.origin).parent / "elements.db")
    base.row_factory = sqlite3.Row
    extra = lore()
    rows = [element(base, row) for row in base.execute("SELECT * FROM elements ORDER BY atomic_number")]
    version = importlib.metadata.version("mendeleev")
    return {
        "about": {
            "source": f"mendeleev {version} by Łukasz Mentel and contributors, MIT licence",
            "address": "https://github.com/lmmentel/mendeleev",
            "changed": "selected, rounded and renamed; discoverers, origins and uses edited by hand",
        },
        "elements": [{**row, **extra[row["symbol"]]} for row in rows],
    }


if __name__ == "__main__":
    text = json.dumps(build(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    TARGET.write_text(text + "\n", encoding="utf-8")
    print(f"{TARGET}: {len(text)} characters")
