"""How the figures of every table were found, in the words of the sheet on methods."""

from __future__ import annotations

METHODS = (
    ("efficiency", "Throughput divided by mean power over the same window of the same run [ops/J = (ops/s)/W]."),
    ("energy per operation", "Inverse of the efficiency [J]."),
    (
        "efficiency above idle",
        "Throughput by power less the mean of the idle phases before and after; a second figure, never compared.",
    ),
    ("EDP, ED2P", "Energy times time, and energy times time squared, of the stated amount of work at this throughput."),
    (
        "cost per operation",
        "(price / life + power x PUE x tariff) / throughput, as the bench file states price, life, PUE and tariff.",
    ),
    ("nominal", "Throughput divided by the processors' design power: nominal, not measured, never compared."),
    (
        "window rule complete",
        "Complete meter intervals between the workload's own marks, shifted by the meter's latency.",
    ),
    ("window rule mlperf", "Plain mean of the positive samples strictly between power_begin and power_end."),
    ("window rule eehpc-l1, eehpc-l2", "Plain mean of the positive samples inside the whole core phase."),
    (
        "window rule eehpc-l3",
        "Energy between the first and the last reading inside the core phase, divided by the time between them.",
    ),
    ("window rule specpower", "Plain mean of the positive samples inside the measurement interval, 240 s at least."),
    ("u", "Standard uncertainty, all contributions combined in quadrature (JCGM 100:2008, clause 5)."),
    (
        "U95, ±",
        "Expanded uncertainty at 95 %: u times Student's t at the effective degrees of freedom (JCGM 100, G.4).",
    ),
    ("empty cell", "Not known. It never means zero."),
)
