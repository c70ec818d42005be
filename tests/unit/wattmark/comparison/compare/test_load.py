"""At which loads published figures stand beside measured ones, and what is said of the others.

The published figures are those of the library: AnandTech 2006, "100 % CPU load", 2048 bit: a Sun Fire T2000 and an
Intel S5000; the third machine has no power row.
"""

import pytest
from wattmark.comparison.compare.compare import choices, compare
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.load import full_by_name, same_load
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.imported import ImportedResults
from wattmark.comparison.published.library import load_published, published_groups
from wattmark.comparison.published.published_result import PublishedLevel, PublishedResult
from wattmark.core.errors import InputError
from wattmark.reports.figures.plots import compare_plot
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.disclosure import SourceFileNote
from wattmark.tables.formats import write

RSA = "openssl.rsa2048-sign"
LIBRARY = published_groups(load_published(), RSA)
FULL = {"full_load_limit_pct": 95.0}


def published_in(compared):
    return [group.server for group in compared.groups if group.kind == "published"]


@pytest.mark.parametrize(
    ("level", "full"),
    [
        ("full load", True),
        ("100 %", True),
        ("100%", True),
        ("all threads", True),
        ("80 %", False),
        ("99.9 %", False),
        ("10 %", False),
        ("0 %", False),
        ("active idle", False),
        ("overall", False),
        ("4 processes", None),
        ("Offline", None),
        ("whole log", None),
    ],
)
def test_a_name_tells_full_load_or_not_or_nothing(level, full) -> None:
    assert full_by_name(level) is full
    assert same_load(level, "full load") is (full is True)


@pytest.mark.parametrize(
    ("level", "busy_pct", "beside"),
    [
        ("full load", 95.0, True),
        ("100 %", None, True),
        ("all threads", None, True),
        ("64 threads", 95.0, True),
        ("64 threads", None, False),
        ("1 process", 99.9, False),
        ("80 %", 95.0, False),
        ("80 %", None, False),
        ("60 %", None, False),
        ("active idle", None, False),
    ],
    ids=str,
)
def test_published_full_load_stands_beside_full_load_only(measure, level, busy_pct, beside) -> None:
    """The CPUs of the measured runs were busy for 99.5 %; a limit above that makes them fall short of full load."""
    runs = [measure(f"r{k}", workload=RSA, level=level, full_load_limit_pct=busy_pct) for k in range(3)]
    compared = compare(runs, RSA, level, published=LIBRARY)
    assert published_in(compared) == (["sun-t2000", "xeon5160-s5000", "opteron-2400"] if beside else [])
    assert {pair.key for pair in compared.pairs if pair.key.startswith("published:")} == (
        {"published:rsa2048.t2000", "published:rsa2048.xeon5160"} if beside else set()
    )
    said = "Not compared: 3 published figures of this workload" in compared.statement
    assert said is not beside
    table, plot = compare_table(compared), compare_plot(compared)
    assert len(table.rows) == (4 if beside else 1)
    assert any("Sun Fire T2000" in name for name in plot.names) is beside
    assert ("Not compared: 3 published" in plot.caption) is not beside
    assert (b"T2000" in write(table, "tex")) is beside


def test_where_nothing_was_measured_at_a_load_full_load_does_not_stand_in() -> None:
    with pytest.raises(InputError):
        compare([], RSA, "80 %", published=LIBRARY)


def test_another_unit_is_counted_and_never_a_ratio(measure) -> None:
    runs = [measure(f"r{k}", workload=RSA, level="full load", unit="verifies") for k in range(3)]
    compared = compare(runs, RSA, "full load", published=LIBRARY)
    assert published_in(compared) == []
    assert "Not compared: 3 published figures in another unit (signs/s)." in compared.statement


def test_full_load_stays_a_choice_of_its_own_beside_shares(measure) -> None:
    runs = [measure(f"{level}-{k}", workload=RSA, level=level) for level in ("80 %", "60 %") for k in range(2)]
    assert [(c.level, c.measured, c.published) for c in choices(runs, LIBRARY)] == [
        ("60 %", 1, 0),
        ("80 %", 1, 0),
        ("full load", 0, 3),
    ]
    (whole,) = choices([measure("w", workload=RSA, level="100 %")], LIBRARY)
    assert (whole.level, whole.measured, whole.published) == ("100 %", 1, 3)


def test_imported_results_at_100_pct_stand_beside_full_load_of_any_name(storage) -> None:
    levels = [PublishedLevel(target_pct=t, actual_pct=t, ops_per_s=10.0 * t, power_w=100.0 + t, printed_ratio=None)
              for t in (100.0, 80.0)]  # fmt: skip
    imported = ImportedResults(storage.runs)
    imported.keep(
        PublishedResult(
            id="x", kind="csv", title="X", source="x.csv", submitter="X", maker="X", model="X1", workload=RSA,
            unit="signs/s", levels=tuple(levels), overall=5.0, nodes=4,
            file=SourceFileNote(file="x.csv", bytes=1, sha256="0" * 64),
        )
    )  # fmt: skip
    comparisons = Comparisons(Evaluations(storage), load_published, imported=imported)
    shown = {level: published_in(comparisons.compare(RSA, level)) for level in ("full load", "100 %", "80 %")}
    assert shown["full load"] == shown["100 %"] == ["sun-t2000", "xeon5160-s5000", "opteron-2400", "X X1"]
    assert shown["80 %"] == ["X X1"]
    (group,) = (g for g in comparisons.compare(RSA, "80 %").groups)
    assert group.configuration.startswith("4 nodes")
