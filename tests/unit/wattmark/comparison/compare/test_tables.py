from __future__ import annotations

from collections.abc import Callable

import pytest
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.views import CompareGroup, CompareOut, ComparePair
from wattmark.comparison.memory.memory_table import memory_table
from wattmark.comparison.memory.views import MemoryOut, MemoryPoint
from wattmark.comparison.published.published_table import published_table
from wattmark.comparison.published.views import PublishedTable
from wattmark.core.interval import Interval, Interval95
from wattmark.core.quantity import Quantity
from wattmark.reports.routes import preview
from wattmark.results.result import BudgetedQuantity, CostFigures, DelayProduct, IdleSubtracted, NominalFigure, Result
from wattmark.results.tables.results_table import results_table
from wattmark.tables.layouts import arranged
from wattmark.tables.table import Table

Make = Callable[..., Result]
STABLE = [
    *("run_id", "server", "configuration", "workload", "level", "repeat", "status", "throughput", "throughput_unit"),
    *("power_w", "power_u_w", "efficiency", "efficiency_u", "efficiency_unit", "energy_per_op_j", "window_begin"),
    *("window_end", "window_s", "window_rule", "samples", "meter", "simulated", "traceable", "source"),
]


def column(table: Table, key: str) -> list[object]:
    return [row[table.position(key)] for row in table.rows]


def group(**changes: object) -> CompareGroup:
    fields: dict[str, object] = {
        "key": "t2000/eight",
        "title": "T2000",
        "server": "t2000",
        "configuration": "eight",
        "dimm_count": 8,
        "kind": "measured",
        "workload": "openssl.rsa1024-sign",
        "level": "32 threads",
        "runs": ["a", "b", "c"],
        "n": 3,
        "efficiency": Interval95(value=57.03, low=56.03, high=58.03, u=0.3, dof=4),
        "power_w": Interval95(value=188, low=186, high=190, u=0.9),
        "throughput": Interval95(value=10722, low=10700, high=10744, u=9),
        "efficiency_unit": "signs/J",
        "throughput_unit": "signs/s",
        "steady": True,
        "full_load": True,
        "traceable": True,
        "source": "measured",
    }
    return CompareGroup.model_validate(fields | changes)


def test_results_have_the_stable_columns_first_and_in_their_order(make_result: Make) -> None:
    table = results_table([make_result()])
    assert [c.key for c in table.columns][: len(STABLE)] == STABLE
    assert column(table, "power_w") == [1101.2828341013824]


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({"simulated": True}, "simulated"),
        ({"traceable": False}, "not traceable"),
        ({"steady": False}, "not steady"),
        ({"full_load": False}, "below full load"),
        ({"source": "imported: MLPerf Power closed/x"}, "imported"),
        ({"notes": ("Expired certificate, overridden by the operator.",)}, "overridden"),
    ],
)
def test_what_is_no_plain_measurement_is_marked_and_explained(
    make_result: Make, changes: dict[str, object], mark: str
) -> None:
    table = results_table([make_result(), make_result(**changes)])
    assert column(table, "marks") == [None, mark]
    assert [note.partition(":")[0] for note in table.footnotes] == [mark]


def test_plain_measurement_needs_no_footnote(make_result: Make) -> None:
    assert results_table([make_result()]).footnotes == ()


def test_people_see_value_and_expanded_uncertainty_with_the_unit_in_the_head(make_result: Make) -> None:
    page = preview(arranged(results_table([make_result()]), "full"))
    shown = dict(zip(page.columns, page.rows[0], strict=True))
    assert shown["Power ± U95 [W]"] == "1\u202f101.3 ± 3.0"
    assert shown["Efficiency ± U95 [samples/J]"] == "84.78 ± 0.23"
    assert "run_id" not in shown
    assert page.formats == ["csv", "md", "xlsx", "json", "html", "tex", "tsv", "parquet"]


def test_units_that_differ_stand_in_the_cells(make_result: Make) -> None:
    in_signs = make_result(unit="signs", efficiency=BudgetedQuantity(value=84.78421434, unit="signs/J"))
    page = preview(arranged(results_table([make_result(), in_signs]), "full"))
    assert page.columns.count("Efficiency ± U95") == 1
    cells = [row[page.columns.index("Efficiency ± U95")] for row in page.rows]
    assert cells == ["84.78 ± 0.23 samples/J", "84.8 signs/J"]


def test_no_results_is_an_empty_table() -> None:
    page = preview(arranged(results_table([]), "full"))
    assert page.rows == []
    assert "Server" in page.columns


