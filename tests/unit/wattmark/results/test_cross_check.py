"""The cross-check of a run: sources found among its meters and channels, their verdicts, and the verdict of the run."""

from __future__ import annotations

import numpy as np
import pytest
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import bars
from wattmark.runs.record import MeterRecord, Phase, PhaseName

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

    def make(*meters: MeterRecord, channels):
        rng = np.random.default_rng(7)
        wall_w = np.where(T_S <= -60, 150.0, 300.0)
        for source, channel, gain in [("outlet", "power", 1.0), *channels]:
            store.add("r1", source, channel, T_S, gain * wall_w + rng.normal(0, 0.3, len(T_S)))
        idle = Phase(name=PhaseName.IDLE, begin_ns=BEGIN_NS - 180 * NS, end_ns=BEGIN_NS - 80 * NS)
        return evaluate(record("r1", meters=(meter(), *meters), phases=(idle,)), store)

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
    (verdict,) = [v for v in result.verdicts if v.rule == "cross-check"]
    assert verdict.outcome == "pass"


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


def test_a_source_that_disagrees_fails_the_run_s_verdict_and_bars_nothing(evaluated, meter) -> None:
    pdu = meter(name="pdu", model="raritan.pxinlet", role="secondary", reading_pct=1.0, fixed_w=0.0)
    result = evaluated(pdu, MeterRecord(**RAPL), channels=[("pdu", "power", 1.1), ("rapl", "power", 0.4)])
    (verdict,) = [v for v in result.verdicts if v.rule == "cross-check"]
    assert verdict.outcome == "fail"
    assert verdict.value == pytest.approx(10, abs=0.2)
    assert "pdu reads 10 % high against outlet" in verdict.text
    assert bars("cross-check") == frozenset()


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
