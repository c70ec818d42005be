"""Geometric means over levels and workloads, against a calculation by hand (SERT 2: 0.65, 0.30, 0.05)."""

import math

import pytest
from wattmark.comparison.factors.geometric import ALL, WEIGHTED, geometric_view, subsystem
from wattmark.core.errors import InputError
from wattmark.workloads.catalogue import list_workloads
from wattmark.workloads.declaration import Declaration

from ...pairs import contradicted, on_meter, pair, ranked_by_choice

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
    by_key = rows(geometric_view(stored(), "s/old"))
    new = by_key["s/new", "openssl.rsa1024-sign"]
    assert new.efficiency.value == pytest.approx(math.sqrt(150 / 150 * 600 / 250))
    assert new.score.value == pytest.approx(1000 * math.sqrt((150 / 400 / 150) * (600 / 400 / 250)))
    cpu, memory, storage = math.sqrt(2 * 1.5), 100 / 50 * 220 / 200, 180 / 90
    assert new.factor.value == pytest.approx(cpu)
    assert by_key["s/new", ALL].factor.value == pytest.approx((cpu * memory * storage) ** (1 / 3))
    weighted = by_key["s/new", WEIGHTED]
    assert weighted.factor.value == pytest.approx(cpu**0.65 * memory**0.30 * storage**0.05)
    assert (weighted.levels, by_key["s/old", WEIGHTED].factor.value) == (4, pytest.approx(1))
    assert by_key["s/old", ALL].factor.value == 1


def test_a_run_whose_memory_is_not_the_declared_is_excluded_and_the_others_have_their_mean():
    """The score of memory is by its size, which is not known where the server has other modules."""
    pairs = stored()
    view = geometric_view([*pairs[:-1], contradicted(pairs[-1])], "s/old")
    assert {("s/new", WEIGHTED), ("s/old", WEIGHTED)} <= rows(view).keys()
    (remark,) = [remark for remark in view.remarks if "excluded" in remark]
    run, _ = pairs[-1]
    assert remark == (
        f"s/new, {run.workload}, {run.level}: 1 of 2 runs excluded: the memory differs from the bench file (rule "
        "memory-slots)."
    )


def test_a_size_that_no_run_has_confirmed_gives_no_weighted_mean():
    """All runs of s/new are ranked by choice, although none has the declared modules: plain means need no size."""
    runs = [ranked_by_choice(contradicted(of)) if of[0].configuration == "new" else of for of in stored()]
    view = geometric_view(runs, "s/old")
    assert {("s/new", ALL), ("s/old", WEIGHTED)} <= rows(view).keys()
    assert ("s/new", WEIGHTED) not in rows(view)
    assert any("The memory size is not known; describe the memory" in remark for remark in view.remarks)


def test_intervals_hold_the_factor_and_the_reference_has_none():
    by_key = rows(geometric_view(stored(), "s/old"))
    new, old = by_key["s/new", "openssl.rsa1024-sign"], by_key["s/old", "openssl.rsa1024-sign"]
    assert new.factor.low < new.factor.value < new.factor.high
    assert new.efficiency.low < new.efficiency.value < new.efficiency.high
    assert (old.factor.value, *old.factor.ends) == (1, None, None)


def half(row, figure="factor"):
    low, high = getattr(row, figure).ends
    return (math.log(high) - math.log(low)) / 2


def test_scatter_of_means_adds_in_quadrature_with_their_weights():
    """Every figure scatters by 1 % / sqrt(2) (two runs): exponents 0.65/2 twice, 0.30 and 0.05 of new and of old."""
    by_key = rows(geometric_view(stored(), "s/old"))
    half_of_single = 1.959964 * 0.01 / math.sqrt(2)
    assert half(by_key["s/new", "openssl.rsa1024-sign"]) == pytest.approx(
        half_of_single * math.sqrt(4 * 0.5**2), rel=1e-3
    )
    weights = (0.325, 0.325, 0.30, 0.05)
    assert half(by_key["s/new", WEIGHTED]) == pytest.approx(
        half_of_single * math.sqrt(2) * math.hypot(*weights), rel=1e-3
    )
    plain = (1 / 6, 1 / 6, 1 / 3, 1 / 3)
    assert half(by_key["s/new", ALL]) == pytest.approx(half_of_single * math.sqrt(2) * math.hypot(*plain), rel=1e-3)
    assert all(row.score.U95 > 0 for row in by_key.values())


def test_gain_of_one_meter_counts_once_in_the_mean_and_cancels_in_the_factor():
    by_key = rows(geometric_view([on_meter(pair, 0.01) for pair in stored(u=1e-7)], "s/old"))
    new = by_key["s/new", "openssl.rsa1024-sign"]
    assert math.log(new.efficiency.high / new.efficiency.low) / 2 == pytest.approx(1.959964 * 0.01, rel=1e-3)
    assert half(new) < 1e-6
    assert half(by_key["s/new", WEIGHTED]) < 1e-6


def test_single_runs_have_no_interval_and_say_why():
    by_key = rows(geometric_view([pair for pair in stored() if pair[0].repeat == 1], "s/old"))
    for key in ("openssl.rsa1024-sign", ALL, WEIGHTED):
        row = by_key["s/new", key]
        assert row.factor.ends == (None, None)
        assert row.remark == "No ±: with a single run the scatter between runs is not known."


@pytest.mark.parametrize("workload", list_workloads(), ids=lambda workload: workload.id)
def test_every_shipped_workload_counts_as_the_part_that_limits_it(workload: Declaration) -> None:
    """A service that does the work loads several parts, so that its workloads count in the plain mean only."""
    part = {"cpu": "cpu", "memory": "memory", "disk": "storage"}.get(workload.limited_by)
    assert subsystem(workload.id) == (None if workload.service else part), "add it to SUBSYSTEMS"


def test_only_upper_levels_on_request():
    view = geometric_view(stored(), "s/old", from_level=4)
    assert rows(view)["s/new", "openssl.rsa1024-sign"].factor.value == pytest.approx(600 / 400)
    assert "levels 4 and higher" in view.statement
    with pytest.raises(InputError, match="No level is 9 or higher"):
        geometric_view(stored(), "s/old", from_level=9)


def test_what_the_reference_lacks_is_excluded_and_named():
    more = [*stored(), pair("new", 800, 260, workload="openssl.rsa1024-sign", level="8 threads")]
    view = geometric_view(more, "s/old")
    assert rows(view)["s/new", "openssl.rsa1024-sign"].levels == 2
    assert "s/new, openssl.rsa1024-sign: 1 levels excluded, because s/old did not run them." in view.remarks


def test_no_weighted_mean_without_all_three_kinds():
    view = geometric_view(stored(workload="openssl"))
    assert not [row for row in view.rows if row.workload == WEIGHTED]
    assert any("The score needs the workloads cpu, memory, storage; got cpu" in remark for remark in view.remarks)
    assert subsystem("web.wrk") is None
    with pytest.raises(InputError, match="no results to normalise"):
        geometric_view([])
