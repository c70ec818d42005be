"""Whether every powered supply of a server has a meter: what a run says and gives, by what its record tells."""

from __future__ import annotations

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.core.errors import InputError
from wattmark.results.cross_calibration import cross_calibrate_run
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.tables.marks import PARTLY_RANKED, result_marks
from wattmark.runs.record import MeterRecord, RunRecord

ON, OFF = {"powered": True}, {"powered": False}
TWO = {"psu1": ON, "psu2": ON}
BMC = {"name": "bmc", "model": "ipmi.bmc", "title": "BMC", "role": "bmc", "kind": "instantaneous", "indicative": True}


def declared(supplies: dict[str, dict[str, bool]]) -> dict[str, object]:
    return {"title": "x", "declared": {"psus": [{"id": name, **state} for name, state in supplies.items()]}}


def judged(result):
    (verdict,) = [v for v in result.verdicts if v.rule == "metered-supplies"]
    return verdict


@pytest.mark.parametrize(
    ("supplies", "meters", "outcome"),
    [
        ({"psu1": ON}, [None], "pass"),
        ({"psu1": ON, "psu2": OFF}, [None], "pass"),
        ({"psu1": ON, "psu2": OFF}, [("psu1",)], "pass"),
        (TWO, [("psu1", "psu2")], "pass"),
        (TWO, [("psu1",), ("psu2",)], "pass"),
        ({**TWO, "psu3": OFF}, [("psu1", "psu2")], "pass"),
        ({}, [None], "not-checked"),
        ({"psu1": OFF, "psu2": OFF}, [None], "not-checked"),
        (TWO, [None, None], "not-checked"),
    ],
)
def test_supplies_that_have_a_meter_or_of_which_nothing_is_known(measure, meter, supplies, meters, outcome) -> None:
    records = tuple(meter(name=f"m{i}", supplies=named) for i, named in enumerate(meters))
    result = measure(meters=records, configuration_snapshot=declared(supplies))
    assert judged(result).outcome == outcome
    assert judged(result).text
    assert result.power is not None
    assert why_not_ranked(result, "efficiency") is None


@pytest.mark.parametrize(
    ("supplies", "meters", "text"),
    [
        ({"psu1": ON, "psu2": OFF}, [("psu2",)], "psu1 has no meter."),
        ({"psu1": ON}, [("psu1",), ("psu1",)], "m0 and m1 all measure psu1, so its power is counted 2 times."),
        (TWO, [("psu1",), ("psu2",), ("psu1",)], "m0 and m2 all measure psu1"),
        (TWO, [("psu1", "psu2"), ("psu2",)], "m0 and m1 all measure psu2"),
        ({}, [("psu1",), ("psu1",)], "m0 and m1 all measure psu1"),
    ],
)
def test_meters_of_another_power_than_the_servers_give_none(measure, meter, supplies, meters, text) -> None:
    """One on a supply that is off, or two on the same one: their sum is not what the server draws."""
    records = tuple(meter(name=f"m{i}", supplies=named) for i, named in enumerate(meters))
    result = measure(meters=records, configuration_snapshot=declared(supplies))
    assert judged(result).outcome == "fail"
    assert judged(result).text.startswith(text)
    assert result.power is result.efficiency is None
    assert result.throughput is not None


@pytest.mark.parametrize(
    ("supplies", "meters"),
    [
        ({"psu1": ON}, [None, None]),
        ({"psu1": ON}, [None, ("psu1",)]),
        (TWO, [None, None, None]),
        (TWO, [None, ("psu1", "psu2")]),
    ],
)
def test_more_wall_meters_than_the_supplies_need_are_not_ranked(measure, meter, supplies, meters) -> None:
    records = tuple(meter(name=f"m{i}", supplies=named) for i, named in enumerate(meters))
    result = measure(meters=records, configuration_snapshot=declared(supplies))
    assert judged(result).outcome == "fail"
    assert "counted twice" in judged(result).text
    assert why_not_ranked(result, "efficiency") is not None


def test_a_supply_without_a_meter_leaves_no_power_of_the_server(measure, meter) -> None:
    """A server of 250 W with two supplies; the meter on one of them shows 125 W."""
    half = meter(supplies=("psu1",), partial=True)
    result = measure(watts=125.0, meters=(half,), configuration_snapshot=declared(TWO))
    verdict = judged(result)
    assert (verdict.outcome, verdict.value, verdict.limit) == ("fail", 1.0, 2.0)
    assert verdict.text.startswith("psu2 has no meter.")
    assert "feeds: [{server: s1, psus: [psu2]}]" in verdict.text
    assert result.power is result.efficiency is result.energy_j is result.energy_per_op is None
    assert result.full_load_power is result.idle_subtracted is result.cost is None
    assert result.throughput is not None
    assert result.notes[0].startswith("No power of the server is given. psu2 has no meter.")
    assert why_not_ranked(result, "throughput") is None
    assert (
        why_not_ranked(result, "efficiency") == "the wall meters do not fit the power supplies (rule metered-supplies)"
    )
    assert PARTLY_RANKED in result_marks(result)
    (group,) = compare([result], "rsa", "all").groups
    assert group.efficiency is group.power_w is None
    assert "psu2 has no meter" in group.refusal


def test_a_meter_that_names_no_supply_of_two_is_shown_and_not_ranked(measure) -> None:
    """A power strip, or one plug of two: nobody said."""
    result = measure(configuration_snapshot=declared(TWO))
    assert judged(result).outcome == "fail"
    assert "feeds: [{server: s1, psus: [psu1, psu2]}]" in judged(result).text
    assert result.power is not None
    assert (
        why_not_ranked(result, "efficiency") == "the wall meters do not fit the power supplies (rule metered-supplies)"
    )
    assert why_not_ranked(result, "throughput") is None


@pytest.mark.parametrize(
    "described", [{"partial": True}, {"other_servers": ("s2",), "supplies": ("psu1", "psu2")}], ids=["some", "shared"]
)
def test_a_meter_of_some_supplies_or_of_two_servers_gives_no_power(measure, meter, described) -> None:
    result = measure(meters=(meter(**described),), configuration_snapshot=declared(TWO))
    assert judged(result).outcome == "fail"
    assert result.power is None


def test_a_bmc_alone_needs_no_meter_of_supplies(measure) -> None:
    result = measure(meters=(MeterRecord(**BMC),), configuration_snapshot=declared(TWO))
    assert judged(result).outcome == "not-checked"
    assert result.power is not None


def test_a_run_read_back_keeps_what_its_meters_measured(record, meter) -> None:
    """As an archive stores and restores it."""
    run = record(meters=(meter(supplies=("psu1",), other_servers=("s2",)),))
    assert RunRecord.model_validate_json(run.model_dump_json()).meters == run.meters


def test_a_secondary_meter_of_two_servers_is_not_compared(measure, meter) -> None:
    rack = meter(name="rack", role="secondary", other_servers=("s2",))
    assert measure(meters=(meter(), rack)).cross_check is None


def test_no_bmc_is_calibrated_by_a_part_of_the_power(record, meter, store) -> None:
    run = record(meters=(meter(supplies=("psu1",)), MeterRecord(**BMC)), configuration_snapshot=declared(TWO))
    with pytest.raises(InputError, match="psu2 has no meter"):
        cross_calibrate_run(run, store, "bmc", "outlet")
