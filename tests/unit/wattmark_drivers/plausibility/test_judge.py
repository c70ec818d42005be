"""Every wrong setting, planted, is found by the test that is made for it, and the advice names it."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.physics import Physics
from wattmark_drivers.plausibility.judge import judge
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict
from wattmark_drivers.reading import Channel, Kind, Quality, Reading

from tests.examples import examples

from .planted import Change, record


def verdicts(recording: MeterRecording) -> dict[str, PlausibilityVerdict]:
    return {verdict.rule: verdict for verdict in judge(recording)}


def failed(recording: MeterRecording) -> dict[str, str]:
    return {verdict.rule: verdict.advice for verdict in judge(recording) if verdict.outcome == "fail"}


def times(factor: float, *channels: str) -> Change:
    return lambda channel, value: value * factor if channel.startswith(channels) else value


def swapped(_: str, value: float) -> float:
    """The two registers of a single-precision number, the wrong one first (IEEE 754)."""
    high, low = struct.unpack(">HH", struct.pack(">f", value))
    (number,) = struct.unpack(">f", struct.pack(">HH", low, high))
    return float(number)


@pytest.mark.parametrize("model", ["eastron.sdm630", "eastron.sdm120", "wattsup.pro"])
def test_a_right_meter_fails_nothing(model: str) -> None:
    period = 1.0 if model == "wattsup.pro" else 0.2
    by_rule = verdicts(record(model, period_s=period))
    assert {rule: verdict.text for rule, verdict in by_rule.items() if verdict.outcome == "fail"} == {}
    for rule in ("answers", "usable", "voltage", "frequency", "power-product", "power-factor", "sign", "stale"):
        assert by_rule[rule].outcome == "pass", rule


def test_every_model_of_the_catalogue_is_judged_without_a_false_alarm() -> None:
    """A model's own channels, read back right, fail nothing; direct current has a power factor of 1."""
    for name, declaration in load_catalogue().items():
        if not declaration.protocol.measured or declaration.protocol.engine not in ("modbus", "wattsup"):
            continue
        change = times(0.871 if declaration.direct_current else 1.0, "current")
        update_s = declaration.rhythm.update_period_s
        assert failed(record(name, change=change, seconds=5.0, update_s=update_s)) == {}, name


def test_swapped_words_are_named_with_the_setting_that_turns_them() -> None:
    assert failed(record(change=swapped))["word-order"] == "words swapped: try word_order=low-first"
    turned = record(change=swapped, word_order="low-first")
    assert failed(turned)["word-order"] == "words swapped: try word_order=high-first"


@pytest.mark.parametrize("model", ["eastron.sdm120", "eastron.sdm630"])
@pytest.mark.parametrize(("times_power", "read"), [(1 / 0.871, "apparent"), (0.491 / 0.871, "reactive")])
def test_another_power_that_is_read_as_the_active_one_is_named(model: str, times_power: float, read: str) -> None:
    """Power factor 0.871: volt-amperes are 1.148 times the watts, vars 0.564 times, near 1/sqrt(3) by chance."""
    powers = ("power", "power_l1", "power_l2", "power_l3")
    advice = failed(record(model, change=lambda name, value: value * times_power if name in powers else value))
    for rule in ("power-product", "power-factor"):
        assert advice[rule].startswith(f"{read} power is read as power"), advice


def test_swapped_words_of_integers_are_named_too() -> None:
    """Carlo Gavazzi EM24: int32 in tenths, low word first."""

    def swap_int(channel: str, value: float) -> float:
        scale = {"v": 0.1, "c": 0.001}.get(channel[0], 0.1)
        if channel.startswith(("power_factor", "frequency")):
            return value
        raw = struct.pack(">i", round(value / scale))
        return struct.unpack(">i", raw[2:] + raw[:2])[0] * scale

    advice = failed(record("carlogavazzi.em24", change=swap_int))
    assert advice["word-order"] == "words swapped: try word_order=high-first"


