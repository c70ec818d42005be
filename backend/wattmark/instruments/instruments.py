"""From the bench file to instruments: meters that can be read, and their records in a run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Literal

from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.clock import Clock
from wattmark_drivers.engines import find_engine
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.factory import create_meter, find_model
from wattmark_drivers.line_load import check_lines
from wattmark_drivers.meter import Meter, MeterIdentity
from wattmark_drivers.pace import USUAL_PERIOD_S, averaging_s, default_period_s, uncovered_remark
from wattmark_drivers.reading import Channel, Kind
from wattmark_drivers.settings import MeterSettings

from wattmark.bench.bench import Bench, suggestion
from wattmark.bench.feeds import supplies_of
from wattmark.bench.instruments import Bmc
from wattmark.bench.instruments import Meter as MeterEntry
from wattmark.bench.out import Pace
from wattmark.bench.passwords import password_reader
from wattmark.bench.references import Mistake, Path
from wattmark.bench.server import Server, host_source
from wattmark.core.errors import InputError
from wattmark.hosts.address import SshAddress
from wattmark.hosts.probes.meter import HostMeter
from wattmark.recording.monitor import MonitoredMeter
from wattmark.runs.channels import QUANTITIES, total_channel
from wattmark.runs.record import MeterRecord

HOST_PERIOD_S = 1.0
_NUMBERED_PORT = re.compile(r"/dev/tty(USB|ACM)[0-9]+")
"""Ports that the kernel numbers in the order in which they are plugged in."""


def build_meters(bench: Bench, clock: Clock, environment: Mapping[str, str] = os.environ) -> list[MonitoredMeter]:
    """Create every instrument of a bench: wall and secondary meters, BMCs and the host; nothing is opened yet."""
    check_meter_lines(bench)
    meters = [
        MonitoredMeter(
            create_meter(settings := _settings(entry, bench, environment), clock),
            entry.role,
            _server(entry),
            settings.period_s,
            _made_from(entry, bench),
            _shared(entry),
        )
        for entry in bench.meters
    ]
    meters += [
        MonitoredMeter(
            create_meter(_bmc_settings(bmc, bench, environment), clock),
            "bmc",
            bmc.server,
            bmc.period_s,
            _made_from(bmc, bench),
        )
        for bmc in bench.bmcs
    ]
    return [*meters, *(_hosts(bench, clock) if bench.servers else ())]


def _made_from(entry: MeterEntry | Bmc, bench: Bench) -> tuple[MeterEntry | Bmc, FilePath]:
    """Return what makes a meter the one it is; other limits of its channels do not disturb it."""
    return entry.model_copy(update={"alarms": ()}), bench.folder


def _hosts(bench: Bench, clock: Clock) -> list[MonitoredMeter]:
    """Watch this machine, and each server that is reached over SSH by a connection of its own."""
    there = [
        _host_there(server, server.access.ssh, bench, clock)
        for server in bench.servers
        if server.access.ssh is not None
    ]
    return [MonitoredMeter(HostMeter(clock=clock), "host", None, HOST_PERIOD_S), *there]


def _host_there(server: Server, address: SshAddress, bench: Bench, clock: Clock) -> MonitoredMeter:
    from wattmark.hosts.connection import SshConnection
    from wattmark.hosts.files import SshFiles

    files = SshFiles(SshConnection(address, bench.folder))
    meter = HostMeter(clock=clock, files=files, name=host_source(server), title=server.title or server.id)
    return MonitoredMeter(meter, "host", server.id, HOST_PERIOD_S, (address, server.title, bench.folder))


def pace(entry: MeterEntry) -> Pace:
    """Return how often a meter is polled, as the bench says or as its model asks for, and over how long it averages."""
    if entry.model not in load_catalogue():
        return Pace(entry.period_s or USUAL_PERIOD_S, entry.averaging_s)
    declaration = find_model(entry.model)
    return Pace(
        entry.period_s or default_period_s(declaration, entry.url, entry.options),
        entry.averaging_s or averaging_s(declaration, entry.options),
    )


def uncovered_remarks(bench: Bench) -> list[str]:
    """Explain which meters are polled slower than they average, and what to do."""
    return [remark for entry in bench.meters if (remark := uncovered_remark(_settings(entry, bench, {})))]


def renumbered_port_remarks(bench: Bench) -> list[str]:
    """Explain which meters are exchanged unseen when their serial ports are numbered anew, and what to do."""
    return [
        f"Meter {entry.id} has no serial number to be known by, and {match[0]} may be another port after it is plugged "
        "in again. Write its link in /dev/serial/by-id/ (ls -l /dev/serial/by-id), or in by-path where several "
        "adapters are alike."
        for entry in bench.meters
        if (match := _NUMBERED_PORT.search(entry.url)) and not _tells_serial_number(entry.model)
    ]


def _tells_serial_number(model: str) -> bool:
    """Return whether a model tells a serial number: those of SCPI do, of Modbus those with a register of it."""
    protocol = load_catalogue()[model].protocol if model in load_catalogue() else None
    return protocol is None or protocol.engine == "scpi" or getattr(protocol, "serial_number", None) is not None


def instrument_mistakes(bench: Bench) -> Iterator[Mistake]:
    """Find what no meter can be made from: addresses, ranges and options that the model does not have."""
    for i, entry in enumerate(bench.meters):
        mistakes = list(_mistakes(("meters", i), _settings(entry, bench, {})))
        yield from mistakes
        if entry.role == "wall" and not mistakes:
            yield from _without_total(("meters", i), create_meter(_settings(entry, bench, {})))
    for i, bmc in enumerate(bench.bmcs):
        yield from _mistakes(("bmcs", i), _bmc_settings(bmc, bench, {}))


def _mistakes(path: Path, settings: MeterSettings) -> Iterator[Mistake]:
    try:
        declaration = find_model(settings.model)
        find_engine(declaration.protocol.engine)
    except ConfigurationError as error:
        yield Mistake((*path, "model"), str(error))
        return
    field = "url"
    try:
        parse_address(settings.url, declaration, f"the meter {settings.name}")
        field = "range" if settings.range is not None and declaration.range(settings.range) is None else "options"
        create_meter(settings)
    except ConfigurationError as error:
        yield Mistake((*path, field), str(error))


def _without_total(path: Path, meter: Meter) -> Iterator[Mistake]:
    """Find a wall meter whose chosen channels leave out the total: phases alone are not what a server draws."""
    chosen = [channel for channel in meter.channels if channel.quantity in QUANTITIES]
    if chosen and _total(meter, "power") is None and _total(meter, "energy") is None:
        names = ", ".join(channel.id for channel in chosen)
        yield Mistake((*path, "options"), f"found only {names}; a wall meter needs its total power or energy")


def find_settings(bench: Bench, name: str, environment: Mapping[str, str] = os.environ) -> MeterSettings:
    """Find the settings of one meter or BMC of a bench by its name. Raises `InputError`."""
    for entry in bench.meters:
        if entry.id == name:
            return _settings(entry, bench, environment)
    for bmc in bench.bmcs:
        if bmc.id == name:
            return _bmc_settings(bmc, bench, environment)
    names = [*(entry.id for entry in bench.meters), *(bmc.id for bmc in bench.bmcs)]
    raise InputError(f"The bench has no meter {name!r};", suggestion(name, names))


def all_settings(bench: Bench) -> list[MeterSettings]:
    """List the settings of all meters and BMCs of a bench, without their passwords."""
    meters = [_settings(entry, bench, {}) for entry in bench.meters]
    return meters + [_bmc_settings(bmc, bench, {}) for bmc in bench.bmcs]


def check_meter_lines(bench: Bench) -> None:
    """Refuse meters that cannot be polled as often as the bench asks. Raises `ConfigurationError` with the sum."""
    check_lines([_settings(entry, bench, {}) for entry in bench.meters])


def bench_records(bench: Bench, meters: list[MonitoredMeter]) -> list[MeterRecord]:
    """Describe every meter of a bench as a run would record it now."""
    return [record for server in bench.servers for record in meter_records(bench, meters, server.id)]


def meter_records(bench: Bench, meters: list[MonitoredMeter], server: str) -> list[MeterRecord]:
    """Record the instruments of one server with what the analysis must know about them."""
    by_name = {monitored.meter.identity.name: monitored.meter for monitored in meters}
    records = [
        meter_record(by_name[entry.id], entry.role, entry).model_copy(
            update={
                "partial": _is_partial(bench, entry, server),
                "supplies": supplies_of(entry, server),
                "other_servers": tuple(dict.fromkeys(f.server for f in entry.feeds if f.server != server)),
            }
        )
        for entry in bench.meters_of(server)
    ]
    return records + [meter_record(by_name[bmc.id], "bmc", bmc) for bmc in bench.bmcs_of(server)]


def meter_identities(bench: Bench, meters: list[MonitoredMeter], server: str) -> list[MeterIdentity]:
    """Return what the instruments of one server say of themselves now."""
    names = {entry.id for entry in bench.meters_of(server)} | {bmc.id for bmc in bench.bmcs_of(server)}
    identities = (monitored.meter.identity for monitored in meters)
    return [identity for identity in identities if identity.name in names]


def _settings(entry: MeterEntry, bench: Bench, environment: Mapping[str, str]) -> MeterSettings:
    return MeterSettings(
        name=entry.id,
        model=entry.model,
        url=entry.url,
        period_s=pace(entry).period_s,
        range=entry.range,
        simulated=entry.simulated,
        options=dict(entry.options),
        username=entry.user,
        password=password_reader(entry, bench.folder, environment),
        privacy_password=password_reader(entry, bench.folder, environment, privacy=True),
    )


def _bmc_settings(bmc: Bmc, bench: Bench, environment: Mapping[str, str]) -> MeterSettings:
    cipher = "" if bmc.cipher is None else f"&cipher={bmc.cipher}"
    return MeterSettings(
        name=bmc.id,
        model=bmc.model,
        url=bmc.connection if bmc.url else f"{bmc.connection}?privilege={bmc.privilege}{cipher}",
        period_s=bmc.period_s,
        simulated=bmc.simulated,
        username=bmc.user,
        password=password_reader(bmc, bench.folder, environment),
    )


def _server(entry: MeterEntry) -> str | None:
    servers = {feed.server for feed in entry.feeds}
    return servers.pop() if len(servers) == 1 else None


def _shared(entry: MeterEntry) -> tuple[str, ...]:
    servers = tuple(dict.fromkeys(feed.server for feed in entry.feeds))
    return servers if len(servers) > 1 else ()


def _is_partial(bench: Bench, entry: MeterEntry, server: str) -> bool:
    """Return whether a meter excludes a supply that is powered in some configuration of the server."""
    measured = supplies_of(entry, server)
    powered = {psu for configuration in bench.server(server).configurations for psu in configuration.powered_psus}
    return measured is not None and bool(powered.difference(measured))


def _total(meter: Meter, quantity: Literal["power", "energy"]) -> Channel | None:
    """Return the channel that counts as a meter's power or energy."""
    channels = [channel for channel in meter.channels if channel.quantity == quantity]
    total = total_channel((channel.id for channel in channels), quantity)
    return next((channel for channel in channels if channel.id == total), None)


