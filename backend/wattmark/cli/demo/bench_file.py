"""Write the bench file of the demo: a file like any other, so a newcomer can read and change it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from string import Template
from urllib.parse import urlsplit

from wattmark_drivers.simulators.simulated_lab import SimulatedDevice, SimulatedLab

from wattmark.cli.demo.lab import OTHER, SERVER, SUPPLIES, WALLS, spec


@dataclass(frozen=True, slots=True)
class Timing:
    """Durations of the demo's runs [s], and how often each is repeated."""

    repeats: int = 5
    quiet_s: float = 5
    """How long a run waits at most for other programs to come to rest."""
    idle_s: float = 1
    settle_s: float = 2
    measure_s: float = 8
    hold_s: float = 1


@dataclass(frozen=True, slots=True)
class Naming:
    """What the demo's workload and plan are called. Results compare by the workload."""

    workload: str = "openssl.rsa1024-sign"
    title: str = "RSA-1024 signatures at full load on two servers with different numbers of DIMMs"


def write_bench(folder: Path, lab: SimulatedLab, timing: Timing, seed: int, naming: Naming) -> Path:
    """Write bench.yaml into a folder, with the addresses that the simulators have been given."""
    template = Template((Path(__file__).parent / "bench.yaml.in").read_text("utf-8"))
    devices = {name: device for name, device in lab.devices.items() if device.url}
    bench = folder / "bench.yaml"
    bench.write_text(
        template.substitute(
            server=SERVER,
            other=OTHER,
            python=json.dumps(_python()),
            control=json.dumps(lab.control),
            token_file=json.dumps(str(lab.token_file)),
            meters="\n".join(_meter(name, device) for name, device in devices.items() if not _is_bmc(device)),
            bmcs="\n".join(["bmcs:", *(_bmc(name, device) for name, device in devices.items() if _is_bmc(device))])
            if any(_is_bmc(device) for device in devices.values())
            else "",
            workload=naming.workload,
            title=json.dumps(naming.title),
            repeats=timing.repeats,
            quiet_s=timing.quiet_s,
            seed=seed,
            idle_s=timing.idle_s,
            settle_s=timing.settle_s,
            measure_s=timing.measure_s,
            hold_s=timing.hold_s,
            **{name: json.dumps(value) for name, value in _this_machine().items()},
        ),
        "utf-8",
    )
    return bench


def _python() -> str:
    """Return how to call this Python: by its name where that finds it, so that the file reads the same elsewhere."""
    name = Path(sys.executable).name
    return name if shutil.which(name) == sys.executable else sys.executable


def _is_bmc(device: SimulatedDevice) -> bool:
    return (device.url or "").startswith("ipmi:")


def _meter(name: str, device: SimulatedDevice) -> str:
    declared = spec(seed=0)["devices"][name]
    measured = [feed.partition("/") for feed in declared["measures"]]
    psus = [psu for _, _, psu in measured if psu] or SUPPLIES
    feed = f"server: {measured[0][0]}, psus: [{', '.join(psus)}]"
    role = "wall" if name in WALLS else "secondary"
    return (
        f"  - {{id: {name}, model: {declared['model']}, url: {json.dumps(device.url)}, feeds: [{{{feed}}}], "
        f"role: {role}, period_s: 1, simulated: true}}"
    )


def _bmc(name: str, device: SimulatedDevice) -> str:
    address = urlsplit(device.url or "")
    return (
        f"  - {{id: {name}, server: {SERVER}, host: {address.hostname}, port: {address.port}, "
        f"user: {device.username}, password_file: {json.dumps(str(device.password_file))}, cipher: 3, "
        "privilege: ADMINISTRATOR, period_s: 1, simulated: true}"
    )


def _this_machine() -> dict[str, str | int]:
    threads = os.cpu_count() or 1
    release = platform.freedesktop_os_release() if Path("/etc/os-release").exists() else {}
    return {
        "cpu_model": _cpu_model(),
        "cores": threads,
        "threads": threads,
        "os_name": release.get("PRETTY_NAME", platform.system()),
        "kernel": platform.release(),
    }


def _cpu_model(path: Path = Path("/proc/cpuinfo")) -> str:
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine() or "unknown")
