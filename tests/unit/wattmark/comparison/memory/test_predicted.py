"""Purchase questions: ways of populating a server, from published results with a planted truth."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from wattmark.comparison.memory.populations import Seen, joined, published_seen
from wattmark.comparison.memory.predicted import PredictedMemoryOut, predicted_memory
from wattmark.comparison.memory.predicted_table import predicted_table
from wattmark.comparison.memory.yearly_cost import Energy
from wattmark.comparison.published.imported_groups import IDLE
from wattmark.comparison.published.published_result import PublishedLevel, PublishedMemory, PublishedSummary
from wattmark.core.errors import InputError

KINDS = {"PC2-5300F 2Rx4": ("FB-DIMM", 10.0), "2Rx4 PC4-3200AA-R": ("RDIMM", 2.0)}
A_YEAR = Energy(0.25, "EUR", 8760.0)
FREE = Energy(None, "EUR", 8760.0)


def result(
    server: str, details: str, modules: int, each_gib: float, idle_w: float, full_w: float, ops: float = 500_000.0
) -> PublishedSummary:
    return PublishedSummary(
        id=f"specpower-{server}-{modules}-{each_gib:g}",
        kind="specpower",
        title=server,
        source="text",
        submitter="Maker",
        maker="Maker",
        model=server,
        cpu="Xeon",
        cpus=2,
        nodes=1,
        memory=PublishedMemory(
            total_gib=modules * each_gib,
            modules=modules,
            module_gib=each_gib,
            kind=KINDS[details][0],
            details=details,
        ),
        workload="specpower.ssj2008",
        unit="ssj_ops",
        levels=(
            PublishedLevel(target_pct=100, actual_pct=None, ops_per_s=ops, power_w=full_w, printed_ratio=None),
            PublishedLevel(target_pct=0, actual_pct=None, ops_per_s=0, power_w=idle_w, printed_ratio=None),
        ),
        overall=1000.0,
    )


def library(seed: int = 3, servers: int = 16) -> list[PublishedSummary]:
    """Servers with two populations each: so many W per module by kind, 0.1 W per GiB, 0.4 W scatter between servers."""
    rng = np.random.default_rng(seed)
    results = []
    for index in range(servers):
        details = list(KINDS)[index % 2]
        cost = KINDS[details][1] + rng.normal(0.0, 0.4)
        each_gib = float(rng.choice([4.0, 8.0, 16.0, 32.0]))
        for modules in rng.choice([4, 6, 8, 12], size=2, replace=False):
            watts = 150.0 + (cost + 0.1 * each_gib) * modules
            results.append(result(f"S{index}", details, int(modules), each_gib, round(watts), round(2 * watts)))
    return results


def asked(
    results: Iterable[PublishedSummary], *ways: str, level: str = IDLE, kind: str | None = None, energy: Energy = A_YEAR
) -> PredictedMemoryOut:
    seen = published_seen(results, level)
    return predicted_memory(seen, ways, energy, workload=None, level=level, kind=kind)


def test_192_gb_as_6_x_32_or_12_x_16() -> None:
    answer = asked(library(), "6 x 32", "12 x 16", kind="DDR4 RDIMM")
    (difference,) = answer.differences
    # Planted: 6 more modules of 2 W each, the same 192 GiB: 12 W, 12 × 8.76 h × 0.25 = 26.28 EUR a year.
    assert difference.watts is not None
    assert difference.watts.low is not None
    assert difference.watts.high is not None
    assert difference.watts.low < 12.0 < difference.watts.high
    assert difference.watts.high - difference.watts.low < 24.0
    assert difference.real
    assert difference.cost_per_year is not None
    assert difference.cost_per_year.value == pytest.approx(difference.watts.value * 2.19)
    assert difference.statement.startswith("12 × 16 GiB, DDR4 RDIMM draws ")
    assert "EUR" in difference.statement
    for way, truth in zip(answer.ways, (6 * 5.2, 12 * 3.6), strict=True):
        assert way.watts is not None
        assert way.watts.low is not None
        assert way.watts.high is not None
        assert way.watts.low < truth < way.watts.high


def test_a_difference_inside_its_interval_is_not_called_one() -> None:
    (difference,) = asked(library(), "6 x 8", "6 x 4", kind="DDR2 FB-DIMM").differences
    # 24 GiB less at 0.1 W per GiB: 2.4 W, while six modules of another server scatter by 6 × 0.4 W.
    assert difference.real is False
    assert "is not known" in difference.statement
    assert "has 0 W in it" in difference.statement
    assert difference.remarks == ["They hold 24 and 48 GiB."]


def test_work_per_joule_stands_beside_the_watts_under_load_and_not_idle() -> None:
    # At full load work is the same and power rises by 2 × 2 W per module on some 350 W.
    (idle,) = asked(library(), "6 x 32", "12 x 16", kind="DDR4 RDIMM").differences
    (loaded,) = asked(library(), "6 x 32", "12 x 16", level="100 %", kind="DDR4 RDIMM").differences
    assert idle.efficiency_pct is None
    assert loaded.efficiency_pct is not None
    assert loaded.efficiency_pct.value < 0.0


def test_two_kinds_go_into_two_servers() -> None:
    (difference,) = asked(library(), "8 x 16 GB DDR4 RDIMM", "8 x 16 GB DDR2 FB-DIMM").differences
    assert difference.watts is not None
    assert difference.watts.value == pytest.approx(64.0, abs=8.0)  # 8 × (10 − 2) W
    assert "two servers" in difference.remarks[0]


def test_what_was_not_measured_is_said() -> None:
    (way,) = asked(library(), "24 x 256 DDR4 RDIMM").ways
    assert way.remarks[0].startswith(
        "Extrapolated, not measured: 24 modules, while DDR4 RDIMM was measured with 4 to 12"
    )
    assert "modules of 256 GiB" in way.remarks[1]


@pytest.mark.parametrize("way", ["8 x 64 GB DDR5 RDIMM", "4 x 128 GB CXL", "1 x 256 LPDDR5X"])
def test_a_kind_that_nobody_measured_is_refused_by_name(way: str) -> None:
    with pytest.raises(InputError, match="No server was measured or published with"):
        asked(library(), way)


def test_without_results_nothing_is_predicted() -> None:
    answer = asked([])
    assert answer.kinds == []
    assert answer.kind is None
    assert "nothing can be predicted" in answer.statement
    assert answer.check.share is None
    with pytest.raises(InputError, match="Import published results") as refused:
        asked([], "6 x 32")
    assert refused.value


def test_speed_is_a_factor_only_where_every_way_states_it() -> None:
    assert asked(library(), "6 x 32", "12 x 16 3200", kind="DDR4 RDIMM").factors == ["size"]
    stated = asked(library(), "6 x 32 2R 3200", "12 x 16 2R 3200", kind="DDR4 RDIMM")
    assert stated.factors == ["size", "ranks", "speed"]
    (difference,) = stated.differences
    # All RDIMMs have 2 ranks and 3200 MT/s: both rise with the count, and so does what is asked for.
    assert difference.watts is not None
    assert difference.watts.value == pytest.approx(12.0, abs=4.0)
    (mixed,) = asked(library(), "12 x 16 1R 3200", "12 x 16 2R 3200", kind="DDR4 RDIMM").differences
    assert mixed.watts is None
    assert "always changed together" in mixed.statement
    assert "ranks" in mixed.statement


def test_results_without_a_kind_are_counted_as_excluded() -> None:
    vague = result("vague", "PC2-5300F 2Rx4", 4, 2.0, 200.0, 300.0)
    memory = vague.memory.model_copy(update={"details": "registered", "kind": "RDIMM"})
    seen = published_seen([vague.model_copy(update={"memory": memory})], IDLE)
    assert (len(seen.power), seen.excluded) == (0, 1)


def test_the_check_counts_servers_that_their_interval_held() -> None:
    answers = [asked(library(seed), energy=FREE) for seed in range(30)]
    tried = sum(len(answer.check.servers) for answer in answers)
    held = sum(answer.check.held for answer in answers)
    assert tried == 30 * 16
    assert 0.90 <= held / tried <= 0.98
    assert "of 16" in answers[0].check.statement


def test_simulated_servers_step_back_behind_published_ones() -> None:
    published = published_seen(library(), IDLE)
    simulated = Seen(published.power, published.efficiency, 0, simulated=True)
    assert joined(simulated, published) is published
    assert joined(simulated, Seen((), (), 3)).simulated


def test_every_row_of_the_table_says_that_it_was_not_measured() -> None:
    table = predicted_table(asked(library(), "6 x 32", "12 x 16", kind="DDR4 RDIMM"))
    keys = [column.key for column in table.columns]
    first, second = (dict(zip(keys, row, strict=True)) for row in table.rows)
    assert {first["marks"], second["marks"]} == {"not traceable, extrapolated, not measured"}
    assert first["difference_w"] is None
    assert second["difference_low_w"] < 12.0 < second["difference_high_w"]  # type: ignore[operator]
    assert second["real"] is True
    assert second["cost_per_year"] == pytest.approx(second["watts_w"] * 2.19)  # type: ignore[operator]
    assert "cost_per_year" not in {column.key for column in predicted_table(asked(library(), energy=FREE)).columns}
