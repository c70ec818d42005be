"""Energy and window: single runs whose true power is known at every moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.results.evaluate import EMPTY
from wattmark.traceability.certificates.register import Accepted, CertificateRegister
from wattmark_calibration import CalibratedRange, Certificate, CommonUncertainty, Point, canonical_sha256
from wattmark_calibration.certificate.record import Laboratory, MeterIdentity

from tests.coverage import meters as at
from tests.coverage import signals as of
from tests.coverage.meters import Meter, Register
from tests.coverage.runs import Claim, Run, Work, even_work, result_of, stated
from tests.coverage.scenario import Expectation, Outcome, Scenario, Section
from tests.coverage.signals import Power

Generator = np.random.Generator
MakePower = Callable[[Generator, float], Power]
MakeWork = Callable[[Generator, Power, float], Work]
Feeds = tuple[tuple[Meter, float], ...]
"""Meters with the share of the server's power that flows through each."""

WT310E = Meter()
"""0.1 % of reading + 0.05 % of 600 W: a limit of 0.55 W at 250 W."""
CERTIFIED = replace(WT310E, range_name="300V/2A")
REFERENCE_GAIN = 1e-4
REPEAT_W = 0.02
CALIBRATED = date(2023, 6, 1)
INSTANT = replace(WT310E, kind="instantaneous")
DITHERED = replace(INSTANT, dithered=True)
QUARTER = replace(WT310E, averaging_s=0.25)
SLIDING = replace(WT310E, averaging_s=5.0)
REGISTER = replace(WT310E, kind="counter", register=Register())
PLUG = replace(WT310E, model="plug", reading_pct=0.5, range_pct=0.0, range_w=None, resolution=1.0)

COVERS: Mapping[Claim, Expectation] = {"window power": "covers"}
REFUSED: Mapping[Claim, Expectation] = {"window power": "refused"}
EITHER: Mapping[Claim, Expectation] = {"window power": "either"}
BOTH: Mapping[Claim, Expectation] = {"window power": "covers", "full-load power": "covers", "work per joule": "covers"}
WINDOW_ONLY: Mapping[Claim, Expectation] = {
    "window power": "covers",
    "full-load power": "either",
    "work per joule": "covers",
}


def single(
    name: str,
    section: Section,
    power: MakePower,
    feeds: Meter | Feeds = WT310E,
    *,
    duration_s: float = 240.0,
    expect: Mapping[Claim, Expectation] = COVERS,
    work: MakeWork | None = None,
    process_w: float = 250.0,
    process_rate: float = 1000.0,
    rule: RuleName = "complete",
    register: Callable[[Generator, Meter], CertificateRegister] | None = None,
    record: Mapping[str, object] | None = None,
    narrow: bool = False,
    trials: int = 300,
) -> Scenario:
    """Declare a scenario of single runs; ``process_w`` and ``process_rate`` are the truths of the process' claims.

    ``record`` is what the record of the run states besides.
    """
    parts = ((feeds, 1.0),) if isinstance(feeds, Meter) else feeds

    def trial(rng: Generator) -> dict[str, Outcome]:
        true = power(rng, duration_s)
        done = even_work(duration_s) if work is None else work(rng, true, duration_s)
        fed = tuple((meter.drawn(rng), true.scaled(share)) for meter, share in parts)
        certificates = EMPTY if register is None else register(rng, fed[0][0])
        result = result_of(rng, Run(fed, duration_s, done, rule, certificates, dict(record or {})))
        mean_w = true.mean_w(0.0, duration_s)
        truths: dict[Claim, float] = {
            "window power": mean_w,
            "full-load power": process_w,
            "work per joule": done.total / (mean_w * duration_s),
            "work per second": process_rate,
        }
        outcomes: dict[str, Outcome] = {}
        for claim in expect:
            figure, truth = stated(result, claim), truths[claim]
            scale = 1.0 if claim.endswith("power") else 100 / truth
            outcomes[claim] = Outcome(
                None if figure.value is None else scale * (figure.value - truth),
                None if figure.half_width is None else scale * figure.half_width,
                figure.reason,
            )
        return outcomes

    return Scenario(name, section, trial, {str(claim): wanted for claim, wanted in expect.items()}, narrow, trials)


