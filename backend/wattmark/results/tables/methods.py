"""Methods of computing the figures of every table, for the sheet on methods."""

from __future__ import annotations

METHODS = (
    (
        "work per joule (efficiency)",
        "Throughput divided by mean power over the same window of the same run: counted work per energy [ops/J]. It "
        "describes this work over its own window, and needs complete readings, not steady power.",
    ),
    (
        "full-load power",
        "Mean power that the server draws whenever it runs this load: the budget of the window plus the scatter of the "
        "power over time (of single readings if the window is too short to tell). An unsteady window gives the reason "
        "instead.",
    ),
    ("energy per operation", "Inverse of the work per joule [J]."),
    (
        "idle-subtracted efficiency",
        "Throughput over power minus the mean of the idle phases before and after; an additional metric, never "
        "compared.",
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
        "Half width of the 95 % interval: the largest rectangular error (a manufacturer's limit) as it is, everything "
        "else as Student's t at its effective degrees of freedom, not truncated (JCGM 100, G.4; EA-4/02, S9.14).",
    ),
    (
        "budget of power",
        "The meter's limit of error or its certificate, never both; last digit, sampling, latency, stamps, clocks and "
        "cells cut by the window, readings missing, wiring, temperature. One line each, with what it assumes.",
    ),
    (
        "no ±",
        "If a contribution is not known or not limited (no specification, no range, unknown resolution), or if the ± "
        "would be as large as the value. The reason is given with it.",
    ),
    (
        "early ends and pauses",
        "A window more than 1.5 s and 5 % shorter than requested fails the verdict asked-length. A time without "
        "counted work of "
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
        "If readings do not cover their whole period, the error of their mean is estimated from their variogram (lags "
        "1 and 2). Such a meter is polled at a random time within each period; polled on a grid, it fails the verdict "
        "aliasing.",
    ),
    (
        "sliding means",
        "Readings that average over longer than the time between two: power is recovered from the differences of "
        "readings one averaging time apart, from where they change least. A window shorter than one averaging time "
        "gives no power. Rules that take the mean of samples take it, with half of the averaging time as latency.",
    ),
    (
        "energy register",
        "Difference of the readings at both edges, interpolated between those at which the count changed. It replaces "
        "the integral of power if the two agree and its resolution is at most 0.1 % of the energy. If they differ by "
        "more than two standard uncertainties of the contributions that they do not share, the verdict register fails.",
    ),
    (
        "steadiness",
        "Warm-up (MSER-5), drift, half against half, scatter of 30 s blocks, steps, and ten independent samples, about "
        "the line of a drift and by whole periods of a rhythm; from 60 s and 20 samples on.",
    ),
    (
        "scatter of throughput",
        "The ± of one run is that of counting and of intervals cut by the window; its scatter between spans is given "
        "as well and enters comparisons. With fewer than three spans there is no scatter; fewer than eight are treated "
        "as independent.",
    ),
    (
        "repeats",
        "Geometric mean. If a configuration was installed or booted several times, the means of installations or boots "
        "are the independent values; if once, a note says what the ± does not include.",
    ),
    (
        "ratio",
        "Difference of logarithms. An error that both share (same meter, same range) counts only with its remainder, "
        "so the gain cancels; 20 % of the limit is assumed to be non-linearity, common only to one configuration and "
        "level. With "
        "one run of either, or different meters without specification, there is no interval. Each interval holds for "
        "one ratio that was chosen beforehand: to the best of several, which chance has helped, it is too narrow.",
    ),
    (
        "same meter",
        "Manufacturer, model and serial number; without a serial number, bench, name and calibration, which is an "
        "assumption. Never the "
        "same across laboratories, appliances, submitters or rounds.",
    ),
    (
        "test",
        "Welch's test of logarithms from three runs of each on, adjusted by Holm over all pairs at 0.05; equal within "
        "a margin by two one-sided tests. Simulated and measured are never tested against each other.",
    ),
    (
        "rank",
        "1 + number significantly better, to k - number significantly worse. A run with a failed verdict that excludes "
        "it from ranking is shown with the reason and not ranked, unless a person overrides that with name and reason.",
    ),
    (
        "watts per DIMM",
        "Least squares through the means of installations, installations - 2 degrees of freedom. A DIMM count that was "
        "installed once gives one mean, however many runs it has; two installations in total give no ±.",
    ),
    (
        "imported",
        "Work is what the log counted; the stated rate is shown with it. The files are checked against each other "
        "(verdicts import-...); if they contradict each other, there is no result.",
    ),
    (
        "published",
        "As printed. Intervals come only from the rounding of the printed figures and are not used for tests.",
    ),
    ("empty cell", "Not known. It never means zero."),
)
