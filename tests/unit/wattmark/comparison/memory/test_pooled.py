"""Watts per DIMM over the servers that have one kind of modules."""

import math

import pytest
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.memory.memory import memory_choices
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.parts.pooled_slopes import pooled_slopes
from wattmark.comparison.parts.slopes import part_slopes


@pytest.fixture
def lab(measure):
    """Make servers whose modules draw so many watts each, every run an installation of its own."""

    def make(watts, **changes):
        return [
            measure(
                f"{server}-{count}-{k}",
                watts=200 + cost * count + 0.1 * ((k + count) % 3 - 1),
                dimms=count,
                server=server,
                disclosure={"installation": f"{server} {count} {k}"},
                **changes,
            )
            for k in range(3)
            for server, cost in watts.items()
            for count in (2, 4, 8)
        ]

    return make


def test_servers_of_one_kind_have_a_mean_and_predict_another(lab):
    """4, 5 and 6 W, known to hundredths: mean 5 W, scatter between servers 1 W.

    The prediction has one degree of freedom: 12.706 x sqrt(1 + 1/3) = 14.67 W to either side.
    """
    results = lab({"s1": 4.0, "s2": 5.0, "s3": 6.0})
    (row,) = pooled_slopes(results, DIMMS, installations(results))
    assert (row.servers, row.excluded, row.refusal) == (["s1", "s2", "s3"], [], None)
    assert row.watts_per_part.value == pytest.approx(5.0, abs=0.02)
    assert row.between_w == pytest.approx(1.0, abs=0.03)
    assert row.prediction.high - row.prediction.value == pytest.approx(12.706 * math.sqrt(4 / 3), rel=0.03)
    assert "on average over 3 servers. Another server is expected to show " in row.statement
    assert "prediction interval" in row.statement


def test_servers_without_plus_minus_are_named_and_not_in_the_mean(lab, measure):
    """Two counts, each installed once, tell nothing of re-seating."""
    once = [
        measure(
            f"s9-{d}-{k}", watts=200 + 9.0 * d + 0.1 * k, dimms=d, server="s9", disclosure={"installation": f"i{d}"}
        )
        for d in (2, 4)
        for k in range(3)
    ]
    results = [*lab({"s1": 4.0, "s2": 5.0}), *once]
    (row,) = pooled_slopes(results, DIMMS, installations(results))
    assert (row.servers, row.excluded) == (["s1", "s2"], ["s9"])
    assert row.watts_per_part.value == pytest.approx(4.5, abs=0.02)
    assert row.prediction is None
    assert row.statement.endswith("Not in it, as its slope has no ±: s9.")


def test_one_server_is_no_mean_and_simulated_ones_are_pooled_apart(lab, meter):
    alone = lab({"s0": 4.0})
    assert pooled_slopes(alone, DIMMS, installations(alone)) == []
    model = lab({"m1": 3.0, "m2": 3.2}, meters=(meter(simulated=True),))
    results = [*lab({"s1": 4.0, "s2": 5.0}), *model]
    rows = pooled_slopes(results, DIMMS, installations(results))
    assert [(row.simulated, row.servers) for row in rows] == [(False, ["s1", "s2"]), (True, ["m1", "m2"])]
    assert rows[1].statement.startswith("Simulated power: each ")


def test_a_slope_by_a_meter_of_unknown_accuracy_says_why_it_has_no_plus_minus(lab, meter):
    results = lab({"s1": 4.0, "s2": 5.0}, meters=(meter(reading_pct=None, range_pct=None, fixed_w=None),))
    slopes = part_slopes(results, DIMMS, installations(results))
    assert [slope.watts_per_part.complete for slope in slopes] == [False, False]
    assert {slope.remark for slope in slopes} == {"There is no ±: the uncertainty of the meter is not known."}
    (row,) = pooled_slopes(results, DIMMS, installations(results))
    assert row.watts_per_part is None
    assert row.refusal == "Pooling needs the slopes of 2 servers with a ±; there is none."


class Ran:
    def __init__(self, server, count, level="60 %", status="complete"):
        self.server, self.workload, self.level, self.dimm_count, self.status = server, "rsa", level, count, status


def test_choices_are_complete_runs_by_server_workload_and_level():
    """Most counts first, full load before others; a single count is listed, and a failed run counts nothing."""
    ran = [
        *(Ran("a", n, level) for level in ("60 %", "100 %") for n in (4, 2)),
        *(Ran("b", n) for n in (2, 4, 8)),
        Ran("b", 16, status="failed"),
        Ran("c", 2),
        Ran("d", None),
    ]
    assert [(c.server, c.level, c.counts) for c in memory_choices(ran)] == [
        ("b", "60 %", [2, 4, 8]),
        ("a", "100 %", [2, 4]),
        ("a", "60 %", [2, 4]),
        ("c", "60 %", [2]),
    ]