def steady(level_w: float = 250.0, sd_w: float = 2.0, tau_s: float = 0.3) -> MakePower:
    return lambda rng, d: of.constant(level_w) + of.noise(rng, sd_w, tau_s, d)


def wave(period_s: float, amplitude_w: float = 60.0, sd_w: float = 0.5) -> MakePower:
    def power(rng: Generator, duration_s: float) -> Power:
        periodic = of.square(amplitude_w, period_s, rng.uniform(0, period_s))
        return of.constant(250.0) + periodic + of.noise(rng, sd_w, 0.3, duration_s)

    return power


def steps_at_the_marks(rng: Generator, duration_s: float) -> Power:
    return of.load(0.0, duration_s, 150.0, 250.0) + of.noise(rng, 0.5, 0.3, duration_s)


def settled_and_held(rng: Generator, duration_s: float) -> Power:
    return of.load(-20.0, duration_s + 20.0, 150.0, 250.0) + of.noise(rng, 0.5, 0.3, duration_s)


def spikes(rng: Generator, duration_s: float) -> Power:
    return steady(sd_w=0.5)(rng, duration_s) + of.pulses(of.random_instants(rng, 20.0, duration_s), 0.2, 300.0)


def peaks(every_s: float, width_s: float, height_w: float) -> MakePower:
    def power(rng: Generator, duration_s: float) -> Power:
        begin_s = np.arange(-of.MARGIN_S, duration_s + of.MARGIN_S, every_s) + rng.uniform(0, every_s)
        return steady(sd_w=0.5)(rng, duration_s) + of.pulses(begin_s, width_s, height_w)

    return power


def drifting(rise_pct: float, sd_pct: float) -> MakePower:
    def power(rng: Generator, duration_s: float) -> Power:
        rise_w = 250.0 * rise_pct / 100
        line = of.constant(250.0 - rise_w / 2) + of.ramp(0.0, duration_s, rise_w)
        return line + of.noise(rng, 250.0 * sd_pct / 100 * 1.35, 0.3, duration_s)

    return power


def uniform(low: float, high: float) -> Callable[[Generator], float]:
    return lambda rng: float(rng.uniform(low, high))


def settled_square(rng: Generator, duration_s: float) -> Power:
    """A square of 90 s under a load that begins 20 s before the window and ends 20 s after it."""
    begin_s, end_s = -20.0, duration_s + 20.0
    swings = of.square(60.0, 90.0, rng.uniform(0, 90)).only(begin_s, end_s)
    return of.load(begin_s, end_s, 150.0, 250.0) + swings + of.noise(rng, 0.5, 0.3, duration_s)


def sliding(averaging_s: float, period_s: float, *, declared: bool) -> Meter:
    """A meter that averages over longer than the time between two readings."""
    return replace(WT310E, averaging_s=averaging_s, period_s=period_s, declares_averaging=declared)


def behind(late_s: float) -> Meter:
    return replace(WT310E, late_s=uniform(late_s, late_s))


DECLARED_AVERAGES = ((2, 1, 240), (5, 1, 240), (10, 1, 240), (60, 1, 240), (60, 1, 600), (300, 5, 600), (20, 1, 60))
"""Averaging time, period and window [s], as in the second review of trust."""
LATE = {
    "0..1 s late, undeclared": replace(WT310E, late_s=uniform(0.0, 1.0)),
    "1.5 s late, undeclared": replace(WT310E, late_s=uniform(1.5, 1.5)),
}

