"""A total beside its parts is refused, wherever it stands and however it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import Path
from random import Random

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_import import csv_run
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.importer import Choices

from .test_what_columns_are import T, log, mapping, read


def outlet(number: int, line: int) -> int:
    """Return the power of an outlet, which varies [W]."""
    return 30 + Random(f"{number} {line}").randrange(11 + number)


def outlets(count: int, line: int) -> list[int]:
    return [outlet(number, line) for number in range(count)]


def of(*columns: str, unit: str = "W") -> CsvMapping:
    return mapping(**{name: ("power", "kW" if name == "kw" else unit) for name in columns})


@pytest.mark.parametrize(
    ("count", "totals", "front", "lines", "named"),
    [
        (16, lambda line: [sum(outlets(16, line))], False, 120, "column 't0' is the sum of"),
        (24, lambda line: [sum(outlets(24, line))], True, 120, "column 't0' is the sum of"),
        (
            8,
            lambda line: [sum(outlets(8, line)[:4]), sum(outlets(8, line)[4:])],
            False,
            120,
            "column 't0' is the sum of 'o0', 'o1', 'o2', 'o3', so its watts",
        ),
        (3, lambda line: [sum(outlets(3, line - 1))], False, 120, "column 't0' is the sum of 'o0', 'o1', 'o2'"),
        (3, lambda line: [sum(outlets(3, line + 1))], False, 120, "column 't0' is the sum of 'o0', 'o1', 'o2'"),
        (3, lambda line: [sum(outlets(3, line))], False, 15, "column 't0' is the sum of 'o0', 'o1', 'o2'"),
        (8, lambda line: [], False, 120, None),
        (24, lambda line: [], False, 120, None),
        (3, lambda line: [sum(outlets(3, line)) * 1.02], False, 120, None),
    ],
    ids=["16", "24, front", "two banks", "a line late", "a line early", "15 lines", "8", "24 alone", "2 % more"],
)
def test_a_total_is_found_among_many_columns_and_beside_other_totals(
    tmp_path: Path, count: int, totals: Callable[[int], list[float]], front: bool, lines: int, named: str | None
) -> None:
    heads = [f"o{number}" for number in range(count)], [f"t{number}" for number in range(len(totals(0)))]
    names = [*heads[1], *heads[0]] if front else [*heads[0], *heads[1]]

    def row(line: int) -> str:
        cells = [*totals(line), *outlets(count, line)] if front else [*outlets(count, line), *totals(line)]
        return ",".join(map(str, cells))

    written = log(",".join(names), row, lines)
    if named is None:
        assert read(tmp_path, written, of(*names)).rows.count == lines
        return
    with pytest.raises(InputError, match=named + ".*counted twice"):
        read(tmp_path, written, of(*names))


def test_a_total_in_kilowatts_of_two_decimals_is_one_within_its_digits(tmp_path: Path) -> None:
    lines = log("o0,o1,o2,kw", lambda i: ",".join([*map(str, outlets(3, i)), f"{sum(outlets(3, i)) / 1000:.2f}"]))
    with pytest.raises(InputError, match="column 'kw' is the sum of 'o0', 'o1', 'o2'"):
        read(tmp_path, lines, of("o0", "o1", "o2", "kw"))


def test_a_total_on_each_line_of_parts_that_are_read_by_turns_is_found_by_its_name_and_mean(tmp_path: Path) -> None:
    def row(name: str) -> Callable[[int], str]:
        def cells(i: int) -> str:
            o0, o1, o2 = outlets(3, i)
            return f"{o0},{o1 if i % 2 else ''},{'' if i % 2 else o2},{o0 + o1 + o2}"

        return cells

    for name, is_refused in (("tot", True), ("o3", False)):
        lines = log(f"o0,o1,o2,{name}", row(name), 600)
        if not is_refused:
            assert read(tmp_path, lines, of("o0", "o1", "o2", name)).rows.count == 600
            continue
        with pytest.raises(InputError, match="column 'tot' is the sum of 'o0', 'o1', 'o2'"):
            read(tmp_path, lines, of("o0", "o1", "o2", name))


def stacked(names: Sequence[str]) -> CsvMapping:
    columns = [{"column": "p", "quantity": "power", "unit": "W", "meter": n, "where": {"host": n}} for n in names]
    return CsvMapping.model_validate(
        {"name": "any", "time": {"columns": ["time"], "format": "unix s"}, "columns": columns}
    )


@pytest.mark.parametrize("order", [("a", "b", "tot"), ("tot", "a", "b"), ("a", "tot", "b")])
def test_a_total_at_stamps_of_its_own_is_found_and_named_by_its_meter(tmp_path: Path, order: Sequence[str]) -> None:
    lines = ["time,host,p"]
    for i in range(120):
        power = {"a": 70 + outlet(0, i), "b": 170 + outlet(1, i)}
        power["tot"] = power["a"] + power["b"]
        lines += [f"{T + i}.{number:02}0,{name},{power[name]}" for number, name in enumerate(order)]
    with pytest.raises(InputError, match="meter 'tot' is the sum of 'a', 'b', so its watts would be counted twice"):
        read(tmp_path, lines, stacked(order))
    assert read(tmp_path, [line for line in lines if ",tot," not in line], stacked(("a", "b"))).rows.count == 240


def test_joules_of_intervals_and_the_same_power_of_another_meter_are_one_load(tmp_path: Path) -> None:
    lines = ["time,p,e", *(f"{T + 10 * i},{outlet(0, i)},{outlet(0, i) * 10}" for i in range(120))]
    form = mapping(p=("power", "W"), e=("energy since the line before", "J"))
    with pytest.raises(InputError, match="column 'e' holds the same readings as 'p'"):
        read(tmp_path, lines, form)


@pytest.mark.parametrize(("watts", "is_told"), [(201, True), (205, False)])
def test_a_counter_of_the_energy_that_another_meter_shows_as_power_is_told(
    tmp_path: Path, watts: int, is_told: bool
) -> None:
    file = tmp_path / "log.csv"
    rows = [f"{T + 10 * i},{200 + i % 3},{1000 + i * watts * 10 / 3600:.4f}" for i in range(300)]
    file.write_text("\n".join(["time,p,e", *rows]) + "\n")
    form = mapping(p=("power", "W"), e=("energy", "Wh"))
    notes = csv_run(file, form, Choices(zone=UTC)).record.disclosure.notes
    warning = "The energy of column 'e' is that of column 'p' (201 W on average), and both are added"
    assert any(warning in note for note in notes) == is_told


def test_steady_loads_of_which_one_is_by_chance_the_sum_of_two_are_not_refused(tmp_path: Path) -> None:
    assert read(tmp_path, log("a,b,c,d", lambda i: f"20,30,50,{90 + i % 5}"), of("a", "b", "c", "d")).rows.count == 120


def test_a_total_is_found_where_the_first_lines_have_one_load_only(tmp_path: Path) -> None:
    def row(i: int) -> str:
        o0, o1, o2 = outlets(3, i)
        return f"{o0},{o1 if i >= 100 else 0},{o2 if i >= 100 else 0},{o0 + (o1 + o2 if i >= 100 else 0)}"

    with pytest.raises(InputError, match="column 'total' is the sum of 'o0', 'o1', 'o2'"):
        read(tmp_path, log("o0,o1,o2,total", row, 900), of("o0", "o1", "o2", "total"))
