"""Which meters measure this machine: those that are named, those of the bench, or what this machine itself has."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from wattmark_drivers.clock import Clock
from wattmark_drivers.discovery.hosts import parse_hosts, scan_hosts
from wattmark_drivers.discovery.serial_ports import find_serial_ports
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter_url import is_url, schemes
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.on_demand import SCHEME as SIMULATED
from wattmark_drivers.sysfs.rapl_zones import find_zones

from wattmark.bench.bench import Bench
from wattmark.bench.instruments import Bmc
from wattmark.bench.instruments import Meter as MeterEntry
from wattmark.bench.server import Server
from wattmark.core.errors import InputError, NotFound
from wattmark.instruments.entries import bmc_settings, device_of, entry_settings, find_settings, place_in_device
from wattmark.measurements.lab import ChosenMeter
from wattmark.recording.live_channel import Role
from wattmark.recording.monitor import MonitoredMeter
from wattmark.runs.record import MeterRecord

POWERCAP = Path("/sys/class/powercap")
USUAL_SIMULATED = "eastron.sdm120"
PACKAGES = "linux.rapl"
"""Model whose power is that of the CPU packages, and of nothing else."""
PACKAGES_ONLY = "CPU package only, not the wall"
BUY = (
    "Connect a wall meter: a plug that measures (Shelly, Tasmota, Kasa) to begin with, an energy meter with Modbus "
    "(Eastron SDM120, ABB B21) for a limit of error that its maker states, a power analyser for a publication."
)
_ONCE = "Give each meter once."
_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
_SCAN_S = 2.0
ReadUrl = Callable[[str], MeterSettings]
"""Reads the URL of a meter, with the log-in that was given."""


@dataclass(frozen=True, slots=True)
class Machine:
    """This machine as results name it, and the meters that measure it."""

    server: str
    lab: str
    meters: Sequence[ChosenMeter]
    remarks: tuple[str, ...] = ()
    """What a person must know of them, one sentence each."""

    def records(self) -> list[MeterRecord]:
        """Describe its meters as they answer now. Raises `InputError` where two of them are one device."""
        require_different_devices(self.meters)
        return [meter.record for meter in self.meters]


async def choose(targets: Sequence[str], bench: Bench | None, read_url: ReadUrl, clock: Clock) -> Machine:
    """Choose the meters of this machine. Raises `InputError` and `ConfigurationError` with what to connect or write."""
    server = None if bench is None else local_server(bench)
    name, lab = server.id if server else this_machine(), bench.lab if bench else ""
    if targets:
        meters = [await _named(target, bench, name, read_url, clock) for target in targets]
        _require_different_addresses(meters)
        return Machine(name, lab, meters)
    if bench is not None and server is not None and (meters := list(_of_bench(bench, server, clock))):
        return Machine(name, lab, meters)
    if (packages := _packages(read_url)) is not None:
        remark = f"No meter was named: RAPL is read, {PACKAGES_ONLY}. {BUY} Then name it with --meter."
        return Machine(name, lab, [_chosen(packages, packages, name, clock)], (remark,))
    raise _nothing_there(bench)


def this_machine() -> str:
    """Return the name of this machine as results may hold it."""
    return _UNSAFE.sub("-", platform.node()).strip("-.+_")[:64] or "this-machine"


def local_server(bench: Bench) -> Server | None:
    """Return the server of a bench that is this machine; None where it has none, or several that claim it."""
    local = [server for server in bench.servers if server.access.local]
    return local[0] if len(local) == 1 else None


def server_named(bench: Bench, name: str | None) -> Server:
    """Find a server that meters measure, the only one where none is named. Raises `InputError` with their names."""
    measured = {server.id: server for server in bench.servers if bench.meters_of(server.id) or bench.bmcs_of(server.id)}
    names = ", ".join(measured) or "none"
    if name is None and len(measured) == 1:
        return next(iter(measured.values()))
    if name is None:
        raise InputError("The server to measure was not named.", f"Servers of this bench with meters: {names}.")
    if name not in measured:
        raise NotFound(f"No meter of the bench measures a server {name[:80]!r}.", f"Servers with meters: {names}.")
    return measured[name]


async def _named(target: str, bench: Bench | None, server: str, read_url: ReadUrl, clock: Clock) -> ChosenMeter:
    if is_url(target):
        settings = await identified(target, read_url)
        return _chosen(settings, settings, server, clock)
    if bench is None:
        raise InputError(
            f"{target[:80]!r} is not a URL, and there is no bench that could name it.",
            "Write SCHEME://WHERE?model=MODEL, or give --bench FILE.",
        )
    settings = find_settings(bench, target)
    entries: list[MeterEntry | Bmc] = [*bench.meters, *bench.bmcs]
    entry = next(entry for entry in entries if entry.id == target)
    measured = [feed.server for feed in entry.feeds] if isinstance(entry, MeterEntry) else [entry.server]
    local = local_server(bench)
    if measured and (local is None or local.id not in measured):
        raise InputError(
            f"The meter {target} measures {' and '.join(dict.fromkeys(measured))}, by the bench another server than "
            "this machine.",
            "Name a meter of this machine, or write access: {local: true} at the one server of the bench that it is.",
        )
    return _chosen(settings, entry, server, clock)


def _require_different_addresses(meters: Sequence[ChosenMeter]) -> None:
    """Refuse a meter that is named twice, whose power would count twice. Raises `InputError`."""
    devices: dict[object, str] = {}
    names: set[str] = set()
    for meter in meters:
        device = None if isinstance(meter.entry, Bmc) else device_of(meter.entry.model, meter.entry.url)
        if (other := devices.setdefault(device, meter.monitored.name)) != meter.monitored.name and device is not None:
            raise InputError(f"{meter.monitored.name} is the device {other}, whose power would count twice.", _ONCE)
        if meter.monitored.name in names:
            raise InputError(
                f"{meter.monitored.name} is given twice.", f"{_ONCE} Two parts of a device are named in a bench."
            )
        names.add(meter.monitored.name)


def require_different_devices(meters: Sequence[ChosenMeter]) -> None:
    """Refuse meters that answer as one device, whose power would count twice. Raises `InputError`."""
    devices: dict[object, str] = {}
    for meter in meters:
        record, entry = meter.record, meter.entry
        if isinstance(entry, Bmc) or record.serial is None or record.role != "wall":
            continue
        if (place := place_in_device(entry.model, entry.url)) is None:
            continue
        name = meter.monitored.name
        if (other := devices.setdefault((record.model, record.serial, place), name)) != name:
            raise InputError(
                f"{name} and {other} are one device, serial number {record.serial}: its power would count twice.", _ONCE
            )


def _of_bench(bench: Bench, server: Server, clock: Clock) -> Iterator[ChosenMeter]:
    for entry in bench.meters_of(server.id):
        yield _chosen(entry_settings(entry, bench, os.environ), entry, server.id, clock)
    for bmc in bench.bmcs_of(server.id):
        yield _chosen(bmc_settings(bmc, bench, os.environ), bmc, server.id, clock)


def _chosen(settings: MeterSettings, entry: MeterEntry | Bmc | MeterSettings, server: str, clock: Clock) -> ChosenMeter:
    return ChosenMeter(
        MonitoredMeter(create_meter(settings, clock), _role(settings, entry), server, settings.period_s), entry
    )


def _role(settings: MeterSettings, entry: MeterEntry | Bmc | MeterSettings) -> Role:
    """Return what a meter stands for: BMCs and processors never for the wall."""
    if settings.model == PACKAGES:
        return "secondary"
    if isinstance(entry, MeterEntry):
        return entry.role
    return "bmc" if isinstance(entry, Bmc) or settings.model in ("ipmi.bmc", "redfish.bmc") else "wall"


async def identified(url: str, read_url: ReadUrl) -> MeterSettings:
    """Read a URL; one that names a maker or no model is completed by what the device says. Raises
    `ConfigurationError`."""
    scheme = urlsplit(url).scheme
    if scheme == "rapl" and not urlsplit(url).path:
        return read_url(f"rapl://{POWERCAP}")
    if scheme == SIMULATED and "model=" not in url:
        return read_url(f"{url}{'&' if '?' in url else '?'}model={USUAL_SIMULATED}")
    is_maker = scheme not in schemes()
    try:
        return read_url(url)
    except ConfigurationError:
        host = urlsplit(url).netloc
        # A password in an address is refused where it is read, and goes nowhere else.
        if not host or "@" in host or "model=" in url or (is_maker and not _models_of(scheme)):
            raise
    answers = await scan_hosts(parse_hosts(host), timeout_s=_SCAN_S)
    models = {
        answer_url: model
        for answer in answers
        for answer_url, model in zip(answer.urls, answer.models, strict=False)
        if (model in _models_of(scheme) if is_maker else answer_url.startswith(f"{scheme}:"))
    }
    if len(models) == 1:
        return read_url(next(iter(models)))
    if not models and any(not answer.models and answer.where.startswith("http:") for answer in answers):
        raise ConfigurationError(
            f"The device at {host} asks for a password before it says what it is.",
            f"Name its model: http://{host}?model=MODEL; `wattmark meter models` lists the models.",
        )
    if not models:
        raise ConfigurationError(
            f"No device at {host} says that it is {'of ' if is_maker else 'reached by '}{scheme}.",
            "Check its address, or write SCHEME://WHERE?model=MODEL; `wattmark meter models` lists the models.",
        )
    raise ConfigurationError(
        f"The device at {host} may be one of several models.", f"Write one: {' or '.join(models)}."
    )


def _models_of(maker: str) -> set[str]:
    return {model.id for models in schemes().values() for model in models if model.id.startswith(f"{maker}.")}


def _packages(read_url: ReadUrl) -> MeterSettings | None:
    """Return RAPL as a meter; None where this machine has none that may be read."""
    try:
        zones = find_zones(POWERCAP, "intel-rapl")
        zones[0].counter.read_bytes()
    except (ConnectionFailed, OSError):
        return None
    return read_url(f"rapl://{POWERCAP}")


def _nothing_there(bench: Bench | None) -> InputError:
    ports = find_serial_ports()
    seen = f" Serial ports here: {', '.join(f'{port.where} ({port.what})' for port in ports[:4])}." if ports else ""
    of_bench = " The bench has none for this machine." if bench is not None else ""
    rapl = f" RAPL in {POWERCAP} is absent, or needs root."
    return InputError(
        f"No meter was named, and none was found here.{of_bench}{rapl}{seen}",
        f"Name one, such as --meter shelly://HOST or --meter 'modbus-tcp://HOST/1?model=eastron.sdm120'. {BUY}",
    )
