"""From an empty data folder to a first result: a meter, a BMC and a server over SSH, no file edited by hand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..integration.sshd import Sshd
from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
SPEC = {
    "seed": 1,
    "servers": {"desk": {"idle_w": 120.0, "dynamic_w": 160.0, "dimms": 4, "psu": {"rated_w": 1000}}},
    "devices": {
        "wall": {"model": "carlogavazzi.em24e1", "measures": ["desk"]},
        "bmc": {"model": "ipmi.bmc", "measures": ["desk"]},
    },
}
MOST_CLICKS = 22
LONGEST_S = 8 * 60
"""What a person may take, the devices being in the rack."""


@pytest.fixture
def lab() -> Iterator[SimulatedLab]:
    """A meter on Modbus TCP and a BMC that speaks IPMI; their power follows the load of this machine."""
    with SimulatedLab(SPEC) as running:
        yield running


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    (tmp_path / "sshd").mkdir()
    server = Sshd(tmp_path / "sshd")
    server.start()
    yield server
    server.stop()


def test_a_meter_a_bmc_and_a_server_over_ssh_to_a_first_ranked_result(
    lab: SimulatedLab, sshd: Sshd, tmp_path: Path
) -> None:
    bmc = lab.devices["bmc"]
    assert bmc.password_file
    places = {name: urlsplit(str(device.url)) for name, device in lab.devices.items()}
    reached = {name: {"host": place.hostname, "port": str(place.port)} for name, place in places.items()}
    log_in = {"user": bmc.username, "password": bmc.password_file.read_text().strip()}
    with serving(tmp_path / "data", "--sign-in") as url:
        devices = {
            "token": (tmp_path / "data/first-token").read_text().strip(),
            "meter": reached["wall"],
            "bmc": {**reached["bmc"], **log_in},
            "ssh": {"host": sshd.host, "port": str(sshd.port), "user": sshd.user},
            "authorized": str(sshd.folder / "authorized"),
        }
        seen = browse("first_contact.mjs", url, str(tmp_path / "pictures"), json.dumps(devices), timeout_s=480)
    assert_well(seen, refused="401|422")
    printed = subprocess.run(["ssh-keygen", "-lf", str(sshd.folder / "host.pub")], check=True, capture_output=True)
    assert seen["fingerprint"] == printed.stdout.decode().split()[1]
    (server,) = seen["bench"]["servers"]
    assert server["access"]["ssh"]["identity_file"] == "ssh/id_ed25519"
    assert seen["bench"]["meters"][0]["feeds"] == [{"server": server["id"]}]
    assert seen["bench"]["bmcs"][0]["url"] == f"ipmi://127.0.0.1:{reached['bmc']['port']}?privilege=ADMINISTRATOR"
    rankings = [{claim["claim"]: claim for claim in run["ranking"]}["efficiency"] for run in seen["runs"]]
    assert [ranking["why_not"] for ranking in rankings] == [None, None]
    assert all(run["result"]["efficiency"]["value"] > 0 for run in seen["runs"])
    assert len(seen["clicks"]) <= MOST_CLICKS, seen["clicks"]
    assert seen["seconds"]["person"] < LONGEST_S
