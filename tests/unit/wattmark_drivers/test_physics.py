"""Readings that no load and no live meter shows are marked with the reason; what real meters show is not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.suspicion import Suspicion
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.physics import Physics
from wattmark_drivers.reading import Channel, Kind, Quality, Reading

IDENTITY = MeterIdentity("wall", "test.meter", "Test", "Test")
ON_THE_MAINS = replace(IDENTITY, suspicion=Suspicion(on_the_mains=True))
BMC = replace(IDENTITY, indicative=True)
STEPS = {"power": 0.1, "voltage": 0.1, "current": 0.001, "frequency": 0.1}
UNITS = {
    "power": "W",
    "voltage": "V",
    "current": "A",
    "frequency": "Hz",
    "energy": "Wh",
    "power_factor": "1",
    "apparent_power": "VA",
}
GOOD = Quality.GOOD
IMPLAUSIBLE = Quality.IMPLAUSIBLE


def quantity(name: str) -> str:
    return next(item for item in ("power_factor", "apparent_power", *UNITS) if item in name)


def channel(name: str, step: float | None) -> Channel:
    what = quantity(name)
    kind = Kind.COUNTER if what == "energy" else Kind.INSTANTANEOUS
    return Channel(name, what, UNITS[what], kind, resolution=step)


def answer(t_s: float = 0.0, bad: tuple[str, ...] = (), **values: float) -> list[Reading]:
    return [
        Reading(
            name,
            value,
            UNITS[quantity(name)],
            int(t_s * 1e9),
            0,
            Kind.COUNTER if "energy" in name else Kind.INSTANTANEOUS,
            quality=IMPLAUSIBLE if name in bad else GOOD,
        )
        for name, value in values.items()
    ]


def judged(
    *answers: list[Reading], identity: MeterIdentity = IDENTITY, steps: dict[str, float] | None = None
) -> list[dict[str, Quality]]:
    """Mark answers in turn; steps of the last digit by quantity."""
    known = STEPS if steps is None else steps
    names = dict.fromkeys(reading.channel for readings in answers for reading in readings)
    physics = Physics(identity, [channel(name, known.get(quantity(name))) for name in names])
    return [{item.channel: item.quality for item in physics.mark(readings)} for readings in answers]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        # A switch reports 3200 W at 227.2 V and 9.15 A: at most 2079 VA.
        ({"power": 3200, "voltage": 227.2, "current": 9.15}, Quality.EXCEEDS_VA),
        ({"power": -3200, "voltage": 227.2, "current": 9.15}, Quality.EXCEEDS_VA),
        ({"power": 3350, "voltage": 230, "current": 1.5}, Quality.EXCEEDS_VA),
        ({"power": 2950, "voltage": 230, "current": 0.526}, Quality.EXCEEDS_VA),
        ({"power": 6553.5, "voltage": 238, "current": 0.71}, Quality.NO_VALUE),
        ({"power": -0.1, "voltage": 230, "current": 1.5}, Quality.NO_VALUE),
        # A meter of a module shows 335 W at 1.5 A while its volts are zero.
        ({"power": 335, "voltage": 0, "current": 1.5}, Quality.NO_VOLTAGE),
        ({"power": 335, "voltage": 0, "current": 0}, Quality.NO_VOLTAGE),
        ({"power_l2": 900, "voltage_l2": 230, "current_l2": 2}, Quality.EXCEEDS_VA),
        ({"power_ch4": 900, "voltage_ch4": 230, "current_ch4": 2}, Quality.EXCEEDS_VA),
        # Ends of integer formats where nothing else is told.
        *(({"power": end}, Quality.NO_VALUE) for end in (-3276.8, -32768, -327.68, 6553.5, 65535, 32767, 2**32 - 1)),
    ],
)
@pytest.mark.parametrize("identity", [IDENTITY, ON_THE_MAINS])
def test_impossible_power_is_marked_with_its_reason(
    values: dict[str, float], reason: Quality, identity: MeterIdentity
) -> None:
    (marks,) = judged(answer(**values), identity=identity)
    power = next(iter(values))
    assert marks[power] & reason
    assert marks[power] & IMPLAUSIBLE


@pytest.mark.parametrize(
    ("values", "steps"),
    [
        # A resistive load; one at a small load, where a step of the amperes is 23 W; below the starting current.
        ({"power": 1000, "voltage": 230, "current": 4.348}, STEPS),
        ({"power": 46, "voltage": 230, "current": 0.1}, {"current": 0.1, "voltage": 1, "power": 1}),
        ({"power": 40, "voltage": 230, "current": 0.1}, {}),
        ({"power": 3.6, "voltage": 230, "current": 0}, STEPS),
        # Export, a reactive load without power, an open input with its noise, the last digit without a load.
        ({"power": -800, "voltage": 230, "current": 3.6}, STEPS),
        ({"power": 0, "voltage": 230, "current": 0.12}, STEPS),
        ({"power": 0.4, "voltage": 0, "current": 0.002}, STEPS),
        ({"power": -0.1, "voltage": 230, "current": 0.01}, STEPS),
        # Direct current, and a load of 6.5 kW that volts and amperes confirm.
        ({"power": 120.0, "voltage": 12.0, "current": 10.0}, STEPS),
        ({"power": 6553.5, "voltage": 230, "current": 28.6}, STEPS),
        # Three phases whose total has mean volts and amperes beside it; a delta without a neutral.
        (
            {
                "power": 3000,
                "voltage": 230,
                "current": 4.4,
                **{f"{q}_l{n}": v for n in (1, 2, 3) for q, v in (("power", 1000), ("voltage", 230), ("current", 4.4))},
            },
            STEPS,
        ),
        (
            {
                "power": 3000,
                **{f"{q}_l{n}": v for n in (1, 2, 3) for q, v in (("power", 0), ("voltage", 0), ("current", 4.4))},
            },
            STEPS,
        ),
        # Parts that the model's limits exclude prove nothing, and neither does what is not a number.
        ({"power": math.nan, "voltage": 230, "current": 1}, STEPS),
        ({"power": 100, "voltage": math.nan, "current": 1}, STEPS),
        # The feed is off: an analyser that does not live on it shows 0 W rightly.
        ({"power": 0, "voltage": 0, "current": 0}, STEPS),
        ({"power": 100, "energy": 0.0}, STEPS),
    ],
)
def test_what_real_meters_show_is_not_marked(values: dict[str, float], steps: dict[str, float]) -> None:
    (marks,) = judged(answer(**values), steps=steps)
    assert set(marks.values()) == {GOOD}


def test_a_total_is_held_against_the_sum_of_its_phases() -> None:
    phases = {f"{q}_l{n}": v for n in (1, 2, 3) for q, v in (("power", 220), ("voltage", 230), ("current", 1))}
    right, wrong = judged(answer(power=660, **phases), answer(power=800, **phases))
    assert set(right.values()) == {GOOD}
    assert wrong == {**dict.fromkeys(phases, GOOD), "power": Quality.EXCEEDS_VA | IMPLAUSIBLE}


def test_a_total_that_holds_an_impossible_phase_is_impossible_too() -> None:
    phases = {f"{q}_l{n}": v for n in (1, 2, 3) for q, v in (("power", 100), ("voltage", 230), ("current", 1))}
    (marks,) = judged(answer(**{**phases, "voltage_l3": 0.0}, power=300))
    assert marks["power"] & marks["power_l3"] & Quality.NO_VOLTAGE
    assert marks["power_l1"] is GOOD


def test_amperes_outside_their_limits_prove_nothing_against_power() -> None:
    (marks,) = judged(answer(bad=("current",), power=500, voltage=230, current=0.0002))
    assert marks["power"] is GOOD


def test_volts_outside_their_limits_are_none_where_they_are_zero() -> None:
    (marks,) = judged(answer(bad=("voltage",), power=335, voltage=0, current=1.5))
    assert marks["power"] & Quality.NO_VOLTAGE


def test_power_that_follows_a_step_of_the_load_one_poll_later_is_not_marked() -> None:
    before, after = {"voltage": 230, "current": 2.0}, {"voltage": 230, "current": 0.5}
    answers = [answer(power=440, **before), answer(power=440, **after), answer(power=440, **after)]
    marks = [item["power"] for item in judged(*answers)]
    assert marks == [GOOD, GOOD, Quality.EXCEEDS_VA | IMPLAUSIBLE]


def test_one_wrong_answer_in_four_is_marked_and_no_other() -> None:
    answers = [answer(t, power=2950 if t % 4 == 2 else 119, voltage=230, current=0.526) for t in range(16)]
    marks = judged(*answers, identity=ON_THE_MAINS, steps={"power": 1, "voltage": 1, "current": 0.001})
    assert [bool(item["power"] & Quality.EXCEEDS_VA) for item in marks] == [t % 4 == 2 for t in range(16)]


def test_requests_apart_are_given_room_for_a_load_that_moves() -> None:
    """Amperes are read a moment before watts, while a load swings between 100 and 160 W."""
    late = answer(1.0, power=160)
    early = answer(0.9, voltage=230, current=0.45)
    far = answer(1.0, power=1600)
    assert judged([*late, *early])[0]["power"] is GOOD
    assert judged([*far, *early])[0]["power"] & Quality.EXCEEDS_VA


def test_amperes_that_follow_the_watts_of_the_same_answer_prove_little() -> None:
    """A chip that gives volts and amperes in turn: watts rise from 100 to 190 W before the amperes do."""
    late = replace(ON_THE_MAINS, suspicion=Suspicion(on_the_mains=True, parts_apart=True))
    steps = {"power": 1, "voltage": 1, "current": 0.001}
    rising = [answer(power=watts, voltage=230, current=0.45) for watts in (100, 140, 190)]
    assert {item["power"] for item in judged(*rising, identity=late, steps=steps)} == {GOOD}
    (spike,) = judged(answer(power=2950, voltage=230, current=0.526), identity=late, steps=steps)
    assert spike["power"] & Quality.EXCEEDS_VA
    for model in ("tasmota.plug", "tasmota.mqtt"):
        assert load_catalogue()[model].suspicion.parts_apart


def test_amperes_in_whole_ones_leave_room_for_what_they_hide() -> None:
    """782 W at 230 V are 3.4 A, which a device without decimals shows as 3; one that wrote some before shows 3.0."""
    whole = answer(power=782, voltage=230, current=3)
    assert judged(whole, steps={})[0]["power"] is GOOD
    _, later = judged(answer(power=700, voltage=230, current=3.17), whole, steps={})
    assert later["power"] & Quality.EXCEEDS_VA


@pytest.mark.parametrize("current", [0.0, -1.8e-35])
def test_amperes_of_nothing_are_not_taken_for_whole_ones(current: float) -> None:
    assert judged(answer(power=140, voltage=230.7, current=current), steps={})[0]["power"] & Quality.EXCEEDS_VA


def test_nothing_but_zeros_is_no_answer_of_a_live_meter() -> None:
    dead = {"power": 0, "voltage": 0, "current": 0, "frequency": 0, "energy": 7.0}
    (marks,) = judged(answer(bad=("frequency",), **dead))
    assert {name for name, quality in marks.items() if quality & Quality.NOT_LIVE} >= {"power", "voltage", "current"}
    assert marks["energy"] is GOOD
    (resting,) = judged(answer(power=0, voltage=230, current=0, frequency=50))
    assert set(resting.values()) == {GOOD}


def test_a_plug_on_the_mains_never_sees_zero_volts() -> None:
    (marks,) = judged(answer(power=0, voltage=0, current=0), identity=ON_THE_MAINS)
    assert all(quality & Quality.NOT_LIVE for quality in marks.values())


def test_an_inlet_with_several_phases_behind_one_pair_is_not_judged_by_it() -> None:
    identity = replace(IDENTITY, suspicion=Suspicion(one_phase=False))
    (marks,) = judged(answer(power=9000, voltage=230, current=13.5), identity=identity)
    assert marks["power"] is GOOD


def test_coarse_sensors_of_a_bmc_are_marked_only_where_they_are_absurd() -> None:
    fields = {"psu1_input_voltage": 230, "psu1_input_current": 0.4}
    assert judged(answer(psu1_input_power=150, **fields), identity=BMC)[0]["psu1_input_power"] is GOOD
    assert judged(answer(psu1_input_power=1500, **fields), identity=BMC)[0]["psu1_input_power"] & Quality.EXCEEDS_VA
    assert (
        judged(answer(psu1_input_power=90, psu1_input_voltage=0, psu1_input_current=0.4), identity=BMC)[0][
            "psu1_input_power"
        ]
        is GOOD
    )


def test_an_analyser_at_the_low_end_of_its_range_may_be_off_by_its_zero() -> None:
    identity = replace(IDENTITY, range_w=12_000.0)
    (marks,) = judged(answer(power=40, voltage=230, current=0.05), identity=identity)
    assert marks["power"] is GOOD


THREE = {f"{q}_l{n}": v for n in (1, 2, 3) for q, v in (("power", 220.0), ("voltage", 230.0), ("current", 1.0))}


@pytest.mark.parametrize(
    "values",
    [
        # A load of 118 W whose plug shows 0 W, kilowatts, and what the words of a float the wrong way round give.
        {"power": 0, "voltage": 231, "current": 0.53},
        {"power": 0.118, "voltage": 231, "current": 0.53},
        {"power": 0.0, "apparent_power": 333},
    ],
)
def test_hardly_any_watts_at_live_volt_amperes_are_marked(values: dict[str, float]) -> None:
    (marks,) = judged(answer(**values))
    assert marks["power"] & Quality.AT_ODDS
    assert marks["power"] & IMPLAUSIBLE


def test_zeros_between_right_watts_are_marked_and_no_other() -> None:
    answers = [answer(t, power=0 if t % 4 == 2 else 119, voltage=230, current=0.526) for t in range(16)]
    assert [bool(item["power"] & Quality.AT_ODDS) for item in judged(*answers)] == [t % 4 == 2 for t in range(16)]


def test_a_load_that_was_just_switched_off_or_on_is_not_marked() -> None:
    on, off = {"voltage": 230, "current": 0.5}, {"voltage": 230, "current": 0.0}
    answers = [answer(power=0, **off), answer(power=0, **on), answer(power=110, **on), answer(power=0, **off)]
    assert {item["power"] for item in judged(*answers)} == {GOOD}


def test_whole_watts_of_a_small_load_are_not_marked() -> None:
    assert judged(answer(power=0, voltage=230, current=0.2), steps={})[0]["power"] is GOOD
    assert judged(answer(power=0, voltage=230, current=2.0), steps={"power": 10})[0]["power"] is GOOD


def test_watts_above_the_apparent_power_are_marked_where_nothing_else_is_told() -> None:
    """A PDU's inlet gives W and VA; a plug whose volts and amperes are null does too."""
    assert judged(answer(power=900, apparent_power=333))[0]["power"] & Quality.EXCEEDS_VA
    assert judged(answer(power=900, voltage=math.nan, current=math.nan, apparent_power=333))[0]["power"] & (
        Quality.EXCEEDS_VA
    )
    assert judged(answer(power=324, apparent_power=333))[0]["power"] is GOOD
    assert judged(answer(power=330, apparent_power=330), steps={"power": 10})[0]["power"] is GOOD


