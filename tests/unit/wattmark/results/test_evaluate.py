"""Records joined with samples: every field of a result, and every reason for a missing one."""

import math

import numpy as np
import pytest
from wattmark.results.evaluate import evaluate
from wattmark.results.meters import guard_s
from wattmark.runs.record import RunStatus
from wattmark_drivers.reading import Quality


def test_a_complete_result(measure):
    result = measure(created_ns=1_700_000_000_123_456_789)
    assert result.power.value == pytest.approx(250, abs=0.3)
    assert result.throughput.value == pytest.approx(8000)
    assert result.efficiency.value == pytest.approx(result.throughput.value / result.power.value)
    assert result.energy_j == pytest.approx(result.power.value * 100)
    assert result.energy_per_op.value == pytest.approx(1 / result.efficiency.value)
    assert result.energy_per_op.u / result.energy_per_op.value == pytest.approx(
        result.efficiency.u / result.efficiency.value
    )
    assert (result.throughput_unit, result.efficiency_unit) == ("signs/s", "signs/J")
    assert (result.window_begin, result.window_s) == ("2023-11-14T22:13:20.000000+00:00", 100.0)
    assert result.created == "2023-11-14T22:13:20.123456+00:00"
    assert (result.steady, result.full_load, result.cpu_utilisation_pct) == (True, True, 99.5)
    assert (result.simulated, result.traceable, result.meter) == (False, True, "outlet (Watts Up? PRO)")
    assert (result.configuration_title, result.dimm_count) == ("4 FB-DIMMs", 4)
    assert result.notes == ()


def test_specification_rules_the_budget(measure):
    """1.5 % of 250 W and 0.3 W: limit 4.05 W, u = 2.338 W."""
    result = measure()
    first = next(line for line in result.power.budget if line.name.startswith("Specification"))
    u_limit_w = (0.015 * result.power.value + 0.3) / math.sqrt(3)
    curve = next(line for line in result.power.budget if line.name.startswith("Non-linearity of outlet"))
    assert first.name == "Specification of outlet"
    assert first.note.startswith("manual p. 3; the meter has no serial number, so it is assumed to be the same meter")
    assert (curve.name, curve.u) == (
        "Non-linearity of outlet (assumed 20 % of its limit)",
        pytest.approx(0.2 * u_limit_w),
    )
    assert math.hypot(first.u, curve.u) == pytest.approx(u_limit_w)
    assert (first.correlation_group,) == result.meter_identities
    assert curve.correlation_group == f"{first.correlation_group}, non-linearity at s1/fbdimm-4, rsa, all"
    assert sum(line.share_pct for line in result.power.budget) == pytest.approx(100)
    assert sum(line.share_pct for line in result.efficiency.budget) == pytest.approx(100)
    assert result.power.u == pytest.approx(math.sqrt(sum(line.u_result**2 for line in result.power.budget)))
    assert pytest.approx(result.power.k95 * result.power.u) == result.power.U95
    assert 1.645 < result.power.k95 < 1.8, "EA-4/02 S9.14: k = 1.65 where a rectangular error rules"
    assert result.power.dominant is not None
    assert result.power.dominant.name == "Specification of outlet"
    assert first.u_result == pytest.approx(abs(first.sensitivity) * first.u)
    assert sum(part.u_result for part in first.parts) == pytest.approx(first.u_result)


def test_result_is_json(measure):
    assert '"U95":' in measure().model_dump_json()


def test_wall_meters_add_up(store, record, meter, rng):
    run = record(meters=(meter(name="psu1", serial="A1"), meter(name="psu2", serial="B1")))
    t = np.arange(-20.0, 121)
    store.add("r1", "psu1", "power", t, 120 + rng.normal(0, 0.5, len(t)))
    store.add("r1", "psu2", "power", t + 0.4, 130 + rng.normal(0, 0.5, len(t)))
    result = evaluate(run, store)
    assert result.power.value == pytest.approx(250, abs=0.5)
    assert {line.correlation_group for line in result.power.budget} >= set(result.meter_identities)
    assert [identity.rpartition(", ")[2] for identity in result.meter_identities] == ["serial A1", "serial B1"]
    assert result.meter == "psu1 (Watts Up? PRO), psu2 (Watts Up? PRO)"