NOISE_AND_WAVES = (
    single("steady, noise 2 W tau 0.3 s, 240 s", "2", steady(), expect=BOTH, narrow=True, trials=600),
    single("noise 2 W tau 10 s, 240 s", "2", steady(tau_s=10.0), expect=WINDOW_ONLY, narrow=True),
    single("noise 2 W tau 30 s, 240 s", "2", steady(tau_s=30.0), expect=WINDOW_ONLY, narrow=True),
    single("square 60 W, 7.3 s, averaging, 240 s", "2", wave(7.3), expect=WINDOW_ONLY, narrow=True),
    single("square 60 W, 20 s, averaging, 60 s", "2", wave(20.0), duration_s=60, expect=WINDOW_ONLY, narrow=True),
    single(
        "sawtooth 10 W, 60 s, 240 s",
        "2",
        lambda rng, d: of.constant(250.0) + of.sawtooth(10.0, 60.0, rng.uniform(0, 60)) + of.noise(rng, 0.5, 0.3, d),
        expect=WINDOW_ONLY,
        narrow=True,
    ),
    single("square 60 W, 7.3 s, instantaneous 1 Hz", "2", wave(7.3), INSTANT, expect=EITHER),
    single("square 60 W, 7.3 s, instantaneous, dithered", "own", wave(7.3), DITHERED),
    single(
        "square 60 W, 1.000 s, instantaneous, locked phase",
        "2",
        wave(1.0),
        replace(INSTANT, locked=True),
        expect=EITHER,
    ),
    single("square 60 W, 1.000 s, instantaneous, free phase", "2", wave(1.0), INSTANT, expect=EITHER),
    single(
        "square 60 W, 1.000 s, instantaneous, dithered", "2", wave(1.0), replace(INSTANT, dithered=True), expect=EITHER
    ),
    single("square 60 W, 1.000 s, 0.25 s averaged of 1 s", "2", wave(1.0), QUARTER, expect=EITHER),
    single(
        "square 60 W, 1.000 s, 0.25 s of 1 s, dithered", "2", wave(1.0), replace(QUARTER, dithered=True), expect=EITHER
    ),
    single("square 60 W, 1.003 s, instantaneous", "2", wave(1.003), INSTANT, expect=EITHER),
    single("spikes 300 W x 0.2 s, averaging", "2", spikes),
    single("spikes 300 W x 0.2 s, instantaneous", "2", spikes, INSTANT, expect=EITHER),
    single("stamps jitter 0.1 s, square 60 W 7.3 s", "2", wave(7.3), replace(WT310E, jitter_s=0.1)),
    single("stamps jitter 0.3 s, square 60 W 7.3 s", "2", wave(7.3), replace(WT310E, jitter_s=0.3)),
    *(
        single(
            f"drift {rise} %, noise sd {sd} %",
            "2",
            drifting(rise, sd),
            expect=WINDOW_ONLY,
            narrow=True,
        )
        for rise, sd in ((0.1, 0.02), (0.2, 0.05), (0.3, 0.1), (0.5, 0.1), (0.8, 0.26), (0.8, 0.4))
    ),
)

