from __future__ import annotations

import math

import pytest
from wattmark.core.errors import InputError
from wattmark.reports.product_tables import product_table
from wattmark.reports.sheets.phase_values import PHASE_VALUES
from wattmark.reports.sheets.sheet import SheetName, sheet_layout
from wattmark.reports.sheets.values import VALUES
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery
from wattmark.tables.people import lay_out
from wattmark.tables.table import Cell, Table

from .conftest import FACTOR, IDLE_W, LOAD_W, VOLTS, AddRun

SHEETS: tuple[SheetName, ...] = ("eehpc", "mlperf-summary", "procurement")


def sheet(sources: Sources, name: SheetName, **choices: object) -> Table:
    return product_table(sources, name, TableQuery(**choices))


def cells(table: Table, key: str) -> list[Cell]:
    return [row[table.position(key)] for row in table.rows]


def entry(table: Table, key: str) -> dict[str, Cell]:
    (row,) = (row for row in table.rows if row[table.position("key")] == key)
    return {column.key: cell for column, cell in zip(table.columns, row, strict=True)}


@pytest.mark.parametrize("name", SHEETS)
def test_every_entry_takes_a_value_that_exists_and_says_what_to_do_where_it_is_missing(name: SheetName) -> None:
    layout = sheet_layout(name)
    assert {each.value for each in layout.entries} <= {*VALUES, *PHASE_VALUES, "state"}
    assert len({each.key for each in layout.entries}) == len(layout.entries)
    assert all(each.remedy.endswith(".") for each in layout.entries if each.needed or each.levels)


def test_a_procurement_sheet_has_watts_volt_amperes_and_power_factor_of_both_states(
    sources: Sources, add_run: AddRun
) -> None:
    """U95 of VA: 0.1 % of reading and of range for voltage and current, added, 1.96/sqrt(3) of the limit."""
    add_run()
    table = sheet(sources, "procurement")
    assert cells(table, "state") == ["idle", "loaded"]
    assert cells(table, "measured_s") == [1200, 1200]
    assert cells(table, "power_w") == pytest.approx([IDLE_W, LOAD_W], rel=1e-3)
    assert cells(table, "apparent_va") == pytest.approx([IDLE_W / FACTOR, LOAD_W / FACTOR], rel=1e-3)
    assert cells(table, "power_factor") == pytest.approx([FACTOR, FACTOR], rel=1e-3)
    volt_amperes = LOAD_W / FACTOR
    amperes = volt_amperes / VOLTS
    limit = volt_amperes * ((0.1 * VOLTS + 0.1 * 300) / 100 / VOLTS + (0.1 * amperes + 0.1 * 2) / 100 / amperes)
    assert cells(table, "apparent_va_U95")[1] == pytest.approx(1.96 * limit / math.sqrt(3), rel=1e-3)
    assert all(isinstance(half, float) for half in cells(table, "power_factor_U95"))


def test_a_run_with_everything_that_a_tender_asks_for_is_complete(sources: Sources, add_run: AddRun) -> None:
    """0.1 % of reading and 0.05 % of 600 W are 0.2875 % of 160 W and 0.22 % of 250 W, within 0.3 %."""
    add_run()
    table = sheet(sources, "procurement")
    assert cells(table, "tolerance_pct") == pytest.approx([0.2875, 0.22], rel=1e-3)
    assert cells(table, "missing") == [None, None]
    assert table.statements[0] == "All 2 rows are complete."


def test_short_phases_and_channels_that_were_not_recorded_are_missing_by_name(
    sources: Sources, add_run: AddRun
) -> None:
    add_run(idle_s=30, settle_s=30, measure_s=120, channels=("power",))
    table = sheet(sources, "procurement")
    idle, loaded = (str(cell).split("; ") for cell in cells(table, "missing"))
    assert idle == ["Time measured of at least 1200 s (it is 30 s)", "Apparent power", "Power factor"]
    assert loaded == [
        "Time under load before of at least 600 s (it is 30 s)",
        "Time measured of at least 1200 s (it is 120 s)",
        "Apparent power",
        "Power factor",
    ]
    assert cells(table, "apparent_va") == [None, None]
    assert {"Apparent power [VA]", "Power factor [1]"} <= set(lay_out(table).headings)
    assert table.statements[0].startswith("2 of 2 rows are incomplete")