def test_comparison_has_a_row_per_group_and_the_ratio_to_the_baseline() -> None:
    published = group(
        key="published:rsa1024.opteron",
        kind="published",
        efficiency=None,
        power_w=None,
        traceable=False,
        refusal="No power was published.",
        remarks=["One.", "Two."],
    )
    compared = CompareOut(
        workload="openssl.rsa1024-sign",
        level="32 threads",
        title="RSA 1024",
        efficiency_unit="signs/J",
        throughput_unit="signs/s",
        direction="higher",
        baseline="x5160/four",
        groups=[group(), published],
        pairs=[
            ComparePair(
                key="t2000/eight",
                baseline="x5160/four",
                ratio=Interval(value=2.239, low=2.215, high=2.264),
                p_adjusted=0.001,
                significant=True,
                verdict="124 % more",
            )
        ],
        statement="The T2000 does more per watt.",
    )
    table = compare_table(compared)
    assert column(table, "ratio") == [2.239, None]
    assert column(table, "efficiency_U95") == [1.0, None]
    assert column(table, "refusal") == [None, "No power was published."]
    assert column(table, "remarks") == [None, "One. Two."]
    assert table.footnotes[0] == "The T2000 does more per watt."
    assert column(table, "marks") == [None, "published, not traceable"]
    shown = preview(arranged(table, "full"))
    assert shown.rows[0][shown.columns.index("Efficiency ± U95 [signs/J]")] == "57.0 ± 1.0"


def test_memory_table_tells_the_slope_and_what_was_planted() -> None:
    memory = MemoryOut(
        kind="DIMM",
        part="1 GiB FB-DIMM",
        parts=[],
        server="sim",
        workload="w",
        level="full",
        points=[
            MemoryPoint(
                run_id="r",
                configuration="c",
                count=4,
                memory_gib=4,
                power=Quantity(value=245, unit="W"),
                efficiency=None,
                throughput=Quantity(value=1, unit="1/s"),
                simulated=True,
            )
        ],
        watts_per_part=Interval95(value=6.4, low=6.1, high=6.7, u=0.1),
        intercept_w=219.4,
        line=[],
        theil_sen_w=6.4,
        lack_of_fit_p=None,
        statement="Each FB-DIMM costs 6.4 W.",
        simulated=True,
        planted={"watts_per_dimm": 6.41},
    )
    table = memory_table(memory)
    assert column(table, "count") == [4]
    text = " ".join(table.footnotes)
    assert "at the wall: 6.40 ± 0.30 W (95 %)." in text
    assert "watts_per_dimm = 6.41" in text
    assert "simulated:" in text


def test_published_table_names_its_source() -> None:
    source = PublishedTable(
        id="x.max-power",
        title="Maximum power",
        source="AnandTech (2006)",
        columns=["System", "Power [W]"],
        rows=[["Sun T2000", 188.0], ["Not told", None]],
        remarks=["No meter is told."],
    )
    table = published_table(source)
    assert [c.kind for c in table.columns] == ["text", "number", "text"]
    assert table.rows == (("Sun T2000", 188.0, "published"), ("Not told", None, "published"))
    assert table.footnotes == ("Published, not measured here. Source: AnandTech (2006).", "No meter is told.")


def test_second_figures_have_columns_of_their_own_under_their_labels(make_result: Make) -> None:
    result = make_result(
        idle_subtracted=IdleSubtracted(
            idle=BudgetedQuantity(value=300.0, unit="W"), power=Quantity(value=801.28, unit="W"),
            efficiency=Quantity(value=116.53, unit="samples/J", u=0.2, k95=2.0),
        ),
        delay_product=DelayProduct(
            work=1e6, unit="samples", time_s=10.71, edp=Quantity(value=126320.0, unit="J s"),
            ed2p=Quantity(value=1352883.0, unit="J s2"),
        ),
        cost=CostFigures(
            currency="EUR", price=9000.0, life_years=4.0, tariff_per_kwh=0.3, pue=1.5,
            per_operation=Quantity(value=2.3e-9, unit="EUR"), purchase_share_pct=33.0,
            efficiency_per_price=Quantity(value=0.00942, unit="samples/J/EUR"),
        ),
        nominal=NominalFigure(tdp_w=450.0, efficiency=Quantity(value=207.49, unit="samples/J"), text="Nominal."),
    )  # fmt: skip
    page = preview(arranged(results_table([result]), "full"))
    shown = dict(zip(page.columns, page.rows[0], strict=True))
    assert shown["Idle-subtracted efficiency ± U95 [samples/J]"] == "116.53 ± 0.40"
    assert shown["Energy-delay product [J s]"] == "126\u202f000"
    assert shown["Cost per operation [EUR]"] == "2.30e-9"
    assert shown["Efficiency per price [samples/J/EUR]"] == "0.00942"
    assert shown["Nominal efficiency [samples/J]"] == "207.49"
    assert column(results_table([result]), "edp_of") == ["1\u202f000\u202f000 samples"]


def test_runs_without_second_figures_show_no_columns_for_them(make_result: Make) -> None:
    shown = preview(arranged(results_table([make_result()]), "full")).columns
    assert not [heading for heading in shown if "idle" in heading or "Nominal" in heading or "Cost" in heading]