EDGES = (
    *(single(f"steps at the marks, {d} s", "2", steps_at_the_marks, duration_s=d) for d in (60, 240)),
    *(single(f"steps at the marks, {d} s", "own", steps_at_the_marks, duration_s=d) for d in (3, 10)),
    *(
        single(
            f"steps at the marks, {d} s, latency measured",
            "own",
            steps_at_the_marks,
            replace(WT310E, u_latency_s=0.02),
            duration_s=d,
        )
        for d in (3, 10)
    ),
    *(
        single(f"steps at the marks, {late}, {d} s", "2", steps_at_the_marks, meter, duration_s=d)
        for late, meter in LATE.items()
        for d in (60, 240)
    ),
    single("settled and held, 1.5 s late", "2", settled_and_held, LATE["1.5 s late, undeclared"], narrow=True),
    *(
        single(f"steps at the marks, sliding mean of 5 s, {d} s", "2", steps_at_the_marks, SLIDING, duration_s=d)
        for d in (60, 240)
    ),
    *(
        single(
            f"steps at the marks, mean of {mean} s declared, 1 every {period} s, {d} s",
            "own",
            steps_at_the_marks,
            sliding(mean, period, declared=True),
            duration_s=d,
            narrow=True,
        )
        for mean, period, d in DECLARED_AVERAGES
    ),
    single(
        "steps at the marks, mean of 300 s declared, 1 every 1 s, 240 s",
        "own",
        steps_at_the_marks,
        sliding(300, 1, declared=True),
        expect=REFUSED,
        trials=60,
    ),
    *(
        single(
            f"settled square of 90 s, mean of 60 s declared, {d} s",
            "own",
            settled_square,
            sliding(60, 1, declared=True),
            duration_s=d,
            narrow=True,
        )
        for d in (240, 250)
    ),
    *(
        single(
            f"steps at the marks, mean of {mean} s not declared, 1 every {period} s, {d} s",
            "own",
            steps_at_the_marks,
            sliding(mean, period, declared=False),
            duration_s=d,
            expect=EITHER,
        )
        for mean, period, d in ((10, 1, 240), (20, 1, 60), (60, 1, 240), (300, 5, 600))
    ),
    *(
        single(
            f"steps at the marks, {late} s late, undeclared, {d} s",
            "own",
            steps_at_the_marks,
            behind(late),
            duration_s=d,
        )
        for late, d in ((3.0, 240), (4.0, 60), (8.0, 60), (-1.0, 60), (-1.0, 240))
    ),
    single(
        "steps at the marks, 1.5 s late, declared as not late, 60 s",
        "own",
        steps_at_the_marks,
        replace(behind(1.5), u_latency_s=0.0),
        duration_s=60,
    ),
    single("steps at the marks, instantaneous, 60 s", "2", steps_at_the_marks, INSTANT, duration_s=60, expect=EITHER),
    single("steps at the marks, instantaneous, dithered, 60 s", "own", steps_at_the_marks, DITHERED, duration_s=60),
)


def losing(*spoil: at.Spoil, base: Meter = WT310E) -> Meter:
    return replace(base, spoil=spoil)


SLOW = wave(20.0)
WIDE = steady(sd_w=30.0)
"""Readings of 1 s scatter by 20 W."""
LOSSES = (
    *(
        single(
            f"{share} % lost at random, rule {rule}", "2", SLOW, losing(at.lose(share / 100)), rule=rule, expect=EITHER
        )
        for rule in ("complete", "mlperf")
        for share in (10, 50, 75)
    ),
    single("all above 280 W lost, rule complete", "2", SLOW, losing(at.lose_above(280.0)), expect=REFUSED),
    single("all above 280 W lost, rule mlperf", "2", SLOW, losing(at.lose_above(280.0)), rule="mlperf", expect=REFUSED),
    *(
        single(
            f"every 2nd lost in phase with a 2 s square, rule {rule}",
            "2",
            wave(2.0),
            losing(at.lose_every_second),
            rule=rule,
            expect=EITHER,
        )
        for rule in ("complete", "mlperf")
    ),
    *(
        single(
            f"peaks of 300 W x 0.3 s invalid (4 %), rule {rule}",
            "2",
            peaks(25.0, 0.3, 300.0),
            losing(at.invalid_above(290.0)),
            rule=rule,
            expect=EITHER,
        )
        for rule in ("complete", "mlperf")
    ),
    single(
        "peaks of 600 W x 0.5 s invalid (4.5 %)",
        "2",
        peaks(22.0, 0.5, 600.0),
        losing(at.invalid_above(300.0)),
        expect=EITHER,
    ),
    single(
        "frozen all along, flagged stale (A2)", "2", wave(20.0), losing(at.frozen(-30.0, flagged=True)), expect=REFUSED
    ),
    single(
        "frozen all along, not flagged (A2)", "2", wave(20.0), losing(at.frozen(-30.0, flagged=False)), expect=REFUSED
    ),
    single(
        "a sixth of all readings cut at the top, not flagged", "own", WIDE, losing(at.cut_off(0, 270)), expect=REFUSED
    ),
    single("half of all readings cut at the top, not flagged", "own", WIDE, losing(at.cut_off(0, 250)), expect=REFUSED),
    single("a sixth cut at the bottom, not flagged", "own", WIDE, losing(at.cut_off(230, 600)), expect=REFUSED),
    single("noise 20 W, nothing cut", "own", WIDE),
    single("half of all readings clipped, over range (A2)", "2", SLOW, losing(at.clipped_above(260.0)), expect=REFUSED),
)

