"""A simulated lab with a wall meter and a BMC, and a bench file for it whose plan lasts a few seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from wattmark.results.data_folder import Storage, open_storage
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from .command import wattmark
from .sshd import make_sshd, sshd

__all__ = ["make_sshd", "sshd", "wattmark"]

SPEC = {
    "servers": {"s": {"idle_w": 60.0, "dynamic_w": 60.0, "dimms": 2}},
    "devices": {
        "wall": {"model": "eastron.sdm120", "measures": ["s"]},
        "bmc": {"model": "ipmi.bmc", "measures": ["s"]},
    },
}
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: eastron.sdm120, url: "{wall}", feeds: [{{server: s}}], period_s: 0.5}}
{bmcs}plans:
  - {{name: short, configurations: [s/c], workloads: [openssl.rsa512-sign], repeats: 1, idle_s: 0, settle_s: 0.5,
     measure_s: {measure_s}, hold_s: 0.5}}
"""
BMC = """\
bmcs:
  - {{id: bmc, server: s, host: {host}, port: {port}, user: {user}, {password}, cipher: 3}}
"""


@pytest.fixture(scope="session")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


def bench_writer(lab: SimulatedLab, folder: Path) -> Callable[..., Path]:
    """Return what writes a bench file into a folder: ``write(measure_s, wall=URL, bmc=False, password_env=NAME)``."""

    def write(
        measure_s: float = 3, wall: str | None = None, *, bmc: bool = True, password_env: str | None = None
    ) -> Path:
        file = folder / "bench.yaml"
        device = lab.devices["bmc"]
        address = urlsplit(device.url or "")
        password = f"password_env: {password_env}" if password_env else f'password_file: "{device.password_file}"'
        bmcs = BMC.format(host=address.hostname, port=address.port, user=device.username, password=password)
        file.write_text(
            BENCH.format(wall=wall or lab.devices["wall"].url, measure_s=measure_s, bmcs=bmcs if bmc else "")
        )
        return file

    return write


@pytest.fixture
def write_bench(lab: SimulatedLab, tmp_path: Path) -> Callable[..., Path]:
    """Return what writes a bench file for this test."""
    return bench_writer(lab, tmp_path)


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path / "data")
    yield opened
    opened.close()
