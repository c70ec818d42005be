"""The forms of the bench against real peers: a sign-in, a scan, a BMC, names that change, and two tabs at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedDevice, SimulatedLab

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
SPEC = {
    "seed": 1,
    "servers": {"desk": {"idle_w": 120.0, "dynamic_w": 160.0, "dimms": 4, "psu": {"rated_w": 1000}}},
    "devices": {
        "wall": {"model": "eastron.sdm120", "measures": ["desk"]},
        "free": {"model": "eastron.sdm230", "measures": ["desk"]},
        "bmc": {"model": "ipmi.bmc", "measures": ["desk"]},
    },
}
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: desk
    title: Desk
    access: {{local: true}}
    configurations: [&c {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}]
  - {{id: spare, access: {{local: true}}, configurations: [*c]}}
meters:
  - {{id: wall, model: eastron.sdm120, url: "{wall}", feeds: [{{server: desk}}]}}
plans:
  - {{name: p, configurations: [desk/c], workloads: [openssl.rsa512-sign]}}
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    """Two energy meters on Modbus TCP and a BMC that speaks IPMI."""
    with SimulatedLab(SPEC) as running:
        yield running


def place(device: SimulatedDevice) -> tuple[str, str]:
    """Tell host and port of a device."""
    address = urlsplit(str(device.url))
    return str(address.hostname), str(address.port)


def test_the_forms_of_the_bench(lab: SimulatedLab, tmp_path: Path) -> None:
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH.format(wall=lab.devices["wall"].url))
    bmc = lab.devices["bmc"]
    assert bmc.password_file
    secret = bmc.password_file.read_text().strip()
    host, port = place(bmc)
    log_in = json.dumps({"host": host, "port": port, "user": bmc.username, "password": secret})
    with serving(tmp_path / "data", "--bench", str(bench), "--sign-in") as url:
        token = (tmp_path / "data/first-token").read_text().strip()
        free = ":".join(place(lab.devices["free"]))
        seen = browse("editors.mjs", url, str(tmp_path / "pictures"), token, free, log_in)
    assert_well(seen, refused="401|409|422|502|503")

    assert "not valid" in seen["wrongToken"]
    assert seen["tokenKept"] is False, "a script could read the token"

    assert "eastron.sdm230" in seen["found"]
    assert seen["takenPort"] == free.partition(":")[2]

    assert "password" in seen["wrongPassword"].lower()
    assert seen["noServer"] == "Fill in this field."
    (entry,) = seen["bmcs"]
    assert (entry["id"], entry["server"]) == ("ilo", "desk")
    assert entry["url"].partition("?")[0] == f"ipmi://{host}:{port}"
    assert secret not in bench.read_text()
    assert (bench.parent / entry["password_file"]).read_text().strip() == secret
    assert seen["passwordShown"] == ""

    assert seen["outlet"]["feeds"] == [{"server": "desk"}]
    assert "1 meter, 1 BMC and 1 plan refer to it and will be updated" in seen["foretold"]
    assert "the plan p follow" in seen["followed"]
    for bench, desk in ((seen["renamed"], "bench-1"), (seen["takenBack"], "desk")):
        assert [server["id"] for server in bench["servers"]] == [desk, "rack-2"]
        outlet = next(meter for meter in bench["meters"] if meter["id"] == "outlet")
        assert outlet["feeds"] == [{"server": desk}]
        assert [bmc["server"] for bmc in bench["bmcs"]] == [desk]
        assert bench["plans"][0]["configurations"] == [f"{desk}/c"]

    assert "changed on another page" in seen["conflict"]
    assert "Your entries are still here" in seen["conflict"]
    assert (seen["stillTyped"], seen["theirs"], seen["mine"]) == ("mine", "theirs", "mine")
