"""A start imports what it works with, and no library that only some answers need."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    *("scipy.optimize", "scipy.stats", "scipy.sparse", "matplotlib", "pyarrow", "xlsxwriter", "jinja2"),
    *("asyncssh", "pysnmp", "kasa", "aiohttp", "clickhouse_connect", "influxdb_client", "psycopg", "dbus_fast"),
}
WINGS = {
    *("wattmark.audits", "wattmark.importers.kinds", "wattmark.fleet.reading.fleet_store"),
    "wattmark.archives.data_folder",
    *("wattmark.reports.routes", "wattmark.comparison.routes", "wattmark.bench.routes", "cryptography"),
}
"""Loaded when one of their addresses is first asked for."""
NOT_FOR_COMMANDS = HEAVY | {"numpy", "scipy", "fastapi", "starlette", "uvicorn", "apsw", "wattmark.analysis"}
NOT_FOR_RESULTS = HEAVY | {
    *("fastapi", "pydantic_settings", "ruamel.yaml", "wattmark_drivers.catalogue", "wattmark.campaigns"),
    *("wattmark.comparison.comparisons", "wattmark.results.evaluate", "wattmark.results.pages.run_pages"),
}
"""Issued results are read, nothing is computed anew or compared."""


def imported(module: str) -> set[str]:
    """Import a module in a process of its own; return the names of everything that came with it."""
    script = f"import sys, {module}; print(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    )


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        ("wattmark.cli.measure.serve, wattmark.service.reader.serving", HEAVY | WINGS),
        ("wattmark.cli.meter.models", NOT_FOR_COMMANDS | {"ruamel.yaml", "asyncio", "pydantic_settings"}),
        ("wattmark.cli.tables.results", NOT_FOR_RESULTS),
        ("wattmark.cli.measure.bench", NOT_FOR_COMMANDS | {"rich", "pydantic_settings", "wattmark.runs.record"}),
    ],
)
def test_a_start_leaves_out(module, unneeded):
    assert imported(module) & unneeded == set()