@pytest.mark.parametrize(
    ("change", "rule", "words"),
    [
        (times(0.001, "power_l", "power"), "power-product", "power is 1000 times too small"),
        (times(10, "voltage"), "voltage", "voltage is 10 times too large"),
        (times(0.1, "voltage"), "voltage", "voltage is 10 times too small"),
        (times(math.sqrt(3), "voltage"), "voltage", "line-to-line"),
        (times(10, "voltage"), "power-product", "voltage is 10 times too large"),
        (times(1000, "current"), "power-product", "current is 1000 times too large"),
        (times(0.1, "current"), "power-product", "current is 10 times too small"),
        (times(10, "frequency"), "frequency", "10 times too large"),
        (times(0.01, "frequency"), "frequency", "100 times too small"),
        (times(100, "power_factor"), "power-factor", "percent are read as a fraction"),
        (times(-1, "power_l2"), "sign", "transformer of L2 is reversed"),
        (times(-1, "power"), "sign", "supply and load sides are swapped"),
        (times(0, "power_l2", "power_l3"), "phase-sum", "one phase is read as the total of three"),
    ],
)
def test_a_planted_mistake_is_named(change: Change, rule: str, words: str) -> None:
    if rule == "sign" and words.startswith("supply"):
        change = lambda channel, value: -value if channel in POWERS else value  # noqa: E731
    if rule == "power-product" and words.startswith("power"):
        change = lambda channel, value: value / 1000 if channel in POWERS else value  # noqa: E731
    assert words in failed(record(change=change))[rule]


POWERS = {"power", "power_l1", "power_l2", "power_l3"}


@pytest.mark.parametrize(
    ("factor", "words"),
    [(0.001, "thousands (kW, kWh) are read as units"), (1000.0, "1000 times too large"), (3600.0, "joules")],
)
def test_the_unit_of_an_energy_register_is_found(factor: float, words: str) -> None:
    """Half an hour at three times 170 W; the register of an SDM630 moves in steps of 1/16 Wh there."""
    begin = 623_000.0

    def change(channel: str, value: float) -> float:
        return begin + (value - begin) * factor if channel == "energy_import" else value

    kwargs = {"seconds": 1800.0, "period_s": 5.0, "update_s": 5.0}
    assert verdicts(record(**kwargs))["energy"].outcome == "pass"  # type: ignore[arg-type]
    assert words in failed(record(change=change, **kwargs))["energy"]  # type: ignore[arg-type]


def test_an_energy_register_that_moves_too_slowly_is_not_judged_but_told_how_long() -> None:
    verdict = verdicts(record(seconds=5))["energy"]
    assert verdict.outcome == "not-checked"
    assert "test for" in verdict.text


def test_a_register_of_whole_watt_hours_is_not_judged_by_one_step() -> None:
    def whole(channel: str, value: float) -> float:
        return float(int(value)) if channel == "energy_import" else value

    assert verdicts(record("siemens.pac2200", change=whole, seconds=10))["energy"].outcome == "not-checked"
    assert verdicts(record("siemens.pac2200", change=times(0, "energy"), seconds=10))["energy"].text.endswith("longer.")


def test_a_slower_update_than_declared_is_found() -> None:
    by_rule = verdicts(record(update_s=3.0, seconds=30))
    assert by_rule["update-period"].outcome == "fail"
    assert by_rule["update-period"].value == pytest.approx(3.0, abs=0.21)
    assert "slower update interval" in by_rule["update-period"].advice


def test_an_update_period_cannot_be_seen_by_polling_as_slowly() -> None:
    assert verdicts(record(period_s=1.0))["update-period"].outcome == "not-checked"


def test_a_device_that_hangs_is_stale_and_one_without_load_is_not() -> None:
    hung = record(update_s=100.0, seconds=20)
    assert "hangs" in failed(hung)["stale"]
    idle = record(update_s=100.0, change=times(0, "power", "current", "apparent", "reactive"))
    assert verdicts(idle)["stale"].outcome == "not-checked"


def test_lost_polls_and_bad_quality_are_told_with_their_remedy() -> None:
    assert "timeout_s" in failed(record(lost=40))["answers"]
    over = record(quality=lambda _: Quality.OVER_RANGE | Quality.SATURATED)
    assert "range is too small" in failed(over)["usable"]
    assert "check model" in failed(record(quality=lambda _: Quality.IMPLAUSIBLE))["usable"]


