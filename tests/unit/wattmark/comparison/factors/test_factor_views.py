"""Delta tables, multiples, extrapolations and load levels from runs whose figures the seed articles print."""

import pytest
from wattmark.bench.configuration import Configuration
from wattmark.campaigns.disclosure import snapshot
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.factors import factors, in_order, left_equal
from wattmark.comparison.factors.deltas import deltas_view, factor_values
from wattmark.comparison.factors.matrix import matrix
from wattmark.comparison.factors.normalised import normalised_view
from wattmark.comparison.scaling.extrapolated import NO_EFFICIENCY, NOT_MEASURED, extrapolated_view
from wattmark.comparison.scaling.load_levels import load_levels_view
from wattmark.core.errors import InputError
from wattmark.core.quantity import Quantity

from ...pairs import contradicted, pair, ranked_by_choice, with_idle


def test_factors_are_all_that_the_snapshot_tells() -> None:
    by_name = factors(pair("c", 1.0)[0])
    assert by_name["os.kernel"] == "2.6.15"
    assert by_name["firmware.hardware prefetcher"] == "on"
    assert by_name["cpu.clock_mhz"] == "2200"
    assert by_name["memory.slots"] == "A1=RDIMM 1 GiB"
    assert "cpu.model" not in left_equal(by_name, "cpu.clock_mhz")
    assert left_equal(by_name, "server").keys() == {"server", "workload", "level"}
    assert in_order(["2.6.18", "2.6.9", "16", "2.6.18"]) == ["2.6.9", "2.6.18", "16"]


def test_factors_of_a_bench_file_are_read_from_the_stored_snapshot() -> None:
    cpu = {"model": "Xeon 5160", "sockets": 2, "cores": 4, "clock_mhz": 3000}
    slots = {"A1": {"type": "FB-DIMM", "capacity_gib": 2}, "A2": {"type": "FB-DIMM", "capacity_gib": 2}, "B1": None}
    declared = Configuration.model_validate(
        {"id": "c", "cpu": cpu, "memory": {"slots": slots}, "os": {"name": "Debian 12", "kernel": "6.1"},
         "psus": [{"id": "p1"}, {"id": "p2", "powered": False}], "firmware": {"turbo": False}}
    )  # fmt: skip
    run = pair("c", 1.0)[0].changed(configuration_snapshot=snapshot(declared))
    by_name = factors(run)
    assert {name: by_name[name] for name in ("cpu.model", "cpu.cores", "cpu.clock_mhz", "os.kernel", "psus")} == {
        "cpu.model": "Xeon 5160",
        "cpu.cores": "4",
        "cpu.clock_mhz": "3000",
        "os.kernel": "6.1",
        "psus": "p1",
    }
    assert by_name["memory.dimm_count"] == "2"
    assert by_name["memory.gib"] == "4"
    assert by_name["memory.type"] == "FB-DIMM"
    assert by_name["firmware.turbo"] == "off"


def test_deltas_are_those_that_the_articles_print() -> None:
    """MySQL on one and two CPUs (AnandTech 2006): 749 to 590 is -21 %, with the old kernel 456 to 605 is +33 %."""
    pairs = [
        pair("one", 749.0, cpu={"sockets": 1}),
        pair("two", 590.0, cpu={"sockets": 2, "cores": 4}),
        pair("one-new", 456.0, cpu={"sockets": 1}, os={"kernel": "2.6.18"}),
        pair("two-new", 605.0, cpu={"sockets": 2, "cores": 4}, os={"kernel": "2.6.18"}),
        pair("alone", 100.0, cpu={"sockets": 1}, os={"kernel": "2.4"}),
    ]
    assert factor_values(
        [(run, result.model_copy(update={"power": Quantity(value=200.0, unit="W")})) for run, result in pairs]
    )["cpu.sockets"] == ["1", "2"]
    view = deltas_view(pairs, "cpu.sockets", figure="throughput")
    assert [round(row.delta_pct.value) for row in view.rows] == [-21, 33]
    assert [row.shown for row in view.rows] == ["-21.2 %", "+32.7 %"]
    assert view.delta_of_means_pct.value == pytest.approx(100 * (1195 / 1205 - 1))
    assert view.mean_of_deltas_pct.value == pytest.approx((100 * (590 / 749 - 1) + 100 * (605 / 456 - 1)) / 2)
    assert any("No counterpart" in remark and "2.4" in remark for remark in view.remarks)
    assert {row.delta_pct.ends for row in view.rows} == {(None, None)}, "single runs"
    again = [*pairs, *((run.model_copy(update={"run_id": f"{run.run_id}-2"}), result) for run, result in pairs)]
    again = [(run, result.model_copy(update={"run_id": run.run_id})) for run, result in again]
    row = deltas_view(again, "cpu.sockets", figure="throughput").rows[0]
    # Two independent means of two runs, each run known to 1 %: 1.96 % about the ratio.
    assert row.delta_pct.high - row.delta_pct.low == pytest.approx(100 * (590 / 749) * 2 * 1.96 * 0.01, rel=1e-2)


