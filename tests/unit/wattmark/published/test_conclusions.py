"""Conclusions about performance per watt, each against a hand calculation from the printed tables."""

from __future__ import annotations

import pytest
from wattmark.published.library import load_published, published_out

TABLES = {table.id: table for table in published_out(load_published()).tables}


def rows(name: str) -> list[dict[str, object]]:
    table = TABLES[f"anandtech-2006-woodcrest.{name}"]
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


CONCLUSIONS = rows("conclusions")


@pytest.mark.parametrize(
    ("workload", "ahead", "behind", "ratio"),
    [
        ("openssl.rsa1024-sign", "Sun Fire T2000", "Intel S5000", (10722 / 188) / (6240 / 245)),
        ("openssl.rsa2048-sign", "Sun Fire T2000", "Intel S5000", (1918 / 188) / (1087 / 245)),
        ("openssl.rsa4096-sign", "Intel S5000", "Sun Fire T2000", (164 / 245) / (1 / 188)),
        ("mysql-5.0.21-innodb", "Intel S5000", "Sun Fire T2000", (904 / 245) / (433 / 188)),
        ("mysql-5.0.21-innodb", "MSI K2", "Sun Fire T2000", (590 / 239) / (433 / 188)),
        ("mysql-5.0.21-innodb", "Intel S5000", "MSI K2", (904 / 245) / (590 / 239)),
    ],
)
def test_who_is_ahead_per_watt(workload: str, ahead: str, behind: str, ratio: float) -> None:
    (row,) = [
        row
        for row in CONCLUSIONS
        if row["Workload"] == workload
        and str(row["System"]).startswith(ahead)
        and str(row["Against"]).startswith(behind)
    ]
    assert row["Status"] == "ahead"
    assert row["Ratio"] == pytest.approx(ratio, rel=1e-3)
    assert row["Lowest"] < row["Ratio"] < row["Highest"]  # type: ignore[operator]


def test_one_cpu_against_the_power_of_two_is_refused_in_eight_cases() -> None:
    """Method, rule 2: eight tempting pairs of one-CPU throughput and two-CPU power."""
    mixed = [row for row in CONCLUSIONS if "from one CPU, the power from two CPUs" in str(row["Why"])]
    assert len(mixed) == 8
    assert {(row["Status"], row["Ratio"]) for row in mixed} == {("refused", None)}


def test_no_conclusion_rests_on_extrapolated_or_borrowed_figures() -> None:
    named = [row for row in CONCLUSIONS if row["Status"] != "refused"]
    assert not [r for r in named if "extrapolated" in f"{r['System']} {r['Against']}" or "HE" in str(r["System"])]


def test_claims_about_watts() -> None:
    """Method 5.3: break-even at 9.6 to 10.8 modules, not 8; remark I08: 374/188 = 1.99, not 4."""
    modules, times = rows("power-claims")
    assert (modules["Lowest"], modules["Highest"]) == pytest.approx((9.6, 10.8))
    assert times["Recomputed"] == pytest.approx(374 / 188)
    assert [row["Status"] for row in (modules, times)] == ["inconsistent", "inconsistent"]


def test_articles_without_power_draw_no_conclusion() -> None:
    assert [name for name in TABLES if name.endswith(".conclusions")] == ["anandtech-2006-woodcrest.conclusions"]