ALONE = replace(REGISTER, register=Register(resolution_wh=0.1))
REGISTERS = (
    single(
        "register alone 0.1 Wh, 600 s, constant load",
        "2",
        steady(sd_w=0.0001),
        ALONE,
        duration_s=600,
        expect=BOTH,
        narrow=True,
    ),
    single("register alone 0.1 Wh, 600 s, noise 2 W", "2", steady(), ALONE, duration_s=600, narrow=True),
    *(
        single(
            f"register alone {wh:g} Wh, {d} s",
            "own",
            power,
            replace(REGISTER, register=Register(resolution_wh=wh)),
            duration_s=d,
            narrow=True,
        )
        for wh, d, power in ((1.0, 600, steady(sd_w=0.5)), (0.1, 120, steady(sd_w=0.5)))
    ),
    *(
        single(
            f"register alone {wh:g} Wh, {d} s, steps at the marks",
            "own",
            steps_at_the_marks,
            replace(REGISTER, register=Register(resolution_wh=wh)),
            duration_s=d,
        )
        for wh, d in ((1.0, 600), (0.1, 120))
    ),
    single(
        "register alone 10 Wh, 600 s",
        "own",
        steady(sd_w=0.5),
        replace(REGISTER, register=Register(resolution_wh=10.0)),
        duration_s=600,
        expect=EITHER,
    ),
    single(
        "register alone, updated every 10 s",
        "2",
        steady(sd_w=0.5),
        replace(ALONE, register=Register(update_s=10.0)),
        duration_s=600,
        narrow=True,
    ),
    single(
        "register alone, float32 at 3 MWh",
        "2",
        steady(sd_w=0.5),
        replace(ALONE, register=Register(start_wh=3e6, single_precision=True)),
        duration_s=600,
        narrow=True,
    ),
    single(
        "register rolls over, declared",
        "2",
        steady(sd_w=0.5),
        replace(ALONE, register=Register(start_wh=980.0, wraps_at_wh=1000.0)),
        duration_s=600,
        narrow=True,
    ),
    single(
        "register rolls over, not declared",
        "2",
        steady(sd_w=0.5),
        replace(ALONE, register=Register(start_wh=980.0, wraps_at_wh=1000.0, wrap_declared=False)),
        duration_s=600,
        expect=REFUSED,
    ),
    single(
        "power with a register beside it, coarse",
        "2",
        steady(sd_w=0.5),
        replace(WT310E, register=Register(resolution_wh=10.0)),
        duration_s=600,
        narrow=True,
    ),
    single(
        "power with a register beside it, stepping every 10 s",
        "2",
        steady(sd_w=0.5),
        replace(WT310E, register=Register(update_s=10.0)),
        duration_s=600,
        narrow=True,
    ),
    single(
        "power with a fine register beside it",
        "2",
        steady(sd_w=0.5),
        replace(WT310E, register=Register(resolution_wh=0.001)),
        duration_s=600,
        narrow=True,
    ),
)


def white_spans(count: int, sd: float = 0.01) -> MakeWork:
    """Work of ``count`` spans whose rates scatter independently about 1000/s."""

    def work(rng: Generator, true: Power, duration_s: float) -> Work:
        edges_s = np.linspace(0.0, duration_s, count + 1)
        return Work(edges_s, np.round(np.diff(edges_s) * 1000.0 * (1 + rng.normal(0, sd, count))))

    return work


RATE_COVERS: Mapping[Claim, Expectation] = {"work per second": "covers"}
RATE_REFUSED: Mapping[Claim, Expectation] = {"work per second": "refused"}
SPANS = tuple(
    single(
        f"throughput from {count} white spans",
        "3",
        steady(sd_w=0.5),
        work=white_spans(count),
        duration_s=60,
        expect=RATE_REFUSED if count < 3 else RATE_COVERS,
        trials=600,
    )
    for count in (1, 2, 3, 4, 5, 7, 8, 12)
)