def test_a_model_that_is_typed_in_two_ways_is_no_factor_that_differs() -> None:
    """749 and 590 queries/s of one and two CPUs are -21 %, however people type the name of the CPU."""
    pairs = [
        pair("one", 749.0, cpu={"sockets": 1, "model": "Intel Xeon 5160"}),
        pair("two", 590.0, cpu={"sockets": 2, "model": "INTEL Xeon  5160"}),
        pair("other", 600.0, cpu={"sockets": 2, "model": "Intel Xeon 5150"}),
    ]
    assert factor_values(pairs)["cpu.model"] == ["INTEL Xeon  5160", "Intel Xeon 5150"]
    assert "cpu.model" not in factor_values(pairs[:2])
    (row,) = deltas_view(pairs, "cpu.sockets", figure="throughput").rows
    assert round(row.delta_pct.value) == -21
    (row,) = deltas_view(pairs[1:], "cpu.model", figure="throughput", old="intel xeon 5150").rows
    assert row.delta_pct.value == pytest.approx(100 * (590 / 600 - 1))


def with_modules(count, **changes):
    slots = {f"A{k}": {"type": "RDIMM", "capacity_gib": 1.0} for k in range(count)}
    return {"memory": {"slots": slots}, "dimm_count": count, "memory_gib": float(count), **changes}


def test_a_contradicted_run_is_at_no_value_of_a_factor_of_memory() -> None:
    """The mean of 100 and 110 is 105; a run at 300 whose server has other modules than declared is not in it."""
    runs = [pair("two", 100.0, repeat=1, **with_modules(2)), pair("two", 110.0, repeat=2, **with_modules(2))]
    runs += [pair("four", 210.0, repeat=n, **with_modules(4)) for n in (1, 2)]
    wrong = contradicted(pair("two", 300.0, repeat=3, **with_modules(2)))
    for factor in ("memory.dimm_count", "memory.gib"):
        view = deltas_view([*runs, wrong], factor, figure="throughput")
        (row,) = view.rows
        assert (row.n_old, row.n_new) == (2, 2)
        assert row.delta_pct.value == pytest.approx(100.0, abs=0.5)
        assert view.remarks[0] == (
            "s/two, mysql, 20 users: 1 run is excluded: the memory differs from the bench file (rule memory-slots)."
        )


def test_a_contradicted_run_is_no_equal_of_one_with_the_declared_memory() -> None:
    """The factor is another one, and memory has to be equal, which that of such a run is not known to be."""
    runs = [pair("one", 100.0, cpu={"sockets": 1}), pair("two", 150.0, cpu={"sockets": 2})]
    wrong = [contradicted(pair("two", 300.0, cpu={"sockets": 2}, repeat=n)) for n in (2, 3)]
    view = deltas_view([*runs, *wrong], "cpu.sockets", figure="throughput")
    (row,) = view.rows
    assert (row.n_new, row.delta_pct.value) == (1, pytest.approx(50.0))
    assert "s/two, mysql, 20 users: 2 runs are excluded: the memory differs" in view.remarks[0]
    chosen = [ranked_by_choice(of) for of in wrong]
    assert deltas_view([*runs, *chosen], "cpu.sockets", figure="throughput").rows[0].n_new == 1
    free = deltas_view([*runs, *chosen], "cpu.sockets", figure="throughput", ignored=["memory.*"])
    assert free.rows[0].n_new == 3, "ranked by choice, such a run counts where memory may differ"