@pytest.mark.parametrize("total_w", [220.0, 66.0, 330.0, -660.0])
def test_a_total_that_is_not_the_sum_of_its_phases_is_marked(total_w: float) -> None:
    (marks,) = judged(answer(power=total_w, **THREE))
    assert marks["power"] & Quality.AT_ODDS
    assert marks["power_l1"] is GOOD


def test_a_total_that_is_one_answer_late_is_not_marked() -> None:
    high = {name: 2 * value if "power" in name or "current" in name else value for name, value in THREE.items()}
    answers = [answer(power=660, **THREE), answer(power=660, **high), answer(power=1320, **high)]
    assert {item["power"] for item in judged(*answers)} == {GOOD}


@pytest.mark.parametrize("change", [{"power_l2": -220.0}, {"power_l2": 0.0, "voltage_l2": 0.0}, {"power_l2": 0.0}])
def test_a_total_that_counts_a_phase_wrongly_is_marked(change: dict[str, float]) -> None:
    """A transformer the wrong way round, a blown fuse of a voltage input, a phase that is lost."""
    phases = {**THREE, **change}
    (marks,) = judged(answer(power=sum(phases[f"power_l{n}"] for n in (1, 2, 3)), **phases))
    assert marks["power"] & Quality.AT_ODDS


def test_a_server_on_one_phase_of_three_is_not_marked() -> None:
    phases = {**THREE, **{f"{q}_l{n}": 0.0 for n in (2, 3) for q in ("power", "current")}}
    assert set(judged(answer(power=220, **phases))[0].values()) == {GOOD}


def test_watts_of_an_answer_without_a_grid_are_marked() -> None:
    """The registers of another model: volts and hertz outside all limits, and watts by chance inside."""
    (marks,) = judged(answer(bad=("voltage", "frequency"), power=324, voltage=2.3e7, current=1.5, frequency=5000))
    assert marks["power"] & Quality.AT_ODDS
    assert judged(answer(bad=("frequency",), power=324, voltage=230, current=1.5, frequency=0))[0]["power"] is GOOD


def test_floats_with_their_words_swapped_are_no_measurement() -> None:
    swapped = {"power": 2.4e-41, "voltage": 2.4e-41, "current": 2.2e-41, "frequency": 2.3e-41}
    assert judged(answer(bad=("frequency",), **swapped))[0]["power"] & Quality.NO_VALUE
    assert judged(answer(power=2.4e-41))[0]["power"] & Quality.NO_VALUE