def test_values_without_limits_of_error_are_shown_and_their_plus_minus_is_missing(
    sources: Sources, add_run: AddRun
) -> None:
    add_run(other_limits={})
    table = sheet(sources, "procurement")
    assert cells(table, "apparent_va")[1] == pytest.approx(LOAD_W / FACTOR, rel=1e-3)
    assert str(cells(table, "missing")[1]).split("; ") == ["± of apparent power", "± of power factor"]


def test_a_run_without_an_idle_phase_has_an_idle_row_that_says_so(sources: Sources, add_run: AddRun) -> None:
    add_run(idle_s=0)
    table = sheet(sources, "procurement")
    assert cells(table, "state") == ["idle", "loaded"]
    assert "Missing: Real power. The run has no idle phase. See why the run has no power or no ±." in table.row_notes[0]
    assert cells(table, "missing")[1] is None


def test_simulated_power_is_never_complete(sources: Sources, add_run: AddRun) -> None:
    add_run(simulated=True)
    assert cells(sheet(sources, "procurement"), "missing") == ["Measured power", "Measured power"]
    assert (
        "Missing: Measured power. The power of this run is simulated."
        in sheet(sources, "eehpc", run_id="whole").statements
    )


def test_a_power_submission_lists_what_each_level_still_needs(sources: Sources, add_run: AddRun) -> None:
    add_run()
    table = sheet(sources, "eehpc", run_id="whole", nodes=4)
    assert entry(table, "site")["value"] == "Test lab"
    assert entry(table, "core_power")["number"] == pytest.approx(LOAD_W, rel=1e-3)
    assert entry(table, "core_power")["number_U95"]
    assert str(entry(table, "core_means")["value"]).count(";") == 9
    assert entry(table, "idle_power")["number"] == pytest.approx(IDLE_W, rel=1e-3)
    assert entry(table, "fraction")["number"] == 25
    assert str(entry(table, "machine_power")["value"]).endswith("W, extrapolated, not measured")
    assert entry(table, "interconnect")["state"] == "missing"
    assert entry(table, "full_run")["value"] == "missing"
    first, second, third = table.statements[:3]
    assert first.startswith("Level 1 is incomplete")
    assert "Interconnect" in first
    assert "entries are missing; beyond those of level 1: Mean power of the whole run" in second
    assert "Readings of an energy register in the core phase" in third


def test_a_machine_of_one_node_needs_no_interconnect_and_no_extrapolation(sources: Sources, add_run: AddRun) -> None:
    add_run()
    table = sheet(sources, "eehpc", run_id="whole", nodes=1)
    assert entry(table, "fraction")["number"] == 100
    assert entry(table, "interconnect")["state"] == "given"
    assert "extrapolated" not in str(entry(table, "machine_power")["value"])


def test_the_columns_of_mlperf_name_what_a_run_of_another_program_lacks(sources: Sources, add_run: AddRun) -> None:
    add_run()
    table = sheet(sources, "mlperf-summary")
    missing = str(cells(table, "missing")[0]).split("; ")
    assert {"Availability", "Division", "Accelerator", "Scenario", "Accuracy", "Code"} <= set(missing)
    assert not {"Submitter", "Processor", "p#", "Power"} & set(missing)
    assert cells(table, "processors") == [2]


def test_a_sheet_without_complete_runs_is_refused(sources: Sources) -> None:
    with pytest.raises(InputError, match="No complete run"):
        sheet(sources, "procurement")


@pytest.mark.parametrize("name", SHEETS)
def test_a_run_that_the_filters_leave_out_has_no_sheet(sources: Sources, add_run: AddRun, name: SheetName) -> None:
    add_run("r1")
    assert sheet(sources, name, run_id="r1").rows
    with pytest.raises(InputError, match="No complete run was chosen"):
        sheet(sources, name, run_id="r1", campaign_id="none")


def test_runs_that_are_chosen_in_two_ways_are_refused(sources: Sources, add_run: AddRun) -> None:
    run_id = add_run()
    with pytest.raises(InputError, match="by run_id and by run_ids"):
        sheet(sources, "procurement", run_id=run_id, run_ids=run_id)