@pytest.mark.parametrize("factor", ["configuration", "server"])
def test_a_contradicted_run_is_in_no_comparison_of_what_its_row_names(factor: str) -> None:
    """100 and 110 are 105 in the mean; a run at 300, of a server with other modules, is in no view, and named."""
    runs = [pair("one", 100.0, 100.0, repeat=1), pair("one", 110.25, 100.0, repeat=2)]
    runs += [pair("two", 210.0, 100.0, repeat=n) for n in (1, 2)]
    wrong = contradicted(pair("one", 300.0, 100.0, repeat=3))
    if factor == "server":
        runs[2:] = [(run.changed(server="t"), result.model_copy(update={"server": "t"})) for run, result in runs[2:]]
    ran, reason = [*runs, wrong], "the memory differs from the bench file (rule memory-slots)"
    view = deltas_view(ran, factor, figure="throughput")
    assert (view.rows[0].n_old, view.rows[0].old.value) == (2, pytest.approx(105.0))
    assert f"s/one, mysql, 20 users: 1 of 3 runs excluded: {reason}." in view.remarks
    normalised = normalised_view(ran, "s/one", "throughput")
    assert {row.key: row.n for row in normalised.rows}["s/one"] == 2
    assert f"s/one, mysql, 20 users: 1 of 3 runs excluded: {reason}." in normalised.remarks
    other = "t/two" if factor == "server" else "s/two"
    (row,) = matrix(ran, [other], "s/one", "throughput").rows
    assert row.cells[0].ratio.value == pytest.approx(2.0)
    compared = compare([result for _, result in ran], "mysql", "20 users", "s/one")
    (group,) = [group for group in compared.groups if group.key == "s/one"]
    assert (group.n, group.throughput.value) == (2, pytest.approx(105.0))
    assert f"1 of 3 runs excluded: {reason}." in group.remarks


def test_an_extrapolation_is_not_from_contradicted_runs() -> None:
    clocks = [pair(f"c{mhz}", mhz / 10, cpu={"clock_mhz": mhz}) for mhz in (1800.0, 2000.0, 2200.0)]
    wrong = contradicted(pair("c2400", 1000.0, cpu={"clock_mhz": 2400.0}))
    view = extrapolated_view([*clocks, wrong], "clock", 2600.0)
    assert max(row.at for row in view.rows if row.kind != NOT_MEASURED) == 2200.0
    assert any("s/c2400, mysql, 20 users: 1 run is excluded: the memory differs" in text for text in view.remarks)


def test_persistent_memory_is_a_factor_of_its_own() -> None:
    slots = {"A1": {"type": "RDIMM", "capacity_gib": 16}, "A2": {"type": "PMem", "capacity_gib": 126.375}}
    declared = Configuration.model_validate(
        {"id": "c", "cpu": {"model": "x"}, "memory": {"slots": slots}, "os": {"name": "Debian 12", "kernel": "6.1"}}
    )
    by_name = factors(pair("c", 1.0)[0].changed(configuration_snapshot=snapshot(declared)))
    assert {name: text for name, text in by_name.items() if name.startswith("memory.")} == {
        "memory.dimm_count": "1",
        "memory.gib": "16",
        "memory.type": "RDIMM",
        "memory.slots": "A1=RDIMM 16 GiB",
        "memory.persistent": "A2=PMem 126.375 GiB",
    }
    assert "memory.persistent" in left_equal(by_name, "memory.dimm_count")


def test_means_of_deltas_have_intervals_by_their_weights() -> None:
    """Two runs of each figure with 1 %: u = 1 % / sqrt(2) of each; two rows, old and new independent."""
    pairs = [
        pair(f"{sockets}-{kernel}", rate, cpu={"sockets": sockets}, os={"kernel": kernel}, repeat=repeat)
        for sockets, kernel, rate in ((1, "a", 100.0), (2, "a", 150.0), (1, "b", 300.0), (2, "b", 330.0))
        for repeat in (1, 2)
    ]
    view = deltas_view(pairs, "cpu.sockets", figure="throughput")
    u = 0.01 / 2**0.5
    expected = {
        "geometric_mean": ((1.5 * 1.1) ** 0.5, (0.5, 0.5, 0.5, 0.5)),
        "mean_of_deltas": (1.3, (1.5 / 2.6, 1.1 / 2.6) * 2),
        "delta_of_means": (480 / 400, (150 / 480, 330 / 480, 100 / 400, 300 / 400)),
    }
    for name, (factor, weights) in expected.items():
        half = 1.959964 * u * sum(w * w for w in weights) ** 0.5
        low, high = getattr(view, f"{name}_pct").ends
        assert low == pytest.approx(100 * (factor * (1 - half) - 1), abs=0.02), name
        assert high == pytest.approx(100 * (factor * (1 + half) - 1), abs=0.02), name


