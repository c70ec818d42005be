"""CSV files on the command line: mappings added, listed, shown, used and deleted."""

from __future__ import annotations

import json
from pathlib import Path

from wattmark.results.data_folder import open_storage

from ...unit.wattmark.importers.csv_mapping.conftest import HS100, hs100_mapping


def test_a_csv_file_is_previewed_and_imported_by_a_mapping(wattmark, tmp_path: Path) -> None:
    file, mapping, data = tmp_path / "examplelog.csv", tmp_path / "plug.json", tmp_path / "data"
    file.write_text(HS100)
    mapping.write_text(hs100_mapping().model_dump_json())
    zone = ("--zone", "Europe/London", "--data", data)
    code, out, _ = wattmark("import", "csv", file, "--mapping", mapping, "--preview", "--json", *zone)
    (row,) = json.loads(out)["rows"]
    assert (code, row["samples"], row["duration_s"]) == (0, 68, 493.0)
    assert not data.exists(), "a preview needs no data folder, and makes none"
    open_storage(data).close()
    code, _, errors = wattmark("import", "csv", file, "--data", data)
    assert (code, "No mapping says what the columns of examplelog.csv are." in errors) == (2, True)
    assert wattmark("mapping", "add", mapping, "--data", data)[0] == 0
    assert (
        b"HS110  power log: Power [W], Voltage [V], Current [A], Total [kWh]"
        in wattmark("mapping", "list", "--data", data)[1]
    )
    shown = wattmark("mapping", "show", "HS110", "--data", data)[1]
    mapping.write_bytes(shown)
    code, out, _ = wattmark("import", "csv", file, "--mapping", "HS110", "--json", *zone)
    imported = json.loads(out)
    (run,) = imported["results"]
    assert (imported["unread"], imported["unread_lines"]) == (0, [])
    assert (code, run["window_begin"]) == (0, "2018-04-21T16:38:37.000000+00:00")
    assert wattmark("import", "ptdaemon", file, "--mapping", "HS110", *zone)[0] == 2
    assert wattmark("mapping", "delete", "HS110", "--data", data)[0] == 0
    code, _, errors = wattmark("mapping", "show", "HS110", "--data", data)
    assert (code, "There is no mapping 'HS110'." in errors) == (2, True)
    assert wattmark("mapping", "add", mapping, "--data", data)[0] == 0
