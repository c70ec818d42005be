"""How the figures of a load curve are computed, once for tables and pages."""

from __future__ import annotations

from typing import NamedTuple

from wattmark.comparison.scaling.scaling_views import LoadMethod

_SATOPAA = "Satopaa, Albrecht, Irwin and Raghavan 2011 (Kneedle)"
_VARSAMOPOULOS = "Varsamopoulos and Gupta 2010"


class Method(NamedTuple):
    """A figure, how it is computed, and who says so."""

    name: str
    formula: str
    source: str


LOAD_METHODS = (
    Method(
        name="load",
        formula="The target in per cent of the calibrated maximum. Where levels count clients or threads, the share of "
        "the highest throughput.",
        source="SPECpower_ssj2008",
    ),
    Method(
        name="overall",
        formula="Sum of throughput over sum of watts of all levels, idle included; not the mean of the ratios.",
        source="SPECpower_ssj2008",
    ),
    Method(
        name="energy proportionality",
        formula="2 - A/0.5 with A the trapezoid area under P(u)/P(1); 1 is proportional, 0 flat.",
        source="Ryckbosch, Polfliet and Eeckhout 2011",
    ),
    Method(name="idle share", formula="P(0)/P(1): watts at active idle by those at full load.", source=_VARSAMOPOULOS),
    Method(
        name="deviation from the line",
        formula="P(u)/line - 1 where it is largest, the line from idle to full load.",
        source=_VARSAMOPOULOS,
    ),
    Method(
        name="best level",
        formula="The load with the most work per joule. Those that no test tells from it, and those that were not "
        "tested, are named: Welch's test of logarithms from three runs of each on, adjusted by Holm over all pairs of "
        "loads at 0.05.",
        source="Welch 1947, Holm 1979",
    ),
    Method(
        name="knee",
        formula="The measured load whose work per joule lies highest above the chord from the lowest load to the best, "
        "both axes scaled to that span; none below 5 % of the height.",
        source=_SATOPAA,
    ),
)


def load_methods() -> list[LoadMethod]:
    """List the methods as they leave the service."""
    return [LoadMethod(name=of.name, formula=of.formula, source=of.source) for of in LOAD_METHODS]
