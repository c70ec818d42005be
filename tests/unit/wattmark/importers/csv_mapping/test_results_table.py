"""A CSV table of finished results becomes published figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from wattmark.comparison.published.imported_groups import imported_groups
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.results_table import ResultTable, read_table

RESULTS = """\
server,memory,modules,load,watts,ssj_ops
server a,16 GB,4,100%,329,197586
server a,16 GB,4,active idle,,
server a,16 GB,4,50%,284,100208
server a,32 GB,8,100%,"1,000.5",203094
server a,32 GB,8,100%,387,203094
,32 GB,8,100%,387,203094
"""


def mapping(**changes: Any) -> CsvMapping:
    """Return the mapping of the table above."""
    columns = [
        {"column": "server", "quantity": "server"},
        {"column": "memory", "quantity": "configuration"},
        {"column": "load", "quantity": "load level", "unit": "%"},
        {"column": "watts", "quantity": "power", "unit": "W"},
        {"column": "ssj_ops", "quantity": "throughput", "unit": "1/s"},
    ]
    fields = {"name": "results", "holds": "table of results", "work_unit": "ssj_ops", "columns": columns}
    return CsvMapping.model_validate(fields | {"workload": "ssj"} | changes)


def test_rows_of_one_result_become_its_load_levels_and_repeats_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(RESULTS)
    table = read_table(path, mapping())
    assert [item.result.title for item in table.results] == [
        "server a · 16 GB · ssj",
        "server a · 32 GB · ssj",
        "server a · 32 GB · ssj · repeat 2",
    ]
    first, second, third = (item.result for item in table.results)
    assert [(level.target_pct, level.ops_per_s, level.power_w) for level in first.levels] == [
        (100.0, 197586.0, 329.0),
        (50.0, 100208.0, 284.0),
    ]
    assert first.overall == pytest.approx((197586 + 100208) / (329 + 284))
    assert second.levels[0].power_w == 1000.5
    assert (third.workload, third.unit, third.model) == ("ssj", "ssj_ops/s", "server a · 32 GB")
    assert len({item.result.id for item in table.results}) == 3
    assert [(line.line, line.why) for line in table.unread.first] == [
        (3, "'active idle' is not a number"),
        (7, "it names no server"),
    ]


def test_idle_power_is_a_level_and_enters_no_figure_and_a_printed_figure_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("server;watts;idle;ops;ops/W\na;200;150;1000,5;5,01\nb;100;80;400;\n")
    columns = [
        {"column": "server", "quantity": "server"},
        {"column": "watts", "quantity": "power", "unit": "W"},
        {"column": "idle", "quantity": "idle power", "unit": "W"},
        {"column": "ops", "quantity": "throughput", "unit": "1/s"},
        {"column": 5, "quantity": "performance per watt", "unit": "1/J"},
    ]
    table = read_table(path, mapping(delimiter=";", decimal=",", columns=columns))
    first, second = (item.result for item in table.results)
    assert [(level.target_pct, level.power_w) for level in first.levels] == [(100.0, 200.0), (0.0, 150.0)]
    assert (first.stated_overall, first.overall) == (5.01, 1000.5 / 200)
    assert (second.stated_overall, second.overall) == (None, 4.0)
    assert "without idle" in table.results[1].notes[1]


@pytest.mark.parametrize(
    ("printed", "denied"),
    [("2.76", False), ("2.758", False), ("2.8", False), ("2.09", True), ("27.6", True), ("0", True)],
)
def test_a_printed_figure_that_denies_its_row_is_told_in_the_import_and_in_the_comparison(
    tmp_path: Path, printed: str, denied: bool
) -> None:
    """The row of a list of boards of 2026, which printed 2.09 Gflop/s per W for 35.579 Gflop/s and 12.9 W."""
    path = tmp_path / "boards.csv"
    path.write_text(f"board,gflops,watts,per watt\nBoard B,35.579,12.9,{printed}\n")
    columns = [
        {"column": "board", "quantity": "server"},
        {"column": "gflops", "quantity": "throughput", "unit": "1/s"},
        {"column": "watts", "quantity": "power", "unit": "W"},
        {"column": "per watt", "quantity": "performance per watt", "unit": "1/J"},
    ]
    (item,) = read_table(path, mapping(columns=columns, work_unit="Gflop")).results
    text = (
        f"At 100 % load the performance per watt is printed as {float(printed):g}; throughput and power of the row "
        "give 2.75806."
    )
    assert (text in item.notes) == (text in item.result.contradictions) == denied
    (group, *_) = imported_groups([item.result.summary], "ssj", "100 %")
    assert (text in group.remarks) == denied
    assert (group.throughput_unit, group.efficiency_unit) == ("Gflop/s", "Gflop/J")


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ("", "no row below its header"),
        ("s,c,150%,1,1\n", "150 % is not a load level"),
        ("s,c,100%,0,1\n", "0 W is not the power of a working server"),
        ("s,c,100%,-1,1\n", "-1 W is not possible as power"),
        ("s,c,100%,,1\n", "it has no power"),
        ("s,c\n", "it has 2 columns, and 5 are needed"),
    ],
)
def test_a_table_of_which_nothing_can_be_read_is_refused(tmp_path: Path, rows: str, named: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text("server,memory,load,watts,ssj_ops\n" + rows)
    with pytest.raises(InputError, match=named) as raised:
        read_table(path, mapping())
    assert raised.value.remedy


def test_rows_that_sum_up_others_are_no_servers(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    lines = ["server,memory,load,watts,ssj_ops", "a,,100,100,1000", "b,,100,120,1100", "Average,,100,110,1050"]
    path.write_text("\n".join([*lines, "Total:,,100,220,2100", "Total Recall,,100,220,2100"]))
    table = read_table(path, mapping())
    assert [item.result.model for item in table.results] == ["a", "b", "Total Recall"]
    assert [line.why for line in table.unread.first] == [
        "'Average' is not a server: the row sums up others",
        "'Total:' is not a server: the row sums up others",
    ]


@pytest.mark.parametrize(("levels", "most"), [((0.9, 0.5), "0.9"), ((1,), "1")])
def test_load_levels_of_at_most_1_are_no_percentages(tmp_path: Path, levels: tuple[float, ...], most: str) -> None:
    path = tmp_path / "results.csv"
    rows = [f"a,,{level},{100 * level},{1000 * level}" for level in levels]
    path.write_text("\n".join(["server,memory,load,watts,ssj_ops", *rows, ""]))
    with pytest.raises(InputError, match=rf"largest load level is {most} %: .* unit '1'"):
        read_table(path, mapping())


def test_load_levels_from_0_to_1_are_no_percentages(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("server,memory,load,watts,ssj_ops\na,,1.0,100,1000\na,,0.5,80,500\na,,0.1,60,100\n")
    with pytest.raises(InputError, match=r"largest load level is 1 %: .* unit '1'"):
        read_table(path, mapping())
    shares = [c.model_dump() | ({"unit": "1"} if c.unit == "%" else {}) for c in mapping().columns]
    (item,) = read_table(path, mapping(columns=shares)).results
    assert [level.target_pct for level in item.result.levels] == [100.0, 50.0, 10.0]


def test_a_server_that_takes_more_when_idle_than_under_load_is_a_contradiction(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("server,memory,load,watts,ssj_ops\na,,100,100,1000\na,,10,95,100\na,,0,98,0\n")
    (item,) = read_table(path, mapping()).results
    assert item.result.contradictions == ("Idle power is printed as 98 W, above the 95 W at 10 % load.",)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("b,,100,1,200,3500", "it has 6 columns, and the heading or first line 5"),  # 1,200 W without quotes
        ("b,,100,99,7,350", "it has 6 columns, and the heading or first line 5"),  # 99,7 W
        ("b,average,100,90,900", "'average' is not a configuration: the row sums up others"),
        ("b,,100,90,0", "a throughput of 0 is that of a load that failed"),
        ("a,,100,100,1000", "it is line 2 once more"),
        ("b,,100,90,65k", "'65k' ends with k, which multiplies it: write the number out"),
        ("b,,100,1.9K,900", "'1.9K' ends with K, which multiplies it: write the number out"),
    ],
)
def test_a_row_that_would_give_a_wrong_figure_is_counted_and_gives_none(tmp_path: Path, row: str, why: str) -> None:
    path = tmp_path / "results.csv"
    path.write_text(f"server,memory,load,watts,ssj_ops\na,,100,100,1000\n{row}\n")
    table = read_table(path, mapping())
    assert [item.result.model for item in table.results] == ["a"]
    assert [(line.line, line.why) for line in table.unread.first] == [(3, why)]


def test_two_idle_powers_of_one_result_are_a_contradiction(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("server,memory,load,watts,ssj_ops,idle\na,,100,300,1000,100\na,,50,260,500,250\n")
    columns = [*(c.model_dump() for c in mapping().columns), {"column": "idle", "quantity": "idle power", "unit": "W"}]
    (item,) = read_table(path, mapping(columns=columns)).results
    text = "Idle power is printed as 100 W and as 250 W in rows of the same result."
    assert text in item.result.contradictions
    assert text in item.notes


def test_idle_power_is_no_power_of_the_load(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("server,Idle Power (W),ops\na,100,1000\n")
    columns = [
        {"column": "server", "quantity": "server"},
        {"column": "Idle Power (W)", "quantity": "power", "unit": "W"},
        {"column": "ops", "quantity": "throughput", "unit": "1/s"},
    ]
    with pytest.raises(InputError, match="says 'idle', and the mapping reads it as the power of the load"):
        read_table(path, mapping(columns=columns))


def test_a_row_of_units_in_a_table_is_held_against_the_mapping(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("server,memory,load,watts,ssj_ops\n,GB,%,kW,\na,,100,0.1,1000\n")
    with pytest.raises(InputError, match="the row of units says kW for column 'watts', and the mapping reads it in W"):
        read_table(path, mapping())


def by_name(heading: str, **changes: Any) -> CsvMapping:
    """Return a mapping of a table with the columns server, power and ops, and others that its heading names."""
    kinds = {
        "server": ("server", ""),
        "power": ("power", "W"),
        "ops": ("throughput", "1/s"),
        "load": ("load level", "%"),
        "ppw": ("performance per watt", "1/J"),
    }
    columns = [
        {"column": name, "quantity": kinds[name][0], "unit": kinds[name][1]}
        for name in heading.split(",")
        if name in kinds
    ]
    fields = {"name": "results", "holds": "table of results", "work_unit": "ops", "workload": "w", "columns": columns}
    return CsvMapping.model_validate(fields | changes)


def table_of(path: Path, *lines: str, **changes: Any) -> ResultTable:
    file = path / "table.csv"
    file.write_text("\n".join([*lines, ""]))
    return read_table(file, by_name(lines[0], **changes))


@pytest.mark.parametrize(
    ("again", "moved"), [("server,ops,power", "power"), ("server,power (kW),ops", "power"), ("server,ops", "power")]
)
def test_a_heading_that_is_repeated_with_other_columns_refuses_the_table(
    tmp_path: Path, again: str, moved: str
) -> None:
    with pytest.raises(
        InputError, match=rf"line 3: the columns are named once more, and '{moved}' is not where"
    ) as got:
        table_of(tmp_path, "server,power,ops", "A,100,1000", again, "B,200,1500")
    assert "Split the file before that line" in got.value.remedy


def test_a_heading_that_is_repeated_as_it_was_is_no_row(tmp_path: Path) -> None:
    table = table_of(tmp_path, "server,power,ops", "A,100,1000", "server,power,ops", "B,200,1500")
    assert [item.result.levels[0].power_w for item in table.results] == [100, 200]
    assert table.unread.count == 0


def test_a_unit_column_of_a_table_is_held_against_the_mapping(tmp_path: Path) -> None:
    head = "server,power,unit,ops"
    with pytest.raises(InputError, match="in line 3 its column 'unit' changes from 'W' to 'kW'"):
        table_of(tmp_path, head, "A,100,W,1000", "B,0.2,kW,1500")
    with pytest.raises(InputError, match="the column 'unit' of its lines says kW, and the mapping reads it in W"):
        table_of(tmp_path, head, "A,0.1,kW,1000", "B,0.2,kW,1500")
    table = table_of(tmp_path, head, "A,100,W,1000", "B,0.2,kW,1500", where={"unit": "W"})
    assert [(item.result.model, item.result.levels[0].power_w) for item in table.results] == [("A", 100)]


def test_a_rate_in_a_row_of_units_of_a_table_is_held_against_the_mapping(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the row of units says 1/min, and the mapping reads it in 1/s"):
        table_of(tmp_path, "server,power,ops", "-,W,ops/min", "A,100,60000")
    with pytest.raises(InputError, match="the row of units says kW for column 'power'"):
        table_of(tmp_path, "server,power,ops", "(name),(mean),(mean)", "-,kW,ops/s", "A,0.1,1000", "B,0.2,1000")


@pytest.mark.parametrize(
    ("name", "is_server"),
    [
        *((name, False) for name in ("Average (n=2)", "Grand total", "Mean of all", "B/A", "B vs. A", "Ratio")),
        *((name, False) for name in ("Average over servers", "Sub-total:", "Geomean [all]", "Difference")),
        *((name, True) for name in ("Total Recall", "Maximus", "A/C", "Ratio 7", "Sumo (32 GB)", "C/D")),
    ],
)
def test_a_row_that_sums_up_or_compares_others_is_no_server(tmp_path: Path, name: str, is_server: bool) -> None:
    table = table_of(tmp_path, "server,power,ops", "A,100,1000", "B,200,1500", f"{name},2,1.5")
    assert [item.result.model for item in table.results] == ["A", "B", *([name] if is_server else [])]
    assert table.unread.count == (not is_server)


def test_a_row_whose_first_cell_says_that_it_sums_up_others_is_no_server(tmp_path: Path) -> None:
    table = table_of(tmp_path, "id,server,power,ops", "1,A,100,1000", "max,B,200,1500", "Average,all,150,1250")
    assert [item.result.model for item in table.results] == ["A", "B"]
    assert table.unread.first[0].why == "its first cell is 'Average': the row sums up others"


def test_a_decimal_comma_does_not_fill_the_column_behind_a_trailing_comma(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it has 4 columns, and the heading or first line 3"):
        table_of(tmp_path, "server,power,ops,", "A,100,5,1000", "B,200,5,1500")
    table = table_of(tmp_path, "server,power,ops,", "A,100,1000,", "B,200,1500")
    assert [item.result.levels[0].ops_per_s for item in table.results] == [1000, 1500]


def test_a_load_level_that_stands_twice_alone_is_no_repeat(tmp_path: Path) -> None:
    rows = ["A,100,200,2000", "A,50,150,1000", "A,50,155,1010"]
    table = table_of(tmp_path, "server,load,power,ops", *rows)
    assert [item.result.title for item in table.results] == ["A · w"]
    (line,) = table.unread.first
    assert (line.line, line.why) == (4, "load level 50 % stands in line 3 too, and other levels of it once only")
    whole = table_of(tmp_path, "server,load,power,ops", *rows, "A,100,201,2010")
    assert [item.result.title for item in whole.results] == ["A · w", "A · w · repeat 2"]


@pytest.mark.parametrize(
    ("half", "text"),
    [
        ("150,2100", "At 50 % load throughput is printed as 2\u202f100/s, above the 2\u202f000/s at 100 % load."),
        ("240,1000", "At 50 % load power is printed as 240 W, above the 200 W at 100 % load."),
        ("201,1000", None),
        ("150,1000", None),
    ],
)
def test_a_lower_load_level_with_more_work_or_power_is_a_contradiction(
    tmp_path: Path, half: str, text: str | None
) -> None:
    (item,) = table_of(tmp_path, "server,load,power,ops", "A,100,200,2000", f"A,50,{half}").results
    assert item.result.contradictions == (() if text is None else (text,))


def test_ratios_of_single_load_levels_are_not_said_to_lack(tmp_path: Path) -> None:
    (item,) = table_of(tmp_path, "server,load,power,ops,ppw", "A,100,200,2000,10", "A,50,150,1000,6.67").results
    assert not any("prints no performance per watt" in note for note in item.notes)
    assert any("performance per watt for single load levels" in note for note in item.notes)


def test_cells_that_span_several_rows_are_to_be_filled(tmp_path: Path) -> None:
    rows = ["A,100,200,2000", ",50,150,1000", ",10,100,200"]
    with pytest.raises(InputError, match="it names no server") as raised:
        table_of(tmp_path, "server,load,power,ops", *rows)
    assert raised.value.remedy.startswith("Name the server in each row")


def test_a_table_chooses_its_rows_for_all_columns(tmp_path: Path) -> None:
    columns = [c.model_dump() | {"where": {"unit": "W"}} for c in by_name("server,power,ops").columns]
    with pytest.raises(ValidationError, match="A table of results chooses its lines for all columns"):
        by_name("", columns=columns)
