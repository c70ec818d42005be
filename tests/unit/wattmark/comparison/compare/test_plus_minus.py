"""Every figure of every table has its ± at 95 %, or the reason why it has none."""

from pathlib import Path

import numpy as np
import pytest
import wattmark
from wattmark.client import Figure
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.factors.deltas import deltas_view
from wattmark.comparison.factors.factor_tables import (
    deltas_table,
    extrapolated_table,
    load_levels_table,
    normalised_table,
)
from wattmark.comparison.factors.geometric import geometric_view
from wattmark.comparison.factors.geometric_table import geometric_table
from wattmark.comparison.factors.normalised import normalised_view
from wattmark.comparison.memory.break_even import break_even_view
from wattmark.comparison.memory.memory import memory_view
from wattmark.comparison.memory.memory_table import memory_table
from wattmark.comparison.parts.break_even_table import break_even_table
from wattmark.comparison.parts.fit_table import fit_table
from wattmark.comparison.scaling.extrapolated import extrapolated_view
from wattmark.comparison.scaling.load_levels import load_levels_view
from wattmark.comparison.scaling.scaling import scaling_view
from wattmark.comparison.scaling.scaling_table import scaling_table
from wattmark.core.numbers import format_uncertain
from wattmark.results.evaluate import evaluate
from wattmark.results.tables.marks import NOT_MEASURED
from wattmark.results.tables.results_table import results_table
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase, ThroughputInterval
from wattmark.tables.people import lay_out

from ...conftest import BEGIN_NS

SECOND = 10**9
DECLARED = {
    "cpu": {"model": "Xeon 5160", "sockets": 2, "tdp_w": 80.0},
    "price": {"amount": 2400.0, "currency": "EUR"},
    "costs": {"currency": "EUR", "tariff_per_kwh": 0.3, "pue": 1.5, "life_years": 4.0},
}
REASONS = ("remark", "remarks", "refusal", "plus_minus", "reason", "basis")
ONE_SPAN = (ThroughputInterval(begin_ns=BEGIN_NS, end_ns=BEGIN_NS + 100 * SECOND, amount=800_000),)
UNSPECIFIED = {"reading_pct": None, "range_pct": None, "fixed_w": None, "accuracy_source": None}
KINDS = {
    "specified": ({}, {}, 2),
    "unspecified": (UNSPECIFIED, {}, 2),
    "single run": ({}, {}, 1),
    "single run, unspecified": (UNSPECIFIED, {}, 1),
    "stated throughput": ({}, {"throughput": (), "stated_throughput": 8123.4, "source": "imported: log"}, 1),
    "one span": ({}, {"throughput": ONE_SPAN}, 1),
}


@pytest.fixture(scope="module")
def made():
    """What `stored` has made of each kind: tests only look at it."""
    return {}


@pytest.fixture
def stored(made, store, record, meter, rng):
    """Record levels 1, 2 and 4 of two servers with 2, 4 and 8 DIMMs, idle before and after, by one meter of a kind."""

    def make(of_meter, changes, repeats):
        kind = repr((of_meter, changes, repeats))
        if kind not in made:
            made[kind] = [
                measured_run(f"{server}-{dimms}-{n}-{k}", server, dimms, n, k, of_meter, changes)
                for server in ("s1", "s2")
                for dimms in (2, 4, 8)
                for n in (1, 2, 4)
                for k in range(repeats)
            ]
        return list(made[kind])

    def measured_run(run_id, server, dimms, n, repeat, of_meter, changes):
        idle = [
            Phase(name=PhaseName.IDLE, begin_ns=BEGIN_NS + b * SECOND, end_ns=BEGIN_NS + e * SECOND)
            for b, e in ((-130, -30), (130, 230))
        ]
        run = record(run_id, work=1000.0 * n * (1 + 0.001 * repeat), dimms=dimms, server=server, repeat=repeat + 1,
                     level=f"{n} process{'es' if n > 1 else ''}", meters=(meter(**of_meter),), phases=tuple(idle),
                     created_ns=BEGIN_NS + repeat, **changes)  # fmt: skip
        run = run.changed(configuration_snapshot=run.configuration_snapshot.document() | {"declared": DECLARED})
        t = np.arange(-140.0, 241.0)
        extra_w = (5.0 if server == "s1" else 2.0) * dimms
        watts = np.where((t > 0) & (t <= 100), 180.0 + 15 * n, 150.0) + extra_w + (20.0 if server == "s2" else 0.0)
        store.add(run_id, "outlet", "power", t, watts + rng.normal(0, 0.5, len(t)))
        return run, evaluate(run, store)

    return make


def tables(pairs):
    results = [result for _, result in pairs]
    level, claim = "4 processes", {"workload": "rsa", "level": "4 processes"}
    memory = memory_view(results, "s1", **claim)
    key = "s1/fbdimm-4"
    return [
        results_table(results),
        compare_table(compare(results, "rsa", level)),
        memory_table(memory),
        fit_table("memory-fit", memory),
        break_even_table("break-even", break_even_view(results, ("s1", "s2"), "rsa", level)),
        scaling_table(scaling_view(results, key, "rsa", threshold=2)),
        deltas_table(deltas_view(pairs, "memory.dimm_count", "8", "2")),
        normalised_table(normalised_view(pairs)),
        geometric_table(geometric_view(pairs)),
        extrapolated_table(extrapolated_view(pairs, "load", 8, configuration=key)),
        load_levels_table(load_levels_view(pairs, key, "rsa")),
    ]


