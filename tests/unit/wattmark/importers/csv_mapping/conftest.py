"""CSV files that others wrote, and mappings of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from wattmark.importers.csv_mapping.mapping import CsvMapping

HS100 = """\
Date, Current, Voltage, Power, Total
2018-04-21 17:38:37, 0.333676, 244.256196, 69.023417, 0.174
2018-04-21 17:39:08, 0.334328, 244.763617, 69.39957, 0.174
2018-04-21 17:39:39, 0.333854, 244.334608, 68.965188, 0.175
2018-04-21 17:40:10, 0.334151, 243.740158, 69.096221, 0.176
2018-04-21 17:40:41, 0.333438, 244.166712, 69.052104, 0.176
2018-04-21 17:41:11, 0.333527, 244.765976, 69.15999, 0.177
2018-04-21 17:41:42, 0.334536, 244.718156, 69.384073, 0.177
2018-04-21 17:42:13, 0.333408, 244.342294, 69.0616, 0.178
2018-04-21 17:42:44, 0.333587, 244.855862, 69.099255, 0.179
2018-04-21 17:43:14, 0.332158, 244.62356, 68.944283, 0.179
2018-04-21 17:43:45, 0.3332, 244.405962, 68.910651, 0.18
2018-04-21 17:44:16, 0.333795, 243.61231, 69.001919, 0.18
2018-04-21 17:44:47, 0.333289, 244.38016, 68.91863, 0.181
2018-04-21 17:45:18, 0.333141, 244.702894, 68.821888, 0.182
2018-04-21 17:45:48, 0.332784, 244.608196, 68.849322, 0.182
2018-04-21 17:46:19, 0.333408, 244.138377, 68.793334, 0.183
2018-04-21 17:46:50, 0.332843, 244.353855, 68.787201, 0.183
"""
"""Readings of a TP-Link plug with its energy counter in kWh, from examplelog.csv of GitHub's
daniel-stoneuk/HS100-Energy-Tracking (commit d29ab2f, lines 1 to 18; MIT, copyright 2018 Daniel Stone). The counter
checks the energy of the readings: the plug has counted it, not wattmark."""
TUYA = """\
timestamp,voltage,current,power
2025-08-17 16:43:33,225.6,0,0.0
2025-08-17 16:43:34,225.6,0,0.0
2025-08-17 16:43:35,222.7,6359,1421.2
2025-08-17 16:43:36,222.7,6359,1421.2
2025-08-17 16:43:37,222.7,6359,1421.2
2025-08-17 16:43:38,222.7,6359,1421.2
2025-08-17 16:43:39,222.7,6359,1421.2
"""
"""Readings of a Tuya plug, from logs/sample.csv of lucianoinso/smartplug-monitor on GitHub (commit 3eda9ed). Its README
says: volts, milliamperes, watts; the header does not."""


def hs100_mapping(**changes: Any) -> CsvMapping:
    """Return the mapping of the log above."""
    fields: dict[str, Any] = {
        "name": "HS110",
        "header": ["Date", "Current", "Voltage", "Power", "Total"],
        "time": {"columns": ["Date"], "format": "%Y-%m-%d %H:%M:%S"},
        "columns": [
            {"column": "Power", "quantity": "power", "unit": "W", "meter": "plug"},
            {"column": "Voltage", "quantity": "voltage", "unit": "V", "meter": "plug"},
            {"column": "Current", "quantity": "current", "unit": "A", "meter": "plug"},
            {"column": "Total", "quantity": "energy", "unit": "kWh", "meter": "plug"},
        ],
    }
    return CsvMapping.model_validate(fields | changes)


@pytest.fixture
def hs100(tmp_path: Path) -> Path:
    """Write the log of the HS110."""
    path = tmp_path / "examplelog.csv"
    path.write_text(HS100)
    return path