def ramp_then_plateau(rng: Generator, duration_s: float) -> Power:
    return of.constant(250.0) + of.settling(-20.0, -15.0, 30.0) + of.noise(rng, 0.5, 0.3, duration_s)


def fans_hunting(rng: Generator, duration_s: float) -> Power:
    hunting = of.sine(2.0, rng.uniform(35, 55), rng.uniform(0, 50)) + of.sine(
        1.0, rng.uniform(11, 17), rng.uniform(0, 17)
    )
    return of.constant(250.0) + hunting + of.noise(rng, 0.5, 0.3, duration_s)


def turbo(rng: Generator, duration_s: float) -> Power:
    return of.two_states(rng, 230.0, 270.0, 8.0, duration_s) + of.noise(rng, 0.5, 0.3, duration_s)


def throttled_in_the_middle(rng: Generator, duration_s: float) -> Power:
    return steady(sd_w=0.5)(rng, duration_s) + of.step(rng.uniform(0.3, 0.7) * duration_s, -30.0)


def ends_early(rng: Generator, duration_s: float) -> Power:
    return of.load(-20.0, duration_s - 2.0, 150.0, 250.0) + of.noise(rng, 0.5, 0.3, duration_s)


def following(sign: float) -> MakeWork:
    """Work whose rate follows power (``sign`` 1) or runs against it (-1)."""

    def work(rng: Generator, true: Power, duration_s: float) -> Work:
        edges_s = np.linspace(0.0, duration_s, round(duration_s / 5.0) + 1)
        mean_w = np.diff(true.energy_j(edges_s)) / np.diff(edges_s)
        rate = 1000.0 * (1 + sign * (mean_w / 250.0 - 1)) * (1 + rng.normal(0, 0.001, len(mean_w)))
        return Work(edges_s, np.round(rate * np.diff(edges_s)))

    return work


def bursts(rng: Generator, true: Power, duration_s: float) -> Work:
    edges_s = np.linspace(0.0, duration_s, round(duration_s / 2.0) + 1)
    return Work(edges_s, 400.0 * rng.poisson(5.0, len(edges_s) - 1))


