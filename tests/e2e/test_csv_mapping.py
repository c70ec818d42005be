"""A CSV file that no kind knows becomes a run by a mapping that is made in the browser, and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..unit.wattmark.importers.csv_mapping.conftest import HS100
from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e


def test_a_csv_file_is_mapped_imported_and_recognised_the_next_time(tmp_path: Path) -> None:
    data, pictures, file = tmp_path / "data", tmp_path / "pictures", tmp_path / "examplelog.csv"
    for folder in (data, pictures):
        folder.mkdir()
    (data / "bench.yaml").write_text("schema: wattmark-bench/1\nlab: Lab\n")
    file.write_text(HS100)
    with serving(data) as url:
        seen: dict[str, Any] = browse("csv_mapping.mjs", url, str(pictures), str(file))
    assert_well(seen, refused="415|422")
    assert seen["unzoned"]
    assert [text.split("\n")[0] for text in seen["proposed"][:5]] == ["Date", "Current", "Voltage", "Power", "Total"]
    assert "Power of a wall meter" in seen["proposed"][3]
    assert "from 2018-04-21 16:38:37 to 2018-04-21 16:46:50" in seen["becomes"]
    assert "CSV by the mapping HS110" in seen["preview"]
    (run,) = seen["runs"]
    assert run["window_begin"] == "2018-04-21T16:38:37.000000+00:00"
    counted_wh = 183 - 174  # the counter of the plug, cut to 1 Wh at both ends
    assert abs(run["power"]["value"] * run["window_s"] / 3600 - counted_wh) < 1
    assert "CSV by the mapping HS110" in seen["both"]
    assert seen["both"].count("New") == 2
    assert seen["folder"].count("New") == 3
    assert seen["deleted"] == []
    assert seen["restored"] == ["HS110"]
