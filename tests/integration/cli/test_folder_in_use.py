"""A command that finds its data folder in use says how the change is made there, and never to kill what measures."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.cli.console.writing import BY_URL
from wattmark.cli.measure.serve import _open_appliance
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import Storage, open_storage
from wattmark.service.reader.keeper import Reader
from wattmark.service.reader.start import StartOrder
from wattmark.service.settings import Settings

from tests.web_peer import Handler, serving

from ..command import Command

ROOT = Path(__file__).parents[3]
BENCH = """schema: wattmark-bench/1
lab: in use
servers:
  - id: s
    access: {local: true}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
meters:
  - {id: wall, model: eastron.sdm120, url: "modbus-tcp://127.0.0.1:9/1", feeds: [{server: s}]}
"""
MAPPING = '{"name": "m"}'
SIGNED = "--by B --reason R"
CHANGES = {
    "ranking include r1 --rule frozen --by B --reason R": ("runs/r1", "Rank anyway"),
    "ranking exclude r1": ("runs/r1", "Withdraw the override"),
    "certificate add FILE --reason R": ("calibration", "Add a certificate"),
    f"certificate review CAL-1 --recompute {SIGNED}": ("calibration/certificates/CAL-1", "Recompute"),
    f"certificate override CAL-1 --withdraw {SIGNED}": ("POST", "/api/certificates/{certificate_id}/override"),
    f"certificate revoke CAL-1 {SIGNED} --from 2026-01-01": (
        "POST",
        "/api/certificates/{certificate_id}/revoke",
    ),
    f"certificate recompute r1 {SIGNED}": ("runs/r1", "Recompute this result"),
    f"certificate recompute --serial 12 {SIGNED}": ("POST", "/api/meters/{serial}/recompute"),
    "check-standard add bulb --meter wall --nominal 100": ("calibration", "Add a check standard"),
    "check-standard record bulb --operator O --watts 100 --sd 0.1 --samples 9": (
        "calibration/check-standards/bulb",
        "Record a reading",
    ),
    "check-standard record bulb --operator O --bench BENCH": ("calibration/check-standards/bulb", "Record a reading"),
    "import auto FILE": ("archives", "Import published results"),
    "mapping delete m": ("archives", "Mappings kept here"),
    "restore FILE": ("archives", "Import runs"),
    "trash r1": ("runs", "Delete"),
    "trash r1 --restore": ("runs", "Restore"),
    "token create x --role viewer": ("--url", ""),
    "token revoke x": ("--url", ""),
    "run BENCH": ("campaign", "Start a plan"),
    "retention --older-than 30 --apply": ("WATTMARK_THIN_AFTER_DAYS", ""),
    "store sync": ("wattmark store status", ""),
    "meter cross-calibrate bmc wall --run r1": ("A running service does not do this", ""),
}


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    monkeypatch.setenv("WATTMARK_CLICKHOUSE_URL", "http://127.0.0.1:9/runs")
    (tmp_path / "BENCH").write_text(BENCH)
    (tmp_path / "FILE").write_text("none")
    storage = open_storage(tmp_path / "data")
    yield storage
    storage.close()


@pytest.fixture
def campaign(held: Storage) -> Iterator[dict[str, str]]:
    """The campaign of a service whose address stands in the folder; the test may change it."""
    said = {"state": "running"}

    class Saying(Handler):
        def do_GET(self) -> None:
            self.send(200 if said else 401, json.dumps(said).encode())

    with serving(Saying) as port:
        said["address"] = f"http://127.0.0.1:{port}"
        held.database.announce(said["address"])
        yield said


def refused(wattmark: Command, tmp_path: Path, command: str) -> str:
    words = [str(tmp_path / word) if word in ("FILE", "BENCH") else word for word in command.split()]
    code, out, err = wattmark(*words, "--data", tmp_path / "data")
    assert (code, out) == (1, b""), err
    assert f"is in use by process {os.getpid()}" in err
    assert "kill" not in err.lower()
    return " ".join(err.split())


@pytest.mark.parametrize("command", CHANGES)
def test_every_command_names_what_the_running_service_has_for_it(
    wattmark: Command, campaign: dict[str, str], tmp_path: Path, command: str
) -> None:
    said = refused(wattmark, tmp_path, command)
    assert "A campaign is running." in said
    assert "When the campaign has ended, end the service (Ctrl-C in its terminal, or `systemctl stop wattmark`)" in said
    place, words = CHANGES[command]
    if place == "POST":
        path = re.sub(r"{\w+}", "(?:CAL-1|12)", words)
        assert re.search(f"POST {campaign['address']}{path}, as {campaign['address']}/api/docs", said)
        assert "post" in json.loads((ROOT / "frontend/openapi.json").read_text())["paths"][words]
    elif words:
        assert f"In the web app, {campaign['address']}/{place}: " in said
        assert words in said
        assert page_exists(f"/{place}")
        assert any(f'"{words}"' in file.read_text() for file in (ROOT / "frontend/src/strings").glob("*.ts"))
    else:
        assert place in said
        assert (place == "--url") == (f"--url {campaign['address']}" in said)


def page_exists(path: str) -> bool:
    routes = re.findall(r'path: "(/[^"*]*)"', (ROOT / "frontend/src/router.ts").read_text())
    return any(re.fullmatch(re.sub(r"/:\w+", "/[^/]+", route.replace("?", "")), path) for route in routes)


@pytest.mark.parametrize("state", ["idle", "complete"])
def test_a_service_without_a_campaign_may_be_ended(
    wattmark: Command, campaign: dict[str, str], tmp_path: Path, state: str
) -> None:
    campaign["state"] = state
    said = refused(wattmark, tmp_path, "token create x --role viewer")
    assert "No campaign is running." in said
    assert "Or end the service" in said


def test_a_service_that_does_not_say_may_run_a_campaign(
    wattmark: Command, campaign: dict[str, str], tmp_path: Path
) -> None:
    campaign.clear()
    said = refused(wattmark, tmp_path, "token create x --role viewer")
    assert "campaign is running" not in said
    assert "Or, when no campaign runs, end the service" in said


def test_beside_another_command_one_waits(wattmark: Command, held: Storage, tmp_path: Path) -> None:
    said = refused(wattmark, tmp_path, "ranking exclude r1")
    assert "another wattmark command, such as `wattmark run`" in said
    assert "Wait until it has ended, or end it with Ctrl-C in its terminal." in said


def test_a_second_service_names_the_first(campaign: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Open that service in a browser"):
        _open_appliance(Settings(data_dir=tmp_path / "data"), Reader(StartOrder(tmp_path / "data")))


def test_what_the_lock_file_says_is_an_address_or_nothing(wattmark: Command, held: Storage, tmp_path: Path) -> None:
    for text in ("javascript:1", "http://x\x1b[2J", "http://x y", "é"):
        held.database.announce(text)
        assert "another wattmark command" in refused(wattmark, tmp_path, "ranking exclude r1")


def test_no_command_opens_a_data_folder_to_write_without_saying_what_else_to_do() -> None:
    assert BY_URL == "Repeat the command with --url {address}"
    for file in (ROOT / "backend/wattmark/cli").rglob("*.py"):
        text = file.read_text()
        for call in re.findall(r"(?<!import )\bopen_storage\((?:[^()]|\([^()]*\))*\)", text):
            assert "read_only=True" in call or file.name == "writing.py", (file, call)
        if re.search(r"\bopen_(?:fleet_)?service\(", text):
            assert "unless_in_use(" in text, file