@pytest.mark.parametrize("spoil", [lambda r: replace(r, readings=[]), lambda r: replace(r, readings=r.readings[:3])])
def test_almost_no_readings_are_no_traceback(spoil: Callable[[MeterRecording], MeterRecording]) -> None:
    assert len(judge(spoil(record()))) == len(judge(record()))


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.floats(width=64), min_size=1, max_size=30))
def test_no_values_at_all_break_a_test(values: list[float]) -> None:
    """Whatever a device shows, NaN and infinities included, every test ends with words."""
    pool = iter(values * 1000)
    all_verdicts = judge(record(change=lambda *_: next(pool), seconds=1.0))
    assert all(verdict.text for verdict in all_verdicts)
    assert all(verdict.outcome != "fail" or verdict.advice for verdict in all_verdicts)


def physics_of(recording: MeterRecording) -> MeterRecording:
    """Mark a recording as it is marked when a device is read."""
    declaration = recording.declaration
    identity = MeterIdentity(
        "m", declaration.id, "", "", indicative=declaration.indicative, suspicion=declaration.suspicion
    )
    marks = Physics(identity, recording.channels)
    readings = [reading for poll in recording.polls for reading in marks.mark(list(poll.values()))]
    return replace(recording, readings=readings)


def answered(model: str, *answers: dict[str, float]) -> MeterRecording:
    """Record answers of a device that has just these values, one answer a second."""
    declaration = load_catalogue()[model]
    declared = {item.channel: item for item in declaration.protocol.measured}
    channels = [
        Channel(name, declared[name].quantity, declared[name].unit, declaration.kind_of(declared[name]))
        for name in answers[0]
    ]
    readings = [
        Reading(channel.id, values[channel.id], channel.unit, int(t * 1e9), 0, channel.kind)
        for t, values in enumerate(answers)
        for channel in channels
    ]
    return physics_of(MeterRecording(declaration, channels, readings, 1.0, {}))


@pytest.mark.parametrize(
    ("model", "values"),
    [
        ("shelly.plusplugs", {"power": 3200, "voltage": 227.2, "current": 9.15}),
        ("shelly.plusplugs", {"power": 3200, "voltage": 227.2, "current": 9.15, "power_factor": 0.79}),
        ("zigbee2mqtt.plug", {"power": 3200, "voltage": 227.2, "current": 9.15}),
        ("tplink.kasa", {"power": 3350, "voltage": 230, "current": 1.5}),
    ],
)
def test_one_impossible_reading_fails_whatever_the_median_and_power_factor_are(
    model: str, values: dict[str, float]
) -> None:
    right = {**values, "power": values["voltage"] * values["current"] * values.get("power_factor", 0.8)}
    assert "physics" not in failed(answered(model, *[right] * 20))
    advice = failed(answered(model, *[right] * 19, values))["physics"]
    assert "update its firmware" in advice
    assert "transformer" not in advice
    assert "transformer" not in failed(answered(model, *[values] * 20)).get("power-product", "")


@pytest.mark.parametrize(
    ("model", "values", "words"),
    [
        (
            "zigbee2mqtt.plug",
            {"power": 118, "voltage": 0, "current": 0},
            "the plug reports no volts: update its firmware",
        ),
        ("eastron.sdm120", {"power": 0, "voltage": 0, "current": 0, "frequency": 0}, "a gateway answers for a device"),
    ],
)
def test_a_device_without_volts_and_hertz_is_told_what_it_can_do(
    model: str, values: dict[str, float], words: str
) -> None:
    advice = failed(answered(model, *[values] * 5))["physics"]
    assert words in advice
    assert ("unit id" in advice) == (model == "eastron.sdm120")