def test_secondary_meter_and_bmc_are_shown_only(store, record, meter, rng):
    run = record(
        meters=(
            meter(),
            meter(name="pdu", role="secondary"),
            meter(name="bmc", role="bmc", indicative=True, reading_pct=None, fixed_w=None, range_pct=None),
        )
    )
    t = np.arange(-20.0, 121)
    for name, watts in (("outlet", 250), ("pdu", 252), ("bmc", 225)):
        store.add("r1", name, "power", t, watts + rng.normal(0, 0.5, len(t)))
    result = evaluate(run, store)
    assert result.power.value == pytest.approx(250, abs=0.5)
    assert result.traceable
    assert [note.split(" showed ")[0] for note in result.notes] == ["pdu", "bmc"]


def test_bmc_alone_is_indicative(store, record, meter, rng):
    run = record(
        meters=(meter(name="bmc", role="bmc", indicative=True, reading_pct=None, range_pct=None, fixed_w=None),)
    )
    t = np.arange(-20.0, 121)
    store.add("r1", "bmc", "dcmi_power", t, 225 + rng.normal(0, 0.5, len(t)))
    store.add("r1", "bmc", "psu1_input_power", t, 110 + rng.normal(0, 0.5, len(t)))
    result = evaluate(run, store)
    assert result.power.value == pytest.approx(225, abs=0.5)
    assert result.power.u is result.power.U95 is result.efficiency.u is result.efficiency.U95 is None
    assert result.power.dof is result.energy_per_op.u is None
    assert not result.traceable
    assert any("indicative" in note for note in result.notes)


@pytest.mark.parametrize("quality", [1, 8, 32])
def test_unusable_samples_are_excluded(store, record, rng, quality):
    t = np.arange(-20.0, 121)
    value = 250 + rng.normal(0, 0.5, len(t))
    value[30] = 9e3
    flags = np.zeros(len(t))
    flags[30] = quality
    store.add("r1", "outlet", "power", t, value, quality=flags)
    result = evaluate(record(), store)
    assert result.power.value == pytest.approx(250, abs=0.5)
    assert result.samples_excluded == 1


def test_total_of_a_three_phase_meter_is_taken(store, record, rng):
    t = np.arange(-20.0, 121)
    for channel, watts in (("power_l1", 80), ("power_l2", 85), ("power_l3", 85), ("power", 250)):
        store.add("r1", "outlet", channel, t, watts + rng.normal(0, 0.1, len(t)))
    assert evaluate(record(), store).power.value == pytest.approx(250, abs=0.2)


def test_imported_energy_of_a_register_is_taken(store, record, meter):
    """An Eastron counts imported and exported energy; 250 W for 100 s are 6.94 Wh."""
    run = record(meters=(meter(kind="counter", resolution_w=None),))
    t = np.arange(-20.0, 121)
    for channel, watts in (("energy_import", 250.0), ("energy_export", 3.0)):
        store.add("r1", "outlet", channel, t, 500 + watts * t / 3600, quantity="energy", unit="Wh")
    assert evaluate(run, store).power.value == pytest.approx(250)


@pytest.mark.parametrize(
    ("resolution_wh", "counted_w", "mean_w", "outcome"),
    [(0.0001, 250.3, 250.3, "pass"), (0.1, 250.3, 250.0, "pass"), (0.0001, 280.0, 250.0, "fail")],
)
def test_register_beside_power_carries_the_mean_where_it_is_fine_and_agrees(
    store, record, meter, resolution_wh, counted_w, mean_w, outcome
):
    """250 W for 100 s are 6.9 Wh: 0.0001 Wh resolve them, 0.1 Wh only check, and 280 W are not believed."""
    run = record(meters=(meter(register_resolution_wh=resolution_wh),))
    t = np.arange(-20.0, 121)
    store.add("r1", "outlet", "power", t, 250 + 0.3 * np.where(np.arange(len(t)) % 2, 1, -1))
    count = np.floor((500 + counted_w * t / 3600) / resolution_wh) * resolution_wh
    store.add("r1", "outlet", "energy_import", t, count, quantity="energy", unit="Wh")
    result = evaluate(run, store)
    (verdict,) = (v for v in result.verdicts if v.rule == "register")
    assert verdict.outcome == outcome
    assert result.power.value == pytest.approx(mean_w, abs=0.05)