def test_averages_over_different_work_are_no_delta_of_means() -> None:
    pairs = [
        pair(c, rate * factor, workload=w, os={"kernel": kernel})
        for w, rate in (("a", 10.0), ("b", 1000.0))
        for c, kernel, factor in (("old", "2.6.15", 1.0), ("new", "2.6.18", 1.19))
    ]
    view = deltas_view(pairs, "os.kernel", figure="throughput")
    assert view.delta_of_means_pct is None
    assert view.geometric_mean_pct.value == pytest.approx(19)
    assert (view.old, view.new) == ("2.6.15", "2.6.18")


@pytest.mark.parametrize(
    ("factor", "new", "words"),
    [
        ("os.kernal", None, "No runs differ in the factor 'os.kernal'"),
        ("os.kernel", "3.0", "No run has os.kernel '3.0'"),
        ("os.kernel", None, "everything else equal"),
    ],
)
def test_what_cannot_be_paired_says_why(factor, new, words) -> None:
    pairs = [pair("a", 1.0), pair("b", 2.0, os={"kernel": "2.6.18"}, firmware={"hardware prefetcher": False})]
    with pytest.raises(InputError, match=words):
        deltas_view(pairs, factor, new, figure="throughput")
    view = deltas_view(pairs, "os.kernel", figure="throughput", ignored=["firmware.*"])
    assert view.rows[0].factor == pytest.approx(2.0)


def test_one_run_without_known_scatter_has_a_delta_but_no_interval() -> None:
    pairs = [pair("a", 362.0, u=0), pair("b", 433.0, u=0, os={"kernel": "2.6.18"})]
    pairs = [
        (run, result.model_copy(update={"throughput": result.throughput.model_copy(update={"budget": ()})}))
        for run, result in pairs
    ]
    (row,) = deltas_view(pairs, "os.kernel", figure="throughput").rows
    assert row.shown == "+19.6 %"
    assert row.delta_pct.ends == (None, None)


def test_normalised_figures_have_factor_one_at_the_baseline() -> None:
    """AnandTech 2006: Xeon 5160 against Opteron 280, MySQL 996/805 (+24 %) and PostgreSQL 673/524 (+28 %)."""
    pairs = [
        pair(c, rate, workload=w)
        for w, rates in (("mysql", (805.0, 996.0)), ("postgresql", (524.0, 673.0)))
        for c, rate in zip(("opteron", "xeon"), rates, strict=True)
    ]
    view = normalised_view([*pairs, pair("xeon", 5.0, workload="only")], "s/opteron", "throughput")
    assert [round(row.factor.value, 2) for row in view.rows] == [1.0, 1.24, 1.0, 1.28]
    assert view.rows[0].factor.low is None
    assert view.rows[1].factor.ends == (None, None), "single runs"
    again = [pair(c, rate, repeat=2) for c, rate in (("opteron", 805.0), ("xeon", 996.0))]
    repeated = normalised_view([*pairs, *again], "s/opteron", "throughput")
    assert repeated.rows[1].factor.low < 996 / 805 < repeated.rows[1].factor.high
    assert "2 of 2 figures" not in " ".join(repeated.remarks)
    assert any("are of one installation each: the effect of re-seating" in remark for remark in repeated.remarks)
    assert view.means["s/xeon"].value == pytest.approx((996 / 805 * 673 / 524) ** 0.5)
    assert view.remarks == ["only, 20 users: excluded, because s/opteron did not run it."]
    with pytest.raises(InputError, match="no configuration 's/none'"):
        normalised_view(pairs, "s/none", "throughput")
    with pytest.raises(InputError, match="no results to normalise"):
        normalised_view(pairs)


