"""A fleet in a browser, from a real server: six labs, sixty configurations, the current service alone with them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.settings import ClickHouseSettings

from ..generated_fleet import SERVERS_PER_LAB, fill_fleet
from ..integration.fleet.clickhouse.servers import PASSWORD, Server, one_server
from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e

LABS, MEMORIES, REPEATS = 6, 2, 2
CONFIGURATIONS = LABS * SERVERS_PER_LAB * MEMORIES
SAMPLED = 2


def filled(server: Server, folder: Path) -> str:
    """Fill a store; gives a run whose samples are in it."""
    settings = ClickHouseSettings(url=server.url, password=PASSWORD, database="wattmark", timeout_s=30)
    with closing(Connection(settings)) as connection:
        fill_fleet(connection, folder, LABS, CONFIGURATIONS * REPEATS, SAMPLED, MEMORIES, 1)
    return server.ask("SELECT min(run) FROM wattmark.sample").strip()


def test_a_fleet_of_six_labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATTMARK_CLICKHOUSE_PASSWORD", PASSWORD)
    (tmp_path / "templates").mkdir()
    with one_server(tmp_path / "server") as server:
        run = filled(server, tmp_path / "templates")
        with serving(tmp_path / "data", "--fleet", server.url) as url:
            seen = browse("fleet.mjs", url, str(tmp_path), run)

    assert_well(seen)
    assert seen["notOfTheFleet"] == [], "nothing of a bench, no live stream"
    assert seen["root"] == "/fleet/compare"
    assert seen["bar"].split("\n") == [f"Fleet of {LABS} labs", f"{CONFIGURATIONS * REPEATS} runs"]
    assert [name for name in seen["rail"] if name != "wattmark"] == ["Runs", "Compare", "Memory", "Ring", "Documents"]
    assert seen["firstPage"] == f"1–50 of {CONFIGURATIONS} configurations"
    assert (seen["secondPage"], seen["pageInAddress"]) == (
        f"51–{CONFIGURATIONS} of {CONFIGURATIONS} configurations",
        "2",
    )
    assert seen["ofOneLab"]["query"]["lab"] == "Lab 0003"
    assert "page" not in seen["ofOneLab"]["query"], "another choice begins at its first page"
    assert all("Lab 0003" in name for name in seen["names"]), "the baseline is the best of what is chosen"
    assert seen["runs"].count("Lab 0003") >= REPEATS
    assert seen["recomputed"] == {"query": {"recomputed": "true"}, "same": True}
    assert seen["absent"] == 0
    assert "W/DIMM" in seen["fit"]
    verdicts = seen["ring"]["table"]
    assert verdicts.count("satisfactory") + verdicts.count("action signal") >= 2