def test_change_of_range_inside_the_run_leaves_no_range_term(store, record, meter, rng):
    run = record(meters=(meter(range_pct=0.1, range_w=600.0),))
    t = np.arange(-20.0, 121)
    for part, span in ((t <= 50, "2 A"), (t > 50, "5 A")):
        store.add("r1", "outlet", "power", t[part], 250 + rng.normal(0, 0.5, part.sum()), range=span)
    result = evaluate(run, store)
    assert result.power.value == pytest.approx(250, abs=0.3)
    assert result.power.u is None
    assert any("range of outlet is not recorded" in note for note in result.notes)


def test_missing_samples_withhold_power(record, store):
    result = evaluate(record(), store)
    assert result.power is result.efficiency is None
    assert result.throughput.value == pytest.approx(8000)
    assert result.notes[0].startswith("Power is withheld: outlet has no usable sample")


def test_readings_that_break_physics_are_excluded_and_named(store, record, rng):
    """Every fourth answer says 2950 W at 230 V and 0.526 A, which is 121 VA; the load takes 119 W."""
    t = np.arange(-20.0, 121)
    wrong = np.arange(len(t)) % 4 == 2
    watts = np.where(wrong, 2950.0, 119 + rng.normal(0, 0.3, len(t)))
    quality = np.where(wrong, Quality.IMPLAUSIBLE | Quality.EXCEEDS_VA, 0).astype(np.uint16)
    store.add("r1", "outlet", "power", t, watts, quality=quality)
    result = evaluate(record(), store)
    (verdict,) = (v for v in result.verdicts if v.rule == "bad-samples")
    assert verdict.outcome == "fail"
    assert "more watts than volts times amperes" in verdict.text
    assert result.power is None or result.power.value == pytest.approx(119, abs=0.5)


def test_missing_window_withholds_everything(record, store):
    result = evaluate(record(window_begin_ns=None, window_end_ns=None, throughput=()), store)
    assert result.throughput is result.power is result.window_s is None
    assert "did not mark" in result.notes[0]


def test_interrupted_run_says_so_first(measure):
    result = measure(status=RunStatus.INTERRUPTED, reason="The process died. Repeat the run.")
    assert result.notes[0] == "The run ended as interrupted: The process died. Repeat the run."


def test_simulated_says_so(measure, meter):
    result = measure(meters=(meter(simulated=True),))
    assert result.simulated
    assert result.notes[-1].startswith("Simulated:")


def test_low_load_fails_in_words(store, record, rng):
    t = np.arange(-20.0, 121)
    store.add("r1", "outlet", "power", t, 250 + rng.normal(0, 0.5, len(t)))
    store.add("r1", "host", "cpu_utilisation", t, np.full(len(t), 62.0), quantity="utilisation", unit="%")
    result = evaluate(record(), store)
    assert result.full_load is False
    assert next(v.text for v in result.verdicts if v.rule == "full-load") == (
        "CPU utilisation was 62.0 % over the window; full load needs 95 %."
    )


def test_unsteady_run_is_no_full_load(measure):
    result = measure(ramp=-30.0)
    assert (result.steady, result.full_load) == (False, False)
    assert result.full_load_power.power is None
    assert "not steady" in result.full_load_power.reason
    assert result.efficiency.u is not None, "the work has its energy all the same"
    assert any("not steady" in note for note in result.notes)


def test_unknown_configuration_claims_nothing(record, store):
    result = evaluate(record(configuration_snapshot={}), store)
    assert (result.configuration_title, result.dimm_count) == ("fbdimm-4", None)


@pytest.mark.parametrize(("latency_s", "u_latency_s", "expected"), [(0.0, None, 1 / math.sqrt(3)), (0.8, 0.02, 0.02)])
def test_guard(record, meter, latency_s, u_latency_s, expected):
    assert guard_s(record(meters=(meter(latency_s=latency_s, u_latency_s=u_latency_s),))) == pytest.approx(expected)


def test_guard_without_meters(record):
    assert guard_s(record(meters=())) == 0.0