@pytest.mark.parametrize(
    ("model", "values"),
    [
        # W in the field for mW; a plug whose chip gives volts and amperes but no watts.
        ("tplink.kasa", {"power": 0.335, "voltage": 230, "current": 1.5}),
        ("tasmota.plug", {"power": 0, "voltage": 124, "current": 0.521, "power_factor": 0.0}),
    ],
)
def test_next_to_no_power_at_many_volt_amperes_fails(model: str, values: dict[str, float]) -> None:
    assert "no server has such a power factor" in failed(answered(model, *[values] * 5))["power-product"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        # Koenkk/zigbee2mqtt 28354: a kettle of 1.9 kW at a switch that counts hundredths of a watt in 16 bits.
        ({"power": -65.69, "voltage": 225.03, "current": 8.48}, "with 3 x 655.36 W more it would be 1900 W"),
        # arendst/Tasmota 12113: a ZMAi-90 whose display shows 7053 W; its power factor is made of the wrong watts.
        (
            {"power": 499.7, "voltage": 202.5, "current": 35.482, "power_factor": 0.07},
            "with 1 x 6553.6 W more it would be 7053 W",
        ),
        ({"power": 144.64, "voltage": 230, "current": 3.6}, "with 1 x 655.36 W more it would be 800 W"),
        ({"power": 300, "voltage": 230, "current": 31}, "with 1 x 6553.6 W more it would be 6854 W"),
        # A choke, a small load, and a load with an ordinary power factor.
        ({"power": 400, "voltage": 230, "current": 4.35}, ""),
        ({"power": 30, "voltage": 230, "current": 1.2}, ""),
        ({"power": 1900, "voltage": 225.03, "current": 8.48}, ""),
    ],
)
def test_power_that_overflows_sixteen_bits_is_named(values: dict[str, float], words: str) -> None:
    model = "tasmota.plug" if "power_factor" in values else "zigbee2mqtt.plug"
    verdict = verdicts(answered(model, *[values] * 5))["power-product"]
    assert (verdict.outcome == "fail") == bool(words)
    assert words in verdict.text
    assert not words or "update the firmware" in verdict.advice


def test_a_power_factor_above_one_is_not_put_down_to_the_power() -> None:
    values = {"power": 230, "voltage": 230, "current": 1.05, "power_factor": 96}
    advice = failed(answered("tasmota.plug", *[values] * 5))
    assert "percent" in advice["power-factor"]
    assert "power-product" not in advice


def test_a_plug_whose_power_is_negative_has_no_transformer() -> None:
    values = {"power": -230, "voltage": 230, "current": 1.05, "power_factor": 0.95}
    advice = failed(answered("tasmota.plug", *[values] * 5))["sign"]
    assert "transformer" not in advice
    assert "feeds back" in advice


def test_volts_in_plain_numbers_are_not_put_down_to_a_transformer() -> None:
    advice = failed(record(change=times(9.97e-7, "voltage")))["power-product"]
    assert "another register or number format" in advice
    assert "transformer" not in advice


@pytest.mark.parametrize(
    ("other_w", "outcome", "words"),
    [(29.0, "fail", "contradict"), (600.0, "pass", ""), (400.0, "pass", "")],
)
def test_a_counter_and_the_drivers_power_must_agree_within_a_factor_of_two(
    other_w: float, outcome: str, words: str
) -> None:
    model = load_catalogue()["nvidia.gpu"]
    channels = [Channel(name, "power", "W", Kind.AVERAGED) for name in ("power", "power_usage")]
    readings = [
        Reading(name, watts, "W", int(t * 1e9), 0, Kind.AVERAGED)
        for t in range(11)
        for name, watts in (("power", 600.0), ("power_usage", other_w))
    ]
    verdict = verdicts(MeterRecording(model, channels, readings, 1.0, {}))["agreement"]
    assert verdict.outcome == outcome
    assert words in verdict.advice
    assert ("may cover different times" in verdict.text) == (other_w == 400)


def test_a_bmc_must_agree_with_the_inputs_of_its_supplies_within_a_factor_of_two() -> None:
    model = load_catalogue()["ipmi.bmc"]
    shown = {"power": 15.0, "ps1_input_power": 310.0, "ps2_input_power": 300.0}
    channels = [Channel(name, "power", "W", Kind.INSTANTANEOUS) for name in shown]
    readings = [
        Reading(name, watts, "W", int(t * 1e9), 0, Kind.INSTANTANEOUS)
        for t in range(11)
        for name, watts in shown.items()
    ]
    assert "compare with a wall meter" in failed(MeterRecording(model, channels, readings, 1.0, {}))["agreement"]