def test_extrapolation_by_clock_is_that_of_the_method() -> None:
    """Method 5.5: PostgreSQL 490 and 524 at 2.2 and 2.4 GHz give 626 +- 51 (k = 2) at 3.0 GHz with 1 % per point."""
    pairs = [
        pair("o275", 490.0, cpu={"model": "Opteron 275", "clock_mhz": 2200.0}),
        pair("o280", 524.0, cpu={"model": "Opteron 280", "clock_mhz": 2400.0}),
    ]
    view = extrapolated_view(pairs, "clock", 3000.0)
    assert [row.kind for row in view.rows[:3]] == ["measured", "measured", "extrapolated, not measured"]
    line = next(row for row in view.rows if row.model.startswith("Straight line: "))
    assert line.throughput.value == pytest.approx(626)
    assert pytest.approx(51 / 2, rel=0.02) == line.throughput.U95 / 1.96
    assert view.warning.startswith("Extrapolated, not measured: 3000 MHz lies 25 % above the highest measured point")
    # Proportional: 524 x 3.0/2.4, the highest of the models; the time model bends below the line.
    assert view.spread[1] == pytest.approx(655)
    assert view.spread[0] < 626
    assert NO_EFFICIENCY in view.remarks
    with pytest.raises(InputError, match="within the measured range"):
        extrapolated_view(pairs, "clock", 2300.0)
    with pytest.raises(InputError, match=r"No two runs differ in cpu\.cores alone"):
        extrapolated_view(pairs, "cores", 8.0)


X5650_OPS = (865618, 786688, 698051, 607826, 521391, 436757, 345919, 262071, 176061, 86784)
X5650_WATTS = (258, 242, 224, 204, 185, 170, 157, 146, 135, 121, 80)


def test_x5650_gives_the_overall_figure_and_proportionality_of_its_table() -> None:
    """SPECpower result of the Xeon X5650: 2490.72 overall, not 2191.72 and not 3355.11; EP 0.641085."""
    pairs = [
        pair("c", ops, watts, workload="ssj", level=f"{100 - 10 * level} %")
        for level, (ops, watts) in enumerate(zip(X5650_OPS, X5650_WATTS, strict=False))
    ]
    view = load_levels_view([*pairs, pair("c", None, 80.0, workload="ssj", level="active idle")], "s/c", "ssj")
    assert view.overall.value == pytest.approx(2490.7211, abs=5e-5)
    assert view.energy_proportionality.value == pytest.approx(0.641085, abs=5e-7)
    assert view.idle_to_peak.value == pytest.approx(0.310078, abs=5e-7)
    assert view.linear_deviation.value == pytest.approx(0.237219, abs=5e-7)
    assert view.rows[0].ops_per_joule.value == pytest.approx(3355.1085, abs=5e-5)
    assert not any("Other levels" in remark for remark in view.remarks)


def test_levels_that_count_processes_are_shares_of_the_highest_throughput() -> None:
    pairs = [
        with_idle(pair("c", 1000.0 * n, 100.0 + 25 * n, workload="rsa", level=f"{n} processes", repeat=1), 100.0)
        for n in (1, 2, 4)
    ]
    view = load_levels_view(pairs, "s/c", "rsa")
    assert [row.load_pct for row in view.rows] == pytest.approx([100, 50, 25, 0])
    # Power on a straight line from 100 to 200 W: EP = 1 - IPR, no deviation.
    assert view.energy_proportionality.value == pytest.approx(0.5)
    assert view.idle_to_peak.value == pytest.approx(0.5)
    assert view.linear_deviation.value == pytest.approx(0.0, abs=1e-12)
    assert view.overall.value == pytest.approx(7000 / (125 + 150 + 200 + 100))
    assert "Idle is the mean over the idle phases of 3 runs." in view.remarks
    # Three idle phases of 1 W each: 1.96 x 1 W / sqrt(3).
    assert pytest.approx(1.96 / 3**0.5, rel=1e-3) == view.rows[-1].power_w.U95


def test_without_idle_there_is_no_overall_figure_and_it_says_so() -> None:
    view = load_levels_view([pair("c", 10.0, 200.0, level="100 %")], "s/c", "mysql")
    assert view.overall is None
    assert any(remark.startswith("The overall figure is not known") for remark in view.remarks)
    with pytest.raises(InputError, match="has no level"):
        load_levels_view([], "s/c", "mysql")
