"""How the figures of every table were computed, as the sheet on methods explains it."""

from __future__ import annotations

METHODS = (
    (
        "work per joule (efficiency)",
        "Throughput divided by mean power over one and the same window of the same run: counted work by energy "
        "[ops/J]. It is about this work over its own window, and needs whole readings, not steadiness.",
    ),
    (
        "full-load power",
        "Mean power as what the server holds under this load: the budget of the window, and the scatter of the "
        "process (of single readings in a window too short to judge). An unsteady window has the reason instead.",
    ),
    ("energy per operation", "Inverse of the work per joule [J]."),
    (
        "idle-subtracted efficiency",
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
        "Energy over time across the workload's whole intervals between its own marks, stamps shifted by the latency.",
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
        "Half width of the 95 % interval: the largest rectangular error (a maker's limit) as it is, everything else as "
        "Student's t at its effective degrees of freedom, not truncated (JCGM 100, G.4; EA-4/02, S9.14).",
    ),
    (
        "budget of power",
        "The meter's limit of error or its certificate, never both; last digit, sampling, latency, stamps, clocks and "
        "cells cut by the window, readings missing, wiring, temperature. One line each, with what it assumes.",
    ),
    (
        "no ±",
        "Where a contribution is not known or has no bound (no specification, no range, unknown last digit), and where "
        "the ± would be as large as the figure. The reason stands beside it.",
    ),
    (
        "early ends and standstills",
        "A window 1.5 s and 5 % shorter than asked for fails the verdict asked-length. A time without counted work of "
        "more than five usual pauses of the load (90th percentile), 2 s and 5 % of the window fails standstill.",
    ),
    (
        "missing readings",
        "Missing, invalid, over-range and stale readings (beyond three updates) are counted against the declared "
        "period. What they hide lies between 0 W and the range; over range, between the highest reading and the "
        "meter's declared limit or 1.4 x the range. More than 1 % of the window, and more than one reading, gives no "
        "power, or fails the verdict gaps where the rule takes the mean of samples.",
    ),
    (
        "sampling",
        "Where readings leave part of their period uncovered, the error of their mean from their variogram (lags 1 and "
        "2). Such a meter is polled at random places of the period; on a grid the verdict aliasing fails.",
    ),
    (
        "energy register",
        "Difference of the readings at both edges, interpolated between those at which the count had moved. Beside "
        "power it serves where the two agree and its digit leaves at most 0.1 % of the energy open; where they differ "
        "by more than two standard uncertainties of what they do not share, the verdict register fails.",
    ),
    (
        "steadiness",
        "Warm-up (MSER-5), drift, half against half, scatter of 30 s blocks, steps, and ten independent samples, about "
        "the line of a drift and by whole periods of a rhythm; from 60 s and 20 samples on.",
    ),
    (
        "scatter of throughput",
        "The ± of one run is that of counting and of intervals cut by the window; its scatter over spans stands beside "
        "it and enters comparisons. Fewer than three spans tell none, fewer than eight are taken as independent.",
    ),
    (
        "repeats",
        "Geometric mean. Where a configuration was fitted or booted several times, the means of installations or boots "
        "are what is independent; where once, a sentence says what is not in the ±.",
    ),
    (
        "ratio",
        "Difference of logarithms. The very same error (one meter, one range) counts as what is left of it, so the "
        "gain cancels; 20 % of the limit is taken as non-linearity, common to one configuration and level only. With "
        "one run of either, or different meters without specification, there is no interval.",
    ),
    (
        "same meter",
        "Maker, model and serial number; without one bench, name and calibration, which is an assumption. Never the "
        "same across laboratories, appliances, submitters or rounds.",
    ),
    (
        "test",
        "Welch's test of logarithms from three runs of each on, adjusted by Holm over all pairs at 0.05; equal within "
        "a margin by two one-sided tests. Simulated and measured are never tested against each other.",
    ),
    (
        "rank",
        "1 + number significantly better, to k - number significantly worse. A run with a failed verdict that bars the "
        "figure is shown with its reason and not ranked, unless a person includes it by name and reason.",
    ),
    (
        "watts per DIMM",
        "Least squares through the means of installations, installations - 2 degrees of freedom. A count that was "
        "fitted once is one mean, however many runs; two installations in all give no ±.",
    ),
    (
        "imported",
        "Work is what the log counted; the stated rate stands beside it. What its files say of each other is judged "
        "(verdicts import-...); files that deny each other give no figure.",
    ),
    ("published", "As printed. Intervals come from the rounding of the printed figures only and test nothing."),
    ("empty cell", "Not known. It never means zero."),
)
