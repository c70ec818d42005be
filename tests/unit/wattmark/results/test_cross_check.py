"""The cross-check of a run: sources found among its meters and channels, their verdicts, and the verdict of the run."""

from __future__ import annotations

import numpy as np
import pytest
from wattmark.comparison.compare.cells import repeated
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.compare_table import group_marks
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import CLAIMS, why_not_ranked
from wattmark.results.tables.marks import DISAGREES, NOT_RANKED, result_marks
from wattmark.results.tables.results_table import results_table
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase

from ..conftest import BEGIN_NS

NS = 10**9
T_S = np.arange(-200.0, 140.0)
BMC = {
    "name": "bmc",
    "model": "redfish.bmc",
    "title": "BMC",
    "role": "bmc",
    "kind": "instantaneous",
    "indicative": True,
}
RAPL = {"name": "rapl", "model": "linux.rapl", "title": "RAPL", "role": "secondary", "indicative": True}


@pytest.fixture
def evaluated(store, record, meter):
    """Evaluate a run with idle phase and load, beside whose wall meter others recorded what they are given."""

    def make(*meters: MeterRecord, channels, wall=None):
        rng = np.random.default_rng(7)
        wall_w = np.where(T_S <= -60, 150.0, 300.0)
        for source, channel, gain in [("outlet", "power", 1.0), *channels]:
            store.add("r1", source, channel, T_S, gain * wall_w + rng.normal(0, 0.3, len(T_S)))
        idle = Phase(name=PhaseName.IDLE, begin_ns=BEGIN_NS - 180 * NS, end_ns=BEGIN_NS - 80 * NS)
        return evaluate(record("r1", meters=(wall or meter(), *meters), phases=(idle,)), store)

    return make


def test_every_source_is_held_against_the_wall_meter(evaluated, meter) -> None:
    pdu = meter(name="pdu", model="raritan.pxinlet", role="secondary", reading_pct=1.0, fixed_w=0.0)
    result = evaluated(
        pdu,
        MeterRecord(**BMC),
        MeterRecord(**RAPL),
        channels=[
            ("pdu", "power", 1.005),
            ("bmc", "power", 1.022),
            ("bmc", "psu_1_input_power", 0.5),
            ("bmc", "psu_2_input_power", 0.5),
            ("bmc", "psu_1_output_power", 0.45),
            ("bmc", "psu_2_output_power", 0.46),
            ("rapl", "power", 0.4),
        ],
    )
    sources = {source.source: source for source in result.cross_check.sources}
    assert list(sources) == ["pdu", "bmc, supply input", "bmc", "bmc, supply output", "rapl"]
    assert sources["bmc"].statement == "bmc 2.2 % high, within 5 %"
    assert sources["bmc, supply output"].share_pct == pytest.approx(91, abs=0.2)
    assert sources["rapl"].statement.endswith("below the wall")
    assert {s.verdict.outcome for s in sources.values()} == {"pass"}
    assert [lv.stretch for lv in sources["pdu"].levels] == ["window", "idle"]
    # wall = offset + gain x source, and the PDU shows 1.005 times the wall
    gain = sources["pdu"].line.gain
    assert abs(gain.value - 1 / 1.005) <= gain.U95
    assert abs(sources["pdu"].line.offset.value) <= sources["pdu"].line.offset.U95
    limited, indicative = [v for v in result.verdicts if v.rule.startswith("cross-check")]
    assert (limited.rule, limited.outcome) == ("cross-check", "pass")
    assert (indicative.rule, indicative.outcome) == ("cross-check-indicative", "pass")
    assert "All 4 other sources agree" in indicative.text


def test_the_other_totals_of_a_bmc_are_sources_of_their_own(evaluated) -> None:
    """HPE's log of 10 s means must agree with the wall; NVIDIA's hot-swap controllers are behind the supplies."""
    channels = [("bmc", "power", 1.0), ("bmc", "mean_power", 1.08), ("bmc", "reported_power", 0.94)]
    result = evaluated(MeterRecord(**BMC), channels=channels)
    sources = {source.source: source for source in result.cross_check.sources}
    assert list(sources) == ["bmc", "bmc, 10 s means", "bmc, metric report"]
    assert sources["bmc, 10 s means"].statement == "bmc, 10 s means 8 % high, beyond 5 %"
    assert sources["bmc, metric report"].measured_at == "supply output"
    assert sources["bmc, metric report"].statement.endswith("below the wall")


def test_a_total_that_is_the_only_power_of_a_bmc_is_compared_once(evaluated) -> None:
    result = evaluated(MeterRecord(**BMC), channels=[("bmc", "mean_power", 1.0)])
    assert [source.source for source in result.cross_check.sources] == ["bmc"]


def test_sources_whose_stated_limits_exclude_each_other_bar_watts(evaluated, meter) -> None:
    pdu = meter(name="pdu", model="raritan.pxinlet", role="secondary", reading_pct=1.0, fixed_w=0.0)
    result = evaluated(pdu, MeterRecord(**RAPL), channels=[("pdu", "power", 1.1), ("rapl", "power", 0.4)])
    (verdict,) = [v for v in result.verdicts if v.rule == "cross-check"]
    assert verdict.outcome == "fail"
    assert verdict.value == pytest.approx(10, abs=0.2)
    assert "pdu reads 10 % high against outlet" in verdict.text
    assert why_not_ranked(result, "throughput") is None
    for claim in ("efficiency", "power"):
        assert why_not_ranked(result, claim) == "sources of power exclude each other (rule cross-check)"
    (group,) = compare([result], "rsa", "all").groups
    assert {NOT_RANKED, DISAGREES} <= set(group_marks(group, "efficiency"))
    assert "pdu reads 10 % high" in group.refusal


