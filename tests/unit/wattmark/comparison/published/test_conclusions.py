"""Conclusions about performance per watt, each against a hand calculation from the printed tables."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wattmark.comparison.published.conclusions import conclusions
from wattmark.comparison.published.library import load_published, published_out

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
    """Method, rule 2: eight tempting pairs of one-CPU throughput and two-CPU power; of four the board is not known."""
    mixed = [row for row in CONCLUSIONS if "from one CPU, the power from two CPUs" in str(row["Why"])]
    guessed = [row for row in CONCLUSIONS if "but not its board" in str(row["Why"]) and "one CPU" in str(row["System"])]
    assert (len(mixed), len(guessed)) == (4, 4)
    assert {(row["Status"], row["Ratio"]) for row in mixed + guessed} == {("refused", None)}


def test_the_239_watts_belong_to_no_named_board() -> None:
    """The article names two boards with the Opteron 275, its power table none: 590/239 is a guess."""
    article = load_published().articles[0]
    powered = [system.title for system in article.systems if system.power == "opteron275"]
    assert powered == ["Opteron 275, board not named"]
    assert not [row for row in CONCLUSIONS if "Opteron 275" in f"{row['System']}" and row["Ratio"] is not None]
    assert {"MSI K2-102A2M, Opteron 275 2.2 GHz", "MSI K8N Master2-FAR, 2 x Opteron 275 2.2 GHz"} <= {
        system.title for system in article.systems
    }


@pytest.mark.parametrize(
    ("signs", "status"),
    [(10722, "ahead"), (12500, "ahead"), (12800, "hint only"), (13800, "hint only"), (13950, "not distinguishable")],
)
def test_a_lead_below_ten_per_cent_is_a_hint_only(signs: int, status: str) -> None:
    """T2000: 10722/188 = 57.03 signs per J. At 245 W 12500 is 11.8 % behind, 12800 9.2, 13800 1.2, 13950 0.2."""
    library = load_published()
    article = library.articles[0]
    column = "Xeon 5160 3 GHz, 4 threads"
    tables = tuple(
        table.model_copy(
            update={
                "rows": tuple(
                    tuple(
                        signs if cells[0] == "1024 bit" and title == column else cell
                        for title, cell in zip(table.columns, cells, strict=True)
                    )
                    for cells in table.rows
                )
            }
        )
        if table.id == "rsa-sign"
        else table
        for table in article.tables
    )
    changed = article.model_copy(update={"tables": tables})
    rows = conclusions(replace(library, articles=(changed,)), changed)
    (row,) = [row for row in rows if row[0] == "openssl.rsa1024-sign" and row[4] is not None]
    assert row[7] == status


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
