"""Full disclosure texts of SPECpower_ssj2008 beside the checkout; expected values are those printed in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.analysis.parts.population_model import SIZE, population_model
from wattmark.comparison.memory.populations import published_seen
from wattmark.comparison.memory.predicted import predicted_memory
from wattmark.comparison.memory.yearly_cost import Energy
from wattmark.comparison.published.imported_groups import IDLE
from wattmark.importers.specpower.specpower import audit_text, read_text

FOLDER = Path(__file__).parents[3] / "../shared/data/specpower"
TEXTS = sorted(FOLDER.glob("*.txt"))
pytestmark = pytest.mark.skipif(not TEXTS, reason="needs ../shared/data/specpower")
OVERALL = {
    "20071128-00001": 446,
    "20090310-00128": 600,
    "20090421-00144": 478,
    "20090421-00145": 437,
    "20190311-00886": 11942,
    "20200918-01047": 24507,
}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_the_printed_levels_give_the_printed_overall_figure(path: Path) -> None:
    result, _, unread = read_text(path)
    assert result.overall == pytest.approx(result.stated_overall, rel=0.003)
    assert unread.count == 0
    assert audit_text(path).published == result.stated_overall


@pytest.mark.parametrize(("name", "overall"), OVERALL.items())
def test_the_overall_figure_is_the_printed_one(name: str, overall: float) -> None:
    result, _, _ = read_text(FOLDER / f"power_ssj2008-{name}.txt")
    assert result.stated_overall == overall


@pytest.mark.parametrize(
    ("name", "slots", "idle_w", "full_w"),
    [
        ("20090310-00128", ("A0", "B0", "C0", "D0"), 174, 226),
        ("20090421-00144", ("A0", "A1", "B0", "B1", "C0", "C1", "D0", "D1"), 226, 294),
        ("20090421-00145", ("A0", "A1", "B0", "B1", "C0", "C1", "D0", "D1"), 225, 296),
    ],
)
def test_memory_of_one_server_with_4_and_with_8_fb_dimms(
    name: str, slots: tuple[str, ...], idle_w: float, full_w: float
) -> None:
    result, _, _ = read_text(FOLDER / f"power_ssj2008-{name}.txt")
    assert (result.memory.kind, result.memory.slots) == ("FB-DIMM", slots)
    assert (result.supplies.count, result.supplies.rating_w) == (2, 658)
    powers = {level.target_pct: level.power_w for level in result.levels}
    assert (powers[0], powers[100]) == (idle_w, full_w)


def test_the_memory_model_reads_the_rise_of_one_server_off_the_texts() -> None:
    """By hand: 174 W idle with 4 modules, 226 and 225 W with 8, so (225.5 - 174)/4 = 12.875 W per FB-DIMM.

    No other of these servers was published with several populations: one is too few to predict another.
    """
    seen = published_seen([read_text(path)[0] for path in TEXTS], IDLE)
    kinds = {each.memory.kind for each in seen.power}
    assert kinds == {"DDR2 FB-DIMM", "DDR2 UDIMM", "DDR3 UDIMM", "DDR3 RDIMM", "DDR4 RDIMM"}
    (row,) = population_model(seen.power, (SIZE,)).rows
    assert (row.kind, row.value) == ("DDR2 FB-DIMM", pytest.approx(12.875))
    assert list(row.amounts) == pytest.approx([1.0, 6.0])  # 8 GiB became 32 GiB with four modules more
    answer = predicted_memory(seen, ["4 x 2 DDR2 FB-DIMM"], Energy(None, "EUR", 8760.0), workload=None, level=IDLE)
    assert answer.ways[0].watts is None
    assert "too few" in (answer.ways[0].refusal or "")