def test_a_source_without_limits_marks_the_row_and_bars_nothing(evaluated, record) -> None:
    """The wall meter shows 300 W, the BMC of the same run 600 W: it is not known which is right."""
    result = evaluated(MeterRecord(**BMC), channels=[("bmc", "power", 2.0)])
    (verdict,) = [v for v in result.verdicts if v.rule.startswith("cross-check") and v.outcome != "not-checked"]
    assert (verdict.rule, verdict.outcome) == ("cross-check-indicative", "fail")
    assert verdict.text.startswith("bmc reads 100 % high against outlet, beyond 5 %")
    assert all(why_not_ranked(result, claim) is None for claim in CLAIMS)
    assert DISAGREES in result_marks(result)
    (group,) = compare([result], "rsa", "all").groups
    assert DISAGREES in group_marks(group, "efficiency")
    assert any("bmc reads 100 % high" in remark for remark in group.remarks)
    table = results_table([result])
    row = dict(zip((column.key for column in table.columns), table.rows[0], strict=True))
    assert DISAGREES in row["marks"]
    assert row["other_sources"].startswith("Power sources disagree: bmc reads 100 % high")
    assert any("bmc reads 100 % high" in note for note in table.row_notes[0])
    figures, _ = repeated([(record("r1"), result)], "efficiency")
    assert "bmc reads 100 % high" in figures[0].remark
    assert figures[0].disagreements


@pytest.mark.parametrize(
    ("described", "channel", "gain", "rule"),
    [
        # a PDU or a plug: the inlets once more
        ({"model": "raritan.pxinlet", "reading_pct": 1.0, "fixed_w": 0.0}, "power", 0.5, "cross-check"),
        ({"model": "raritan.pxinlet"}, "power", 0.5, "cross-check-indicative"),
        # the processors, by their own account: below the wall, and never above it
        ({"model": "linux.rapl", "indicative": True}, "power", 0.5, None),
        ({"model": "linux.rapl", "indicative": True}, "power", 1.2, "cross-check-indicative"),
    ],
)
def test_what_each_kind_of_source_may_show(evaluated, meter, described, channel, gain, rule) -> None:
    other = meter(name="other", role="secondary", **{"reading_pct": None, "fixed_w": None, **described})
    result = evaluated(other, channels=[("other", channel, gain)])
    failed = [v.rule for v in result.verdicts if v.rule.startswith("cross-check") and v.outcome == "fail"]
    assert failed == ([] if rule is None else [rule])


@pytest.mark.parametrize("side", ["input", "output"])
def test_supplies_by_their_own_account_only_mark(evaluated, side) -> None:
    """Inputs should show the power at the wall, outputs less; a BMC states no limits for either."""
    result = evaluated(MeterRecord(**BMC), channels=[("bmc", "power", 1.0), ("bmc", f"psu_1_{side}_power", 1.3)])
    failed = [v.rule for v in result.verdicts if v.outcome == "fail"]
    assert failed == ["cross-check-indicative"]


@pytest.mark.parametrize(("gain", "outcome"), [(0.9, "pass"), (1.005, "pass"), (1.1, "fail")])
def test_a_part_with_limits_above_the_whole_bars_watts(evaluated, meter, gain, outcome) -> None:
    """A direct-current meter of class 1 is behind the supplies; 0.5 % above the wall is within the limits of both."""
    dc = meter(name="dc", model="peacefair.pzem017", role="secondary", reading_pct=1.0, fixed_w=0.0)
    result = evaluated(dc, channels=[("dc", "power", gain)])
    (source,) = result.cross_check.sources
    assert source.measured_at == "supply output"
    (verdict,) = [v for v in result.verdicts if v.rule.startswith("cross-check") and v.outcome != "not-checked"]
    assert (verdict.rule, verdict.outcome) == ("cross-check", outcome)


@pytest.mark.parametrize(("gain", "outcome"), [(1.03, "pass"), (1.06, "fail")])
def test_against_a_wall_meter_of_unknown_accuracy_our_own_limit_holds(evaluated, meter, gain, outcome) -> None:
    pdu = meter(name="pdu", model="raritan.pxinlet", role="secondary", reading_pct=1.0, fixed_w=0.0)
    wall = meter(reading_pct=None, fixed_w=None, range_pct=None)
    result = evaluated(pdu, channels=[("pdu", "power", gain)], wall=wall)
    (verdict,) = [v for v in result.verdicts if v.rule.startswith("cross-check") and v.outcome != "not-checked"]
    assert (verdict.rule, verdict.outcome) == ("cross-check-indicative", outcome)
    assert "accuracy of outlet is not stated" in verdict.text


def test_without_a_wall_meter_or_another_source_there_is_no_cross_check(evaluated, store, record) -> None:
    assert evaluated(channels=[]).cross_check is None
    only_bmc = record("r2", meters=(MeterRecord(**BMC), MeterRecord(**RAPL)))
    for name in ("bmc", "rapl"):
        store.add("r2", name, "power", T_S, np.full(len(T_S), 300.0))
    assert evaluate(only_bmc, store).cross_check is None


def test_a_partial_secondary_meter_is_not_compared(evaluated, meter) -> None:
    half = meter(name="half", role="secondary", partial=True)
    assert evaluated(half, channels=[("half", "power", 0.5)]).cross_check is None


def test_the_result_with_its_cross_check_is_read_back_as_it_was_written(evaluated) -> None:
    result = evaluated(MeterRecord(**BMC), channels=[("bmc", "power", 1.01)])
    assert type(result).model_validate_json(result.model_dump_json()) == result