def meter_record(meter: Meter, role: str, entry: MeterEntry | Bmc | MeterSettings) -> MeterRecord:
    """Record an opened meter with what the analysis must know about it; settings alone tell no conditions of use."""
    identity = meter.identity
    power, register = _total(meter, "power"), _total(meter, "energy")
    main = power or register
    accuracy = identity.power_accuracy
    return MeterRecord.model_validate(
        {
            "name": identity.name,
            "model": identity.model,
            "title": identity.title,
            "role": role,
            "serial": identity.serial or getattr(entry, "serial", None),
            "firmware": identity.firmware,
            "simulated": identity.simulated,
            "indicative": identity.indicative,
            "kind": main.kind.value if main else "averaged",
            "period_s": _record_period_s(meter, entry),
            "averaging_s": _averaging_s(meter, main, entry),
            "resolution_w": main.resolution if main else None,
            "register_resolution_wh": register.resolution if register else None,
            "register_wraps_at_wh": register.wraps_at if register else None,
            "reading_pct": accuracy.reading_pct if accuracy else None,
            "range_pct": accuracy.range_pct if accuracy else None,
            "fixed_w": accuracy.fixed if accuracy else None,
            "range_w": identity.range_w,
            "range_limit_w": identity.range_limit_w,
            "range_name": accuracy.range_name if accuracy else getattr(entry, "range", None),
            "accuracy_source": accuracy.source if accuracy else None,
            "other_limits": {
                quantity: {
                    "reading_pct": limit.reading_pct,
                    "range_pct": limit.range_pct,
                    "fixed": limit.fixed,
                    "range_value": limit.range_value,
                    "source": limit.source,
                }
                for quantity, limit in identity.other_accuracies.items()
            },
            "influences": accuracy.influences.model_dump() if accuracy else {},
            "conditions": _conditions(identity, entry),
            "latency_s": getattr(entry, "latency_s", 0.0),
            "u_latency_s": getattr(entry, "u_latency_s", None),
        }
    )


def _averaging_s(meter: Meter, main: Channel | None, entry: MeterEntry | Bmc | MeterSettings) -> float | None:
    """Return over how long a reading averages [s], as the bench says or as its model does; None: no mean."""
    if main is None or main.kind is not Kind.AVERAGED:
        return None
    stated_s: float | None = getattr(entry, "averaging_s", None)
    return meter.identity.averaging_s if stated_s is None else stated_s


def _record_period_s(meter: Meter, entry: MeterEntry | Bmc | MeterSettings) -> float:
    """Return how often the meter gives something new [s]: a pushing one when it likes, another when it is asked."""
    period_s = pace(entry).period_s if isinstance(entry, MeterEntry) else entry.period_s
    update_s = meter.identity.update_period_s
    return update_s if meter.pushes else max(period_s, update_s)


def _conditions(identity: MeterIdentity, entry: MeterEntry | Bmc | MeterSettings) -> dict[str, object]:
    """Take what the operator states; settings that the device itself tells come before the operator's word."""
    stated = entry.conditions.model_dump() if isinstance(entry, MeterEntry) else {}
    reported = {"crest_factor": identity.crest_factor, "line_filter": identity.line_filter}
    return stated | {name: value for name, value in reported.items() if value is not None}