def unexplained(table):
    """List the figures without a ± in whose row stands no reason; 1 of a baseline and 0 at idle are exact."""
    keys = [column.key for column in table.columns]
    for row in table.rows:
        cells = dict(zip(keys, row, strict=True))
        if any(cells.get(key) for key in REASONS) or NOT_MEASURED in str(cells.get("marks")):
            continue
        for column in table.columns:
            by = column.expanded_u or column.rounded_by
            if by and cells[column.key] not in (None, 0.0, 1.0) and cells[by] is None:
                yield table.id, column.key, cells


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_has_its_plus_minus_or_a_reason(stored, kind):
    for table in tables(stored(*KINDS[kind])):
        assert not list(unexplained(table)), table.id
        if kind == "specified" and table.id not in ("extrapolated", "memory-fit", "break-even"):
            page = lay_out(table)
            assert any("±" in cell or "% to" in cell for row in page.rows for cell in row), table.id


def test_unknown_meter_shows_no_plus_minus_of_watts_or_work_per_joule(stored):
    """What was shown as 249.869 ± 0.80 W was the scatter alone."""
    for table in tables(stored(*KINDS["unspecified"])):
        for column in table.columns:
            if column.expanded_u and column.key in ("power_w", "efficiency", "relative_power", "score"):
                position = table.position(column.expanded_u)
                assert all(row[position] is None for row in table.rows), (table.id, column.key)


def test_ratios_on_one_unknown_meter_say_that_they_hold_scatter_only(stored):
    pairs = stored(*KINDS["unspecified"])
    for table in (
        deltas_table(deltas_view(pairs, "memory.dimm_count", "8", "2")),
        normalised_table(normalised_view(pairs)),
    ):
        position = table.position("marks")
        marked = [row for row in table.rows if "scatter only" in row[position]]
        assert marked, table.id
        assert all("assumed to cancel" in row[table.position("remark")] for row in marked)
        assert any(note.startswith("scatter only: ") for note in table.footnotes)


@pytest.mark.parametrize(
    ("kind", "words"), [("one span", "Work was counted in one span"), ("stated throughput", "last digit")]
)
def test_work_that_was_counted_once_says_so_in_every_table_with_throughput(stored, kind, words):
    pairs = stored(*KINDS[kind])
    results = [result for _, result in pairs]
    of = {"results": results_table(results), "compare": compare_table(compare(results, "rsa", "4 processes"))}
    of["scaling"] = scaling_table(scaling_view(results, "s1/fbdimm-4", "rsa"))
    of["load-levels"] = load_levels_table(load_levels_view(pairs, "s1/fbdimm-4", "rsa"))
    of["normalised"] = normalised_table(normalised_view(pairs, figure="throughput"))
    for name, table in of.items():
        positions = [table.position(key) for key in REASONS if key in {column.key for column in table.columns}]
        loaded = [row for row in table.rows if "idle phases" not in row]
        assert all(any(words in str(row[position]) for position in positions) for row in loaded), name


def test_all_plus_minus_come_from_expanded_uncertainties_and_u_is_called_u(stored):
    """One convention: ± is 95 %; standard uncertainties stand in columns named u only."""
    for table in tables(stored(*KINDS["specified"])):
        keys = {column.key for column in table.columns}
        for column in table.columns:
            if column.expanded_u:
                assert "U95" in column.expanded_u, (table.id, column.key)
                assert column.expanded_u in keys
            if "_u_" in f"{column.key}_":
                assert column.title.startswith("u("), (table.id, column.key)
                assert not column.expanded_u


def test_second_figures_show_twice_the_standard_uncertainty_or_so(stored):
    """U95 = k u; one rectangular limit of error dominates here, so k lies between 1.65 (rectangle) and 1.96."""
    ((_, result), *_) = stored(*KINDS["specified"])
    idle, product, cost = result.idle_subtracted, result.delay_product, result.cost
    for figure in (idle.power, product.edp, product.ed2p, cost.per_operation, cost.efficiency_per_price):
        assert 1.64 < figure.U95 / figure.u < 2.1


def test_one_function_writes_a_value_with_its_plus_minus():
    """Only `format_uncertain` puts a number behind ±, so that all of them are rounded and meant alike.

    The client imports nothing of wattmark, and writes as it does, but for the space between thousands.
    """
    root = Path(wattmark.__file__).parent
    writers = [
        path.relative_to(root).as_posix() for path in sorted(root.rglob("*.py")) if "± {" in path.read_text("utf-8")
    ]
    assert writers == ["client/__init__.py", "core/numbers.py"]
    for value, limit in ((245.31, 1.94), (380.4, 101.3), (2.664e-3, 7.1e-4), (1234.6, 151.0), (0.998, 0.0016)):
        assert str(Figure(value, "W", limit)) == format_uncertain(value, limit, "W")


def test_steadiness_is_not_called_unjudged_for_a_short_window_where_power_was_withheld(measure, store):
    """A window of 600 s whose readings stop half-way has no power; its length is not what is wrong with it."""
    runs = [measure(f"r{k}", duration_s=600, repeat=k + 1) for k in range(2)]
    withheld = [
        result.model_copy(update={"power": None, "steady": None, "efficiency": None, "verdicts": ()}) for result in runs
    ]
    (group,) = compare(withheld, "rsa", "all").groups
    assert not [remark for remark in group.remarks if "window is too short" in remark]
    (group,) = compare([run.model_copy(update={"steady": None}) for run in runs], "rsa", "all").groups
    assert "Steadiness was not checked: the window is too short." in group.remarks


def test_what_is_beyond_the_measured_counts_is_marked(stored):
    pairs = stored(*KINDS["specified"])
    table = break_even_table("break-even", break_even_view([r for _, r in pairs], ("s1", "s2"), "rsa", "4 processes"))
    bare = [row for row in table.rows if row[0] == "Watts without DIMMs"]
    assert bare
    assert all(NOT_MEASURED in row[table.position("marks")] for row in bare)
