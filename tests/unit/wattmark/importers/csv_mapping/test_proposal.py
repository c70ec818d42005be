"""What an unknown file is proposed to be; hostile files end in one line."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_import import read_csv
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.proposal import TextForm, propose
from wattmark.importers.csv_mapping.results_table import read_table
from wattmark.importers.importer import Choices
from wattmark.importers.logs.log_reader import LOST, UNUSABLE

from tests.examples import examples

from .conftest import HS100, TUYA, hs100_mapping
from .test_results_table import RESULTS, mapping

GERMAN = "Datum;Uhrzeit;Leistung [kW];Temp (°C)\n01.02.2024;10:00:01;1,234;20,1\n01.02.2024;10:00:02;1,235;20,1\n"
HOME_ASSISTANT = """\
entity_id,state,last_changed
sensor.plug,12.5,2025-12-26T18:00:00.000Z
sensor.plug,unavailable,2025-12-26T18:00:10.000Z
"""


@pytest.mark.parametrize(
    ("heading", "cells", "proposed"),
    [
        ("power_cap_w", (450, 450), None),
        ("Rated Power (W)", (800, 800), None),
        ("Peak Power (W)", (380, 381), None),
        ("Maximum Power", (380, 381), None),
        ("power_capacity_watts", (800, 801), None),
        ("Power percent", (41, 42), None),
        ("psu_output_w", (280, 281), None),
        ("dc_power_w", (280, 281), None),
        ("a_total_act_ret_energy", (0, 0), None),
        ("Avg Kwh", (44, 44), None),
        ("Output 1 Load [W]", (298, 299), ("power", "W")),
        ("a_aprt_power", (110, 111), ("apparent power", "VA")),
        ("total_act_energy", (5.1, 5.2), ("energy since the line before", "")),
        ("Energy (kWh)", (2.4, 1.9), ("energy since the line before", "kWh")),
        ("Power (W)", (300, 301), ("power", "W")),
    ],
)
def test_bounds_settings_and_outputs_are_no_power_and_energies_that_fall_are_of_their_interval(
    heading: str, cells: tuple[float, float], proposed: tuple[str, str] | None
) -> None:
    lines = ["timestamp," + heading, *(f"{1_732_800_000 + i},{cells[i % 2]}" for i in range(30))]
    column = propose("\n".join(lines).encode()).columns[1]
    assert (None if column.quantity is None else (column.quantity, column.unit)) == proposed


@pytest.mark.parametrize(
    ("text", "written", "time", "columns"),
    [
        (
            HS100,
            ("utf-8", ",", ".", 1),
            ((1,), ("iso 8601",)),
            [("current", "A"), ("voltage", "V"), ("power", "W")],  # nobody says in what the total is
        ),
        (TUYA, ("utf-8", ",", ".", 1), ((1,), ("iso 8601",)), [("voltage", "V"), ("current", "mA"), ("power", "W")]),
        (
            GERMAN.encode("cp1252"),
            ("cp1252", ";", ",", 1),
            ((1, 2), ("%d.%m.%Y %H:%M:%S",)),
            [("power", "kW"), ("temperature", "°C")],
        ),
        (HOME_ASSISTANT, ("utf-8", ",", ".", 1), ((3,), ("iso 8601",)), []),
        (
            "made by x\nTime\tP_mW\n1719835200123\t5\n1719835201123\t6\n",
            ("utf-8", "\t", ".", 2),
            ((1,), ("unix ms",)),
            [("power", "mW")],
        ),
        (
            "time,W\n03/04/2024 10:00:00,1\n04/05/2024 10:00:00,2\n",
            ("utf-8", ",", ".", 1),
            ((1,), ("%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S")),
            [("power", "W")],
        ),
    ],
)
def test_header_and_first_lines_tell_how_a_file_is_written(
    text: str | bytes,
    written: tuple[str, str, str, int],
    time: tuple[tuple[int, ...], tuple[str, ...]],
    columns: list[tuple[str, str]],
) -> None:
    proposal = propose(text.encode() if isinstance(text, str) else text)
    assert (proposal.encoding, proposal.delimiter, proposal.decimal, proposal.header_rows) == written
    assert (proposal.time_columns, proposal.formats) == time
    assert [(column.quantity, column.unit) for column in proposal.columns if column.quantity] == columns


@pytest.mark.parametrize(
    ("heading", "proposed"),
    [
        ("Current Power (W)", ("power", "W")),
        ("current_power_w", ("power", "W")),
        ("Total Power (W)", ("power", "W")),
        ("Total Active Power [W]", ("power", "W")),
        ("Active Power (kilowatts)", ("power", "kW")),
        ("power_uw", ("power", "µW")),
        ("energy_uj", ("energy", "µJ")),
        ("power (nW)", ("power", "nW")),
        ("energy_nj", ("energy", "nJ")),
        ("charge (C)", (None, "")),
        ("clocks.current.sm [MHz]", (None, "")),
        ("clocks_mhz", (None, "")),
        ("TOTAL_MEMORY", (None, "")),
        ("memory.total [MiB]", (None, "")),
        ("Total CPU Usage [%]", (None, "")),
        ("Energy (BTU)", (None, "")),
        ("Power [dBm]", (None, "")),
        ("Temperature [V]", (None, "")),
        ("total_kwh", ("energy", "kWh")),
        ("Consumption (Wh)", ("energy", "Wh")),
        ("consumption", (None, "")),
        ("Power", ("power", "W")),
        ("Current", ("current", "A")),
        ("Line current [mA]", ("current", "mA")),
        ("power.draw [W]", ("power", "W")),
        ("power (mw)", (None, "")),
        ("Power factor [%]", ("power factor", "%")),
        ("Reactive power [var]", (None, "")),
        ("power_mw", (None, "")),
        ("power_dw", ("power", "dW")),
        ("power_deciwatts", ("power", "dW")),
        ("Power BTU/hr", (None, "")),
        ("watt_hours", ("energy", "Wh")),
        ("Power stddev [W]", (None, "")),
        ("Power Uncertainty (W)", (None, "")),
    ],
)
def test_a_unit_that_is_written_decides_what_is_proposed(heading: str, proposed: tuple[str | None, str]) -> None:
    proposal = propose(f"time;{heading}\n2024-07-01T12:00:00Z;1\n2024-07-01T12:00:01Z;2\n".encode())
    column = proposal.columns[1]
    assert (column.quantity, column.unit) == proposed


@pytest.mark.parametrize(
    ("above", "header_rows"),
    [
        ("made by x\n\n{}", 3),
        ("\n{}", 2),
        ("\n\nmade by x\n{}", 4),
        ("{}\n", 1),
        ("{}", 1),
        ('made by "x\n{}', 2),
        ("made by x\x0c\n{}", 2),
        ("\r\n{}", 2),
    ],
)
def test_header_rows_are_lines_as_the_reader_counts_them(tmp_path: Path, above: str, header_rows: int) -> None:
    end = "\r\n" if "\r" in above else "\n"
    text = end.join([above.format("time,power (W)"), *(f"{1_732_800_000 + i},{300 + i % 7}" for i in range(30)), ""])
    proposal = propose(text.encode())
    assert (proposal.header_rows, [column.name for column in proposal.columns]) == (header_rows, ["time", "power (W)"])
    assert proposal.rows[header_rows - 1] == ("time", "power (W)")
    form = CsvMapping.model_validate(
        {
            "name": "any",
            "header_rows": header_rows,
            "names_row": header_rows,
            "time": {"columns": ["time"], "format": proposal.formats[0]},
            "columns": [{"column": "power (W)", "quantity": "power", "unit": proposal.columns[1].unit}],
        }
    )
    path = tmp_path / "log.csv"
    path.write_bytes(text.encode())
    log = read_csv(path, form, Choices(zone=UTC))
    assert (log.rows.count, log.unread.count) == (30, 0)
    again = propose(text.encode(), TextForm(header_rows=header_rows))
    assert again.columns == proposal.columns


def test_what_is_no_table_is_refused() -> None:
    for head in (b"", b"one line of text", b"a\0b,c", b"\n\n\n"):
        with pytest.raises(InputError):
            propose(head)


damaged = st.tuples(
    st.sampled_from([HS100.encode(), TUYA.encode(), RESULTS.encode(), GERMAN.encode("utf-16")]),
    st.integers(0, 400),
    st.integers(0, 40),
    st.one_of(
        st.binary(max_size=60), st.sampled_from([b"1e308", b"nan", b'"', b"\r", b"\0", b"\xff" * 20, b"9" * 400])
    ),
)


@given(damaged)
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_give_finite_readings_in_order_or_one_line(
    tmp_path: Path, damage: tuple[bytes, int, int, bytes]
) -> None:
    content, place, length, replacement = damage
    path = tmp_path / "any.csv"
    path.write_bytes(content[:place] + replacement + content[place + length :])
    with one_line():
        for form in propose(path.read_bytes()).columns:
            assert len(form.name) <= 200
    with one_line():
        latest_ns: dict[int, int] = {}
        for parts in read_csv(path, hs100_mapping(), Choices(zone=UTC)).blocks():
            for part in parts:
                stamps = [latest_ns.get(part.channel, -1), *part.t_ns.tolist()]
                assert stamps == sorted(stamps)
                latest_ns[part.channel] = stamps[-1]
                assert all(
                    math.isfinite(value) or value != value or value in (UNUSABLE, LOST) for value in part.value.tolist()
                )
            assert not np.all([np.isnan(part.value) for part in parts], axis=0).any()
    with one_line():
        for item in read_table(path, mapping()).results:
            assert all(math.isfinite(level.power_w) and level.power_w > 0 for level in item.result.levels)


@contextlib.contextmanager
def one_line() -> Iterator[None]:
    """Allow an `InputError` of one line with a remedy."""
    try:
        yield
    except InputError as error:
        if "\n" in str(error) or not error.remedy:
            raise
