"""Geometric means over levels and workloads, against a calculation by hand (SERT 2: 0.65, 0.30, 0.05)."""

import math

import pytest
from wattmark.errors import InputError
from wattmark.results.geometric import ALL, WEIGHTED, geometric_view, subsystem

from .pairs import pair

RUNS = {
    ("old", "openssl.rsa1024-sign"): {"1 thread": (100, 200), "4 threads": (400, 250)},
    ("old", "stress-ng.stream"): {"4 threads": (50, 220)},
    ("old", "fio.randread"): {"4 threads": (900, 180)},
    ("new", "openssl.rsa1024-sign"): {"1 thread": (150, 150), "4 threads": (600, 250)},
    ("new", "stress-ng.stream"): {"4 threads": (100, 200)},
    ("new", "fio.randread"): {"4 threads": (900, 90)},
}
"""(throughput, watts) by configuration, workload and level."""


def stored(u=0.01, **only):
    return [
        pair(key, rate, watts, u, workload, level, repeat)
        for (key, workload), levels in RUNS.items()
        for level, (rate, watts) in levels.items()
        for repeat in (1, 2)
        if workload.startswith(only.get("workload", ""))
    ]


def rows(view):
    return {(row.key, row.workload): row for row in view.rows}


def test_levels_then_workloads_are_averaged_geometrically():
    found = rows(geometric_view(stored(), "s/old"))
    new = found["s/new", "openssl.rsa1024-sign"]
    assert new.efficiency == pytest.approx(math.sqrt(150 / 150 * 600 / 250))
    assert new.score == pytest.approx(1000 * math.sqrt((150 / 400 / 150) * (600 / 400 / 250)))
    cpu, memory, storage = math.sqrt(2 * 1.5), 100 / 50 * 220 / 200, 180 / 90
    assert new.factor == pytest.approx(cpu)
    assert found["s/new", ALL].factor == pytest.approx((cpu * memory * storage) ** (1 / 3))
    weighted = found["s/new", WEIGHTED]
    assert weighted.factor == pytest.approx(cpu**0.65 * memory**0.30 * storage**0.05)
    assert (weighted.levels, found["s/old", WEIGHTED].factor) == (4, pytest.approx(1))
    assert found["s/old", ALL].factor == 1


def test_intervals_hold_the_factor_and_the_reference_has_none():
    found = rows(geometric_view(stored(), "s/old"))
    new, old = found["s/new", "openssl.rsa1024-sign"], found["s/old", "openssl.rsa1024-sign"]
    assert new.factor_low < new.factor < new.factor_high
    assert new.low < new.efficiency < new.high
    assert (old.factor, old.factor_low, old.factor_high) == (1, None, None)


def test_only_upper_levels_on_request():
    view = geometric_view(stored(), "s/old", from_level=4)
    assert rows(view)["s/new", "openssl.rsa1024-sign"].factor == pytest.approx(600 / 400)
    assert "levels 4 and higher" in view.statement
    with pytest.raises(InputError, match="No level is 9 or higher"):
        geometric_view(stored(), "s/old", from_level=9)


def test_what_the_reference_lacks_is_left_out_and_named():
    more = [*stored(), pair("new", 800, 260, workload="openssl.rsa1024-sign", level="8 threads")]
    view = geometric_view(more, "s/old")
    assert rows(view)["s/new", "openssl.rsa1024-sign"].levels == 2
    assert "s/new, openssl.rsa1024-sign: 1 levels left out, for s/old lacks them." in view.remarks


def test_no_weighted_mean_without_all_three_kinds():
    view = geometric_view(stored(workload="openssl"))
    assert not [row for row in view.rows if row.workload == WEIGHTED]
    assert any("Needed workloads: cpu, memory, storage; given: cpu" in remark for remark in view.remarks)
    assert subsystem("web.wrk") is None
    with pytest.raises(InputError, match="no figures"):
        geometric_view([])
