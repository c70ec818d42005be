"""Net-SNMP's agent with the objects of a PDU."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings

from ...ports import free_port

COMMUNITY, AUTH, PRIV = "lab-read", "auth-passphrase", "priv-passphrase"
CONFIGURATION = """
agentAddress udp:127.0.0.1:{port}
rocommunity {community} 127.0.0.1
createUser meter SHA "{auth}" AES "{priv}"
createUser meter256 SHA-256 "{auth}" AES "{priv}"
createUser signed SHA "{auth}"
rouser meter priv
rouser meter256 priv
rouser signed auth
pass_persist .1.3.6.1.4.1 {python} -S -E {script} {objects}
"""


@dataclass
class Agent:
    """snmpd on a port; `put` changes its objects between two requests."""

    port: int
    objects: Path

    def put(self, objects: dict[str, tuple[str, int | str]]) -> None:
        """Replace all objects: dotted OID to (type, value)."""
        draft = self.objects.with_suffix(".new")
        draft.write_text(json.dumps({f".{oid}": value for oid, value in objects.items()}), "utf-8")
        draft.replace(self.objects)

    def meter(self, model: str, query: str = "", number: int = 1, **login: Any) -> Meter:
        """Make a meter for it; without a login by the community."""
        url = f"snmp://127.0.0.1:{self.port}/{number}{query}"
        login = login or {"password": lambda: COMMUNITY}
        return create_meter(MeterSettings("pdu", model, url, timeout_s=3.0, **login))


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """Run snmpd for the tests of a module."""
    folder = tmp_path_factory.mktemp("snmpd")
    port = free_port(kind=socket.SOCK_DGRAM)
    running = Agent(port, folder / "objects.json")
    running.put({})
    script = Path(__file__).with_name("pass_objects.py")
    text = CONFIGURATION.format(
        port=port,
        community=COMMUNITY,
        auth=AUTH,
        priv=PRIV,
        python=sys.executable,
        script=script,
        objects=running.objects,
    )
    (folder / "snmpd.conf").write_text(text, "utf-8")
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    environment = {"PATH": path, "SNMP_PERSISTENT_DIR": str(folder / "state"), "HOME": str(folder), "MIBS": ""}
    arguments = ["snmpd", "-f", "-C", "-c", str(folder / "snmpd.conf"), "-Lf", str(folder / "log")]
    process = subprocess.Popen(arguments, env=environment, cwd=folder)
    get = ["snmpget", "-v2c", "-c", COMMUNITY, "-r", "0", "-t", "0.5", f"127.0.0.1:{port}", "1.3.6.1.2.1.1.3.0"]
    for _ in range(60):
        assert process.poll() is None, (folder / "log").read_text("utf-8")
        if subprocess.run(get, capture_output=True, env=environment, check=False).returncode == 0:
            break
    yield running
    process.terminate()
    process.wait()
