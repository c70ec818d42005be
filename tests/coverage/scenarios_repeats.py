"""Repeats, comparisons and watts per DIMM: campaigns whose true ratio or slope is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from pydantic import BaseModel
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.views import CompareGroup
from wattmark.comparison.memory.memory import memory_view
from wattmark.core.instants import iso
from wattmark.core.quantity import BudgetLine
from wattmark.results.result import Result
from wattmark.runs.origin import imported_from

from tests.coverage import signals as of
from tests.coverage.meters import Meter
from tests.coverage.runs import BEGIN_NS, Run, even_work, result_of
from tests.coverage.scenario import Expectation, Outcome, Scenario, Section

Generator = np.random.Generator
Results = list[Result]
Campaign = Callable[[Generator], tuple[Results, float]]
"""Make the runs of a campaign, with the true ratio or slope."""

DAY_NS = 86_400 * 10**9
TURN_NS = 600 * 10**9
"""From one repeat of all configurations to the next: they are measured in turns unless a scenario says otherwise."""
WT310E = Meter()
FIFTH = Meter(model="class 0.2", reading_pct=0.2, range_pct=0.0, range_w=None)
WHOLE_WATTS = Meter(model="plug", reading_pct=0.5, range_pct=0.0, range_w=None, resolution=1.0)
NO_SERIAL = Meter(model="eastron.sdm120", serial=None, reading_pct=1.0, range_pct=0.0, range_w=None)
BMC = Meter(name="bmc", model="bmc", serial=None, reading_pct=0.0, range_pct=0.0, range_w=None)
COMPARED: Mapping[str, Expectation] = {"ratio of work per joule": "covers", "no false difference": "covers"}
RATIO: Mapping[str, Expectation] = {"ratio of work per joule": "covers"}
EQUAL: Mapping[str, Expectation] = {"no false difference": "covers"}
SLOPE: Mapping[str, Expectation] = {"watts per DIMM": "covers"}


def measured(
    rng: Generator,
    meter: Meter,
    power_w: float,
    rate: float = 1000.0,
    *,
    configuration: str = "a",
    repeat: int = 1,
    dimms: int | None = None,
    duration_s: float = 60.0,
    sd_w: float = 0.5,
    source: str = "measured",
    day: int = 0,
    installation: str | None = None,
) -> Result:
    """Measure one run at a level of power and a rate of work, with quick noise within it."""
    power = of.constant(power_w) + of.noise(rng, sd_w, 0.3, duration_s)
    snapshot = {"title": configuration, "dimm_count": dimms, "memory_gib": None if dimms is None else float(dimms)}
    record = {
        "run_id": f"{source}-{configuration}-{dimms}-{repeat}",
        "configuration": configuration if dimms is None else f"{dimms}-dimms",
        "repeat": repeat,
        "source": source,
        "created_ns": BEGIN_NS + day * DAY_NS + repeat * TURN_NS,
        "configuration_snapshot": snapshot,
        # Of a DIMM count nothing is recorded: counts that are measured in turns are installed anew each time.
        "disclosure": {"installation": installation or configuration} if dimms is None or installation else {},
    }
    return result_of(rng, Run(((meter, power),), duration_s, even_work(duration_s, rate=rate), record=record))


def rescaled(result: Result, factor: float, configuration: str, repeat: int, boot: str | None = None) -> Result:
    """Give the result of a like run that drew ``factor`` times the power for the same work."""
    changed = {
        "run_id": f"{configuration}-{repeat}",
        "created": iso(BEGIN_NS + repeat * TURN_NS, "microseconds"),
        "installation": configuration,
        "configuration": configuration,
        "configuration_title": configuration,
        "repeat": repeat,
        "boot": boot,
    }
    scales = {"power": factor, "energy_j": factor, "full_load_power": factor, "efficiency": 1 / factor}
    figures = {name: _times(getattr(result, name), scale) for name, scale in scales.items()}
    return result.model_copy(update={**changed, **figures})


def _times(value: object, factor: float) -> object:
    """Scale a figure with its budget and its scatter by a factor; what has no unit of the result stays."""
    if isinstance(value, float):
        return value * factor
    if isinstance(value, tuple):
        return tuple(_times(line, factor) for line in value)
    if isinstance(value, BudgetLine):
        return value.model_copy(update={"u_result": factor * value.u_result})
    if isinstance(value, BaseModel):
        names = [name for name in ("value", "u", "budget", "scatter", "power") if name in type(value).model_fields]
        return value.model_copy(update={name: _times(getattr(value, name), factor) for name in names})
    return value


def ratio_outcome(results: Results, truth: float) -> Outcome:
    """Read the ratio of the last configuration to the first, on the logarithmic scale [%]."""
    first, last = (f"{result.server}/{result.configuration}" for result in (results[0], results[-1]))
    view = compare(results, "work", "all", first)
    pair = next((p for p in view.pairs if p.key == last), None)
    if pair is None:
        return Outcome(None, None, _why_not(view.groups) or view.statement)
    error = 100 * math.log(pair.ratio.value / truth)
    if pair.ratio.low is None or pair.ratio.high is None:
        return Outcome(error, None, pair.verdict)
    return Outcome(
        error, 50 * math.log(pair.ratio.high / pair.ratio.low), names_what_it_leaves_out=_names_structure(view.groups)
    )


def false_difference(results: Results) -> Outcome:
    """Tell whether any two of equal configurations are called different; refused where nothing was tested."""
    groups = compare(results, "work", "all").groups
    ranked = [g for g in groups if g.rank_low is not None]
    if not ranked:
        return Outcome(None, None, _why_not(groups))
    apart = any((g.rank_low, g.rank_high) != (1, len(ranked)) for g in ranked)
    return Outcome(1.0 if apart else 0.0, 0.5, names_what_it_leaves_out=_names_structure(groups))


def _names_structure(groups: Sequence[CompareGroup]) -> bool:
    """Tell whether every group says that re-seating or a reboot is not in its interval."""
    return all(any("of one" in remark and "boot" in remark for remark in group.remarks) for group in groups)


def _why_not(groups: Sequence[object]) -> str:
    reasons = [getattr(g, "refusal", None) or " ".join(getattr(g, "remarks", ())) for g in groups]
    return next((text for text in reasons if text), "")


def slope_outcome(results: Results, truth: float) -> Outcome:
    """Read the watts per DIMM [W]."""
    view = memory_view(results, results[0].server, results[0].workload, results[0].level)
    slope = view.watts_per_part
    if slope is None:
        return Outcome(None, None, view.refusal or view.statement)
    if slope.low is None or slope.high is None or not slope.complete:
        return Outcome(slope.value - truth, None, view.statement)
    in_time = "measured one after the other" in view.statement
    return Outcome(slope.value - truth, (slope.high - slope.low) / 2, names_what_it_leaves_out=in_time)


def claim_outcome(results: Results, truth: float) -> Outcome:
    """Tell whether the true watts per DIMM are rejected; refused where the claim is not tested."""
    view = memory_view(results, results[0].server, results[0].workload, results[0].level, claim=(truth, 1.0))
    if view.claim is None or view.claim.p is None:
        return Outcome(None, None, view.statement if view.claim is None else view.claim.text)
    return Outcome(1.0 if view.claim.refuted else 0.0, 0.5)


READERS: dict[str, Callable[[Results, float], Outcome]] = {
    "ratio of work per joule": ratio_outcome,
    "no false difference": lambda results, truth: false_difference(results),
    "watts per DIMM": slope_outcome,
    "true claim not rejected": claim_outcome,
}


def campaign(
    name: str,
    section: Section,
    make: Campaign,
    expect: Mapping[str, Expectation] = COMPARED,
    *,
    narrow: bool = False,
    trials: int = 200,
) -> Scenario:
    """Declare a scenario of whole campaigns."""

    def trial(rng: Generator) -> dict[str, Outcome]:
        results, truth = make(rng)
        return {claim: READERS[claim](results, truth) for claim in expect}

    return Scenario(name, section, trial, expect, narrow, trials)


def repeats(
    counts: Sequence[int],
    sds_pct: Sequence[float],
    *,
    boot_pct: float = 0.0,
    reboots: bool = False,
    meter: Meter = WT310E,
) -> Campaign:
    """Repeat equal configurations: runs scatter by ``sds_pct``, boots (each run's or one) by ``boot_pct``."""

    def make(rng: Generator) -> tuple[Results, float]:
        template = measured(rng, meter.drawn(rng), 250.0)
        results = []
        for number, (count, sd_pct) in enumerate(zip(counts, sds_pct, strict=True)):
            boots = rng.normal(0, boot_pct / 100, count if reboots else 1)
            shifts = np.broadcast_to(boots, count) + rng.normal(0, sd_pct / 100, count)
            title = f"configuration-{number:02}"
            for repeat, shift in enumerate(shifts, 1):
                boot = f"{title}, boot {repeat if reboots else 1}" if boot_pct else None
                results.append(rescaled(template, math.exp(shift), title, repeat, boot))
        return results, 1.0

    return make


def unequal_scatter(count: int, runs: int) -> Campaign:
    """Repeat equal configurations whose runs scatter by 0.05 % to 0.5 %."""
    sds_pct = np.geomspace(0.05, 0.5, count).tolist()
    return repeats([runs] * count, sds_pct)


def families() -> list[Scenario]:
    """List familywise tests: n repeats of k equal configurations.

    Runs scatter by 0.1 %, four times what they scatter within: that near, a lucky agreement of few runs harms most.
    """
    out = [
        campaign(
            f"{k} equal configurations x {n}",
            "3",
            repeats([n] * k, [0.1] * k),
            EQUAL if n > 2 else UNTESTED,
            trials=400,
        )
        for n in (2, 3, 5)
        for k in (2, 5, 8, 12)
    ]
    return out + [
        campaign(
            f"{k} equal configurations x {n}, unequal scatter",
            "3",
            unequal_scatter(k, n),
            EQUAL if n > 2 else UNTESTED,
            trials=400,
        )
        for n in (2, 3, 5)
        for k in (2, 8, 12)
    ]


UNTESTED: Mapping[str, Expectation] = {"no false difference": "either"}


def one_against_one(rng: Generator) -> tuple[Results, float]:
    meter = FIFTH.drawn(rng)
    levels = 250.0 * np.exp(rng.normal(0, 0.004, 2))
    return [measured(rng, meter, level, configuration=name) for level, name in zip(levels, "ab", strict=True)], 1.0


def two_meters(
    first: Meter, second: Meter, count: int, sources: tuple[str, str] = ("measured", "measured")
) -> Campaign:
    """Measure two equal configurations, each on a meter of its own, whose errors are drawn independently."""

    def make(rng: Generator) -> tuple[Results, float]:
        results = []
        for meter, source, name in ((first, sources[0], "a"), (second, sources[1], "b")):
            drawn = meter.drawn(rng)
            results += [
                measured(
                    rng, drawn, 250.0 * math.exp(rng.normal(0, 0.001)), configuration=name, repeat=k, source=source
                )
                for k in range(1, count + 1)
            ]
        return results, 1.0

    return make


def unspecified_bmcs(rng: Generator) -> tuple[Results, float]:
    """Two servers, each on a BMC without any specification, whose gain is off by up to 3 %."""
    results = []
    for name in ("a", "b"):
        gain = rng.uniform(-0.03, 0.03)
        meter = replace(BMC, curve_w=lambda power_w, gain=gain: gain * power_w)
        results += [
            measured(rng, meter, 250.0, configuration=name, repeat=k, source=imported_from(f"lab {name}"))
            for k in (1, 2, 3)
        ]
    return results, 1.0


def whole_watts(rng: Generator) -> tuple[Results, float]:
    """Two configurations of equal efficiency at 60 to 70 W, five quiet repeats each."""
    meter, results = WHOLE_WATTS.drawn(rng), []
    for name in ("a", "b"):
        level_w = rng.uniform(60, 70)
        results += [
            measured(rng, meter, level_w, rate=100 * level_w, configuration=name, repeat=k, sd_w=0.05)
            for k in range(1, 6)
        ]
    return results, 1.0


def lengths_differ(rng: Generator) -> tuple[Results, float]:
    meter, results = WT310E.drawn(rng), []
    for name, lengths in (("a", (60, 60, 60)), ("b", (60, 120, 300))):
        results += [
            measured(
                rng, meter, 250.0 * math.exp(rng.normal(0, 0.002)), configuration=name, repeat=k, duration_s=length
            )
            for k, length in enumerate(lengths, 1)
        ]
    return results, 1.0


def real_difference(rng: Generator) -> tuple[Results, float]:
    """Another power and another rate: 20 % more work per joule on the same meter."""
    meter, results = WT310E.drawn(rng), []
    for name, level_w, rate in (("a", 250.0, 1000.0), ("b", 350.0, 1680.0)):
        results += [
            measured(rng, meter, level_w * math.exp(rng.normal(0, 0.002)), rate, configuration=name, repeat=k)
            for k in range(1, 5)
        ]
    return results, 1.2


def one_outlier(rng: Generator) -> tuple[Results, float]:
    """Five repeats of each; in a tenth of all runs something else took 2 % more power."""
    template = measured(rng, WT310E.drawn(rng), 250.0)
    results = []
    for name in ("a", "b"):
        shifts = rng.normal(0, 0.002, 5) + 0.02 * (rng.random(5) < 0.1)
        results += [rescaled(template, math.exp(shift), name, k) for k, shift in enumerate(shifts, 1)]
    return results, 1.0


def day_by_day(rng: Generator) -> tuple[Results, float]:
    """Two configurations taken in turns over five days that differ by 0.5 %."""
    template = measured(rng, WT310E.drawn(rng), 250.0)
    days = rng.normal(0, 0.005, 5)
    results = []
    for name in ("a", "b"):
        shifts = days + rng.normal(0, 0.001, 5)
        results += [rescaled(template, math.exp(shift), name, k) for k, shift in enumerate(shifts, 1)]
    return results, 1.0


COMPARISONS = (
    campaign(
        "single run against single run, runs differ by 0.4 %",
        "3",
        one_against_one,
        {"ratio of work per joule": "refused"},
    ),
    campaign(
        "one boot per configuration, shift 0.3 %, 0.1 % x 3",
        "3",
        repeats([3, 3], [0.1, 0.1], boot_pct=0.3),
        {"ratio of work per joule": "named", "no false difference": "named"},
        trials=400,
    ),
    campaign(
        "one boot per configuration, shift 0.3 %, 0.1 % x 10",
        "3",
        repeats([10, 10], [0.1, 0.1], boot_pct=0.3),
        {"ratio of work per joule": "named", "no false difference": "named"},
        trials=400,
    ),
    campaign(
        "a boot for each repeat, shift 0.3 %, 0.1 % x 3",
        "own",
        repeats([3, 3], [0.1, 0.1], boot_pct=0.3, reboots=True),
        trials=400,
    ),
    campaign(
        "two labs, meters of one model without serials (A1), x 3",
        "3",
        two_meters(NO_SERIAL, NO_SERIAL, 3, (imported_from("A"), imported_from("B"))),
    ),
    campaign(
        "two BMCs without specification (A1), x 3",
        "3",
        unspecified_bmcs,
        {"ratio of work per joule": "refused", "no false difference": "refused"},
    ),
    campaign("equal configurations on a whole-watt meter x 5", "3", whole_watts),
    *families(),
    campaign("12 equal configurations x 3, scatter 0.05 %", "own", repeats([3] * 12, [0.05] * 12), EQUAL),
    campaign("12 equal configurations x 3, scatter 1 %", "own", repeats([3] * 12, [1.0] * 12), EQUAL),
    campaign(
        "mixed meters, each with its serial, x 3", "own", two_meters(WT310E, replace(WT310E, serial="C3UF10002"), 3)
    ),
    campaign(
        "one meter without a serial, in one lab, x 3", "own", two_meters(NO_SERIAL, replace(NO_SERIAL, name="other"), 3)
    ),
    campaign(
        "2 against 5 repeats",
        "own",
        repeats([2, 5], [0.3, 0.3]),
        {"ratio of work per joule": "covers", "no false difference": "either"},
        trials=400,
    ),
    campaign("3 noisy against 10 quiet repeats", "own", repeats([3, 10], [1.0, 0.1]), trials=400),
    campaign("repeats of unequal length", "own", lengths_differ),
    campaign("20 % more work per joule, one meter, x 4", "own", real_difference, RATIO),
    campaign("an outlier now and then, x 5", "own", one_outlier, trials=400),
    campaign("two configurations in turns over five days", "own", day_by_day, trials=400),
)


def dimms(
    counts: Sequence[int],
    runs: int = 3,
    *,
    slope_w: float = 5.0,
    base_w: float = 200.0,
    run_sd_w: float = 0.3,
    seating_sd_w: float = 0.0,
    seated_anew: bool = False,
    growing: bool = False,
    day_sd_w: float = 0.0,
    meter: Meter = WT310E,
    within_w: float = 0.5,
    spread_w: float = 0.0,
    repeats_each: Sequence[int] | None = None,
) -> Campaign:
    """Measure each DIMM count several times; each installation shifts its level by ``seating_sd_w``.

    There is one installation of each count, or ``seated_anew`` one of each run.
    """

    def make(rng: Generator) -> tuple[Results, float]:
        drawn, results = meter.drawn(rng), []
        start_w = base_w + rng.uniform(0, spread_w)
        days_w = rng.normal(0, day_sd_w, runs)
        for place, number in enumerate(counts):
            each = runs if repeats_each is None else repeats_each[place]
            seated_w = np.broadcast_to(rng.normal(0, seating_sd_w, each if seated_anew else 1), each)
            for repeat in range(each):
                sd_w = run_sd_w * (number / counts[0] if growing else 1.0)
                level_w = start_w + slope_w * number + seated_w[repeat] + days_w[repeat % runs] + rng.normal(0, sd_w)
                fitted = f"{number}, fitting {repeat if seated_anew else 0}" if seating_sd_w else None
                results.append(
                    measured(
                        rng,
                        drawn,
                        level_w,
                        dimms=number,
                        repeat=repeat + 1,
                        sd_w=within_w,
                        day=repeat,
                        installation=fitted,
                    )
                )
        return results, slope_w

    return make


def curved(limit_w: float) -> Meter:
    """A meter whose error runs up and down by ``limit_w`` over some 60 W, inside its limit of 0.5 W."""
    return replace(WT310E, curve_w=lambda power_w: limit_w * np.sin((power_w - 200.0) / 10.0))


POPULATIONS = ((4, 8), (2, 4, 8), (1, 2, 4, 8), (2, 4, 6, 8), (4, 8, 12, 16))
"""Those of the table of half widths in the method sheet (5.3)."""


def population(counts: Sequence[int], runs: int) -> Scenario:
    """Measure each count a few times in turns, 5 W per DIMM, with 1 W from run to run as in the method sheet."""

    def make(rng: Generator) -> tuple[Results, float]:
        template = measured(rng, WT310E.drawn(rng), 200.0)
        return [
            rescaled(template, (200.0 + 5.0 * count + rng.normal(0, 1.0)) / 200.0, f"{count}-dimms", repeat).model_copy(
                update={"dimm_count": count, "memory_gib": float(count), "installation": None}
            )
            for repeat in range(1, runs + 1)
            for count in counts
        ], 5.0

    expectation: Expectation = "refused" if len(counts) == 2 and runs == 1 else "covers"
    listed = ",".join(map(str, counts))
    return campaign(
        f"W/DIMM {listed} x {runs}, 1 W from run to run", "own", make, {"watts per DIMM": expectation}, trials=200
    )


QUIET = {"meter": WHOLE_WATTS, "run_sd_w": 0.0, "within_w": 0.05, "slope_w": 5.3, "base_w": 60.0, "spread_w": 1.0}
MEMORY = (
    campaign("W/DIMM 2,4,8 x 3", "3", dimms((2, 4, 8)), SLOPE, narrow=True),
    campaign("W/DIMM 4,8 x 3", "3", dimms((4, 8)), SLOPE, narrow=True),
    campaign("W/DIMM 2,4,6,8 x 1", "3", dimms((2, 4, 6, 8), 1), SLOPE, narrow=True),
    campaign("W/DIMM 2,4,8 x 3, scatter grows with the count", "3", dimms((2, 4, 8), growing=True), SLOPE),
    campaign("W/DIMM 2,4,8 x 3, re-seating 1 W", "3", dimms((2, 4, 8), seating_sd_w=1.0), SLOPE),
    campaign("W/DIMM 2,4,6,8 x 3, re-seating 1 W", "3", dimms((2, 4, 6, 8), seating_sd_w=1.0), SLOPE),
    campaign("W/DIMM 4,8 x 3, re-seating 1 W", "3", dimms((4, 8), seating_sd_w=1.0), {"watts per DIMM": "either"}),
    campaign(
        "W/DIMM 4,8 x 10, re-seating 1 W",
        "3",
        dimms((4, 8), 10, seating_sd_w=1.0),
        {"watts per DIMM": "either"},
        trials=100,
    ),
    campaign("W/DIMM 2,4,8 x 5, whole watts", "3", dimms((2, 4, 8), 5, **QUIET), SLOPE, trials=200),
    campaign("W/DIMM 4,8 x 5, whole watts", "3", dimms((4, 8), 5, **QUIET), SLOPE, trials=200),
    campaign("W/DIMM 4,6 x 5, whole watts", "3", dimms((4, 6), 5, **QUIET), SLOPE, trials=200),
    campaign(
        "W/DIMM 2,4,8 x 3, meter curved by 0.1 W", "own", dimms((2, 4, 8), meter=curved(0.1), spread_w=60.0), SLOPE
    ),
    campaign("W/DIMM 2,4,8 x 3, meter curved by 0.3 W", "3", dimms((2, 4, 8), meter=curved(0.3), spread_w=60.0), SLOPE),
    campaign("W/DIMM 2,4,8 x 3, day blocks 1 W", "3", dimms((2, 4, 8), day_sd_w=1.0), SLOPE),
    campaign(
        "W/DIMM 2,4,8 with 5, 3 and 1 repeats", "own", dimms((2, 4, 8), 5, repeats_each=(5, 3, 1)), SLOPE, narrow=True
    ),
    campaign("W/DIMM 1,2,4,8,16 x 2, re-seating 0.5 W", "own", dimms((1, 2, 4, 8, 16), 2, seating_sd_w=0.5), SLOPE),
    campaign(
        "W/DIMM 4,8 x 3, re-seating 1 W before each run",
        "own",
        dimms((4, 8), seating_sd_w=1.0, seated_anew=True),
        SLOPE,
    ),
    campaign(
        "W/DIMM 2,4,8 x 3, re-seating 1 W before each run",
        "own",
        dimms((2, 4, 8), seating_sd_w=1.0, seated_anew=True),
        SLOPE,
    ),
    campaign("W/DIMM 2,4,8 x 3 without run scatter", "own", dimms((2, 4, 8), run_sd_w=0.0), SLOPE),
    *(population(counts, runs) for counts in POPULATIONS for runs in (1, 2, 3)),
)

SCENARIOS = (*COMPARISONS, *MEMORY)