def pausing(rng: Generator, true: Power, duration_s: float) -> Work:
    edges_s = np.linspace(0.0, duration_s, round(duration_s / 5.0) + 1)
    amount = np.full(len(edges_s) - 1, 5000.0)
    amount[rng.permutation(len(amount))[: len(amount) // 4]] = 0.0
    return Work(edges_s, amount)


def pair(first: Meter, second: Meter, share: float = 0.5) -> Feeds:
    return (
        (replace(first, name="feed 1", serial="A1"), share),
        (replace(second, name="feed 2", serial="A2"), 1 - share),
    )


def certified(rng: Generator, meter: Meter) -> CertificateRegister:
    """Calibrate a meter against a reference whose gain is off by 0.01 % (one standard deviation)."""
    reference_w, factor = np.array([50.0, 100.0, 200.0, 300.0, 500.0, 250.0]), (1.0, 1.0, 1.0, 1.0, 1.0, 0.5)
    true_w = reference_w * (1 + rng.normal(0, REFERENCE_GAIN))
    error_w = np.zeros(6) if meter.curve_w is None else meter.curve_w(true_w)
    indicated_w = true_w + error_w + rng.normal(0, REPEAT_W, 6)
    expanded_w = 2 * np.hypot(REPEAT_W, REFERENCE_GAIN * reference_w)
    points = tuple(
        Point(reference_w=float(p), indication_w=float(i), expanded_u_w=float(u), k=2.0, power_factor=f)
        for p, i, u, f in zip(reference_w, indicated_w, expanded_w, factor, strict=True)
    )
    common = CommonUncertainty(gain=REFERENCE_GAIN, offset_w=0.0)
    certificate = Certificate(
        id="C1",
        number="1",
        meter=MeterIdentity(manufacturer="maker", model=meter.model, serial=meter.serial or ""),
        laboratory=Laboratory(name="laboratory"),
        method="comparison",
        calibrated_on=CALIBRATED,
        due_on=CALIBRATED + timedelta(days=365),
        as_found=(CalibratedRange(name=meter.range_name or "", points=points, common=common),),
    )
    return CertificateRegister((Accepted(1, 1, "added", certificate, canonical_sha256(certificate)),))


OFFSET = replace(WT310E, reading_pct=0.0, range_pct=0.05)
EQUAL = replace(WT310E, resolution=None, curve_w=lambda power_w: np.round(power_w) - power_w)
RATIO_COVERS: Mapping[Claim, Expectation] = {"work per joule": "covers"}
OWN = (
    single(
        "two feeds, periods 1.0 and 0.7 s, square 7.3 s",
        "own",
        wave(7.3),
        pair(WT310E, replace(WT310E, period_s=0.7)),
        narrow=True,
    ),
    single(
        "two feeds, 5 s PDU beside 1 s meter, square 7.3 s",
        "own",
        wave(7.3),
        pair(WT310E, replace(WT310E, period_s=5.0), 0.3),
        narrow=True,
    ),
    single("noise 5 W tau 0.3 s, 0.25 s averaged of 1 s", "own", steady(sd_w=5.0), QUARTER, expect=EITHER),
    single("noise 5 W tau 0.3 s, 0.25 s of 1 s, dithered", "own", steady(sd_w=5.0), replace(QUARTER, dithered=True)),
    single("noise 5 W tau 0.3 s, instantaneous", "own", steady(sd_w=5.0), INSTANT, expect=EITHER),
    single("noise 5 W tau 0.3 s, instantaneous, dithered", "own", steady(sd_w=5.0), DITHERED),
    single("noise 5 W tau 5 s, instantaneous, dithered", "own", steady(sd_w=5.0, tau_s=5.0), DITHERED),
    single("warming up to a plateau", "own", ramp_then_plateau, expect=WINDOW_ONLY, process_w=250.0, narrow=True),
    single("fans hunting, 2 W", "own", fans_hunting, expect=WINDOW_ONLY, narrow=True),
    single("turbo switching 40 W every 8 s", "own", turbo, expect=WINDOW_ONLY, narrow=True),
    single("noise 2 W tau 60 s, 600 s", "own", steady(tau_s=60.0), duration_s=600, expect=WINDOW_ONLY, narrow=True),
    single("short window: 15 s", "own", steady(), duration_s=15, expect=WINDOW_ONLY),
    single("short window: 5 s", "own", steady(), duration_s=5, expect=EITHER),
    single(
        "window no multiple of the period: square 40 s in 100 s",
        "own",
        wave(40.0),
        duration_s=100,
        expect=WINDOW_ONLY,
        narrow=True,
    ),
    single("throttled in the middle", "own", throttled_in_the_middle, expect=WINDOW_ONLY, narrow=True),
    single("load ends 2 s before its mark", "own", ends_early, expect=WINDOW_ONLY),
    single(
        "work follows power, noise 4 W tau 5 s",
        "own",
        steady(sd_w=4.0, tau_s=5.0),
        work=following(1.0),
        expect=RATIO_COVERS,
        narrow=True,
    ),
    single(
        "work runs against power, noise 4 W tau 5 s",
        "own",
        steady(sd_w=4.0, tau_s=5.0),
        work=following(-1.0),
        expect=RATIO_COVERS,
        narrow=True,
    ),
    single(
        "work in bursts",
        "own",
        steady(sd_w=0.5),
        work=bursts,
        expect={"work per joule": "covers", "work per second": "covers"},
    ),
    single(
        "a quarter of the spans without work",
        "own",
        steady(sd_w=0.5),
        work=pausing,
        expect={"work per joule": "covers", "work per second": "covers"},
        process_rate=750.0,
    ),
    single("meter corrected by its certificate", "own", steady(sd_w=0.5), CERTIFIED, register=certified, narrow=True),
    single("meter with an offset only", "own", steady(sd_w=0.5), OFFSET, narrow=True),
    single(
        "12 W on the 600 W range", "own", lambda rng, d: of.constant(12.0) + of.noise(rng, 0.2, 0.3, d), narrow=True
    ),
    single(
        "whole-watt meter, quiet load",
        "own",
        lambda rng, d: of.constant(rng.uniform(249, 251)) + of.noise(rng, 0.05, 0.3, d),
        PLUG,
        expect=EITHER,
    ),
    single("whole-watt meter, noise 2 W tau 0.3 s", "own", steady(), PLUG, narrow=True),
    single(
        "all readings equal, last digit not known",
        "own",
        lambda rng, d: of.constant(rng.uniform(249, 251)),
        EQUAL,
        expect=REFUSED,
    ),
    single(
        "clock jumps 1 h ahead at half time",
        "own",
        steady(sd_w=0.5),
        losing(at.clock_step(120.0, 3600.0)),
        expect=REFUSED,
    ),
    single(
        "clock jumps 5 s ahead at half time, square 20 s", "own", SLOW, losing(at.clock_step(120.0, 5.0)), expect=EITHER
    ),
    single(
        "clock jumps 5 s back at half time, square 20 s", "own", SLOW, losing(at.clock_step(120.0, -5.0)), expect=EITHER
    ),
    single(
        "first 2 s not read, steps at the marks",
        "own",
        steps_at_the_marks,
        losing(at.lose_between(-5.0, 2.0)),
        expect=EITHER,
    ),
    single("last 10 s not read, square 20 s", "own", SLOW, losing(at.lose_between(230.0, 300.0)), expect=EITHER),
    single(
        "2 repeated readings in every 10, square 7.3 s", "own", wave(7.3), losing(at.stale_runs(2, 10)), expect=EITHER
    ),
    single("5 repeated readings in every 30, square 20 s", "own", SLOW, losing(at.stale_runs(5, 30)), expect=EITHER),
    single(
        "frozen from half time on, not flagged, drift 3 %",
        "own",
        drifting(3.0, 0.1),
        losing(at.frozen(120.0, flagged=False)),
        expect=REFUSED,
    ),
    single(
        "frozen from half time on, flagged, drift 3 %",
        "own",
        drifting(3.0, 0.1),
        losing(at.frozen(120.0, flagged=True)),
        expect=REFUSED,
    ),
    single(
        "one peak of 600 W x 1 s clipped at 300 W, over range",
        "own",
        lambda rng, d: steady(sd_w=0.5)(rng, d) + of.pulses(rng.uniform(20, d - 20, 1), 1.0, 600.0),
        losing(at.clipped_above(300.0)),
        duration_s=500,
        expect=EITHER,
    ),
    single(
        "register alone 1 Wh, 60 s",
        "own",
        steady(sd_w=0.5),
        replace(REGISTER, register=Register(resolution_wh=1.0)),
        duration_s=60,
        expect=EITHER,
    ),
    single(
        "register alone 0.1 Wh, square 60 W 20 s, 600 s",
        "own",
        SLOW,
        ALONE,
        duration_s=600,
        expect=WINDOW_ONLY,
        narrow=True,
    ),
    single(
        "register counts 2 % more than power shows",
        "own",
        steady(sd_w=0.5),
        replace(WT310E, register=Register(resolution_wh=0.001), register_counts=1.02),
        expect=REFUSED,
    ),
    single(
        "peaks lost by power, fine register beside it",
        "own",
        peaks(25.0, 0.3, 300.0),
        replace(WT310E, spoil=(at.invalid_above(290.0),), register=Register(resolution_wh=0.001)),
        expect=EITHER,
    ),
    single("5 s PDU, 60 s window, square 7.3 s", "own", wave(7.3), replace(WT310E, period_s=5.0), duration_s=60),
    single("no specification", "own", steady(), replace(WT310E, reading_pct=0.0, range_pct=0.0), expect=REFUSED),
    single("2 % of readings lost at random, square 7.3 s", "own", wave(7.3), losing(at.lose(0.02)), expect=EITHER),
)

SCENARIOS = (*NOISE_AND_WAVES, *EDGES, *LOSSES, *REGISTERS, *SPANS, *OWN)
