"""From the bench file to instruments: meters that can be read, and their records in a run."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path as FilePath

from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import KnowsSupplies, Meter, MeterIdentity
from wattmark_drivers.reading import Channel, Kind
from wattmark_drivers.settings import MeterSettings

from wattmark.bench.bench import Bench
from wattmark.bench.feeds import supplies_of
from wattmark.bench.instruments import Bmc
from wattmark.bench.instruments import Meter as MeterEntry
from wattmark.bench.server import Server, host_source
from wattmark.hosts.address import SshAddress
from wattmark.hosts.probes.meter import HostMeter
from wattmark.instruments.entries import bmc_settings, check_meter_lines, entry_settings, pace, total_of
from wattmark.recording.monitor import MonitoredMeter
from wattmark.runs.record import MeterRecord

HOST_PERIOD_S = 1.0
SUPPLIES_TIMEOUT_S = 10.0


def build_meters(bench: Bench, clock: Clock, environment: Mapping[str, str] = os.environ) -> list[MonitoredMeter]:
    """Create every instrument of a bench: wall and secondary meters, BMCs and the host; nothing is opened yet."""
    check_meter_lines(bench)
    meters = [
        MonitoredMeter(
            create_meter(settings := entry_settings(entry, bench, environment), clock),
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
            create_meter(bmc_settings(bmc, bench, environment), clock),
            "bmc",
            bmc.server,
            bmc.period_s,
            _made_from(bmc, bench),
        )
        for bmc in bench.bmcs
    ]
    return [*meters, *(_hosts(bench, clock) if bench.servers else ())]


def _made_from(entry: MeterEntry | Bmc, bench: Bench) -> tuple[MeterEntry | Bmc, FilePath]:
    """Return the settings that identify a meter; limits of its channels are not among them."""
    return entry.model_copy(update={"alarms": ()}), bench.folder


def _hosts(bench: Bench, clock: Clock) -> list[MonitoredMeter]:
    """Watch this machine, and each server reached over SSH through a separate connection."""
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


def bench_records(bench: Bench, meters: list[MonitoredMeter]) -> list[MeterRecord]:
    """Describe every meter of a bench as a run would record it now."""
    return [record for server in bench.servers for record in meter_records(bench, meters, server.id)]


def meter_records(bench: Bench, meters: list[MonitoredMeter], server: str) -> list[MeterRecord]:
    """Record the instruments of one server with the facts that the analysis needs."""
    by_name = {monitored.meter.identity.name: monitored.meter for monitored in meters}
    records = [
        meter_record(by_name[entry.id], entry.role, entry).model_copy(
            update={
                "partial": _is_partial(bench, entry, server),
                "supplies": supplies_of(entry, server),
                "host_role": entry.host_role,
                "other_servers": tuple(dict.fromkeys(f.server for f in entry.feeds if f.server != server)),
            }
        )
        for entry in bench.meters_of(server)
    ]
    return records + [meter_record(by_name[bmc.id], "bmc", bmc) for bmc in bench.bmcs_of(server)]


def meter_identities(bench: Bench, meters: list[MonitoredMeter], server: str) -> list[MeterIdentity]:
    """Return the present identities of the instruments of one server."""
    names = {entry.id for entry in bench.meters_of(server)} | {bmc.id for bmc in bench.bmcs_of(server)}
    identities = (monitored.meter.identity for monitored in meters)
    return [identity for identity in identities if identity.name in names]


async def supply_states(bench: Bench, meters: list[MonitoredMeter], server: str) -> dict[str, str]:
    """Ask the BMCs of a server for the states of its power supplies by name; empty where none answers in time."""
    names = {bmc.id for bmc in bench.bmcs_of(server)}
    states: dict[str, str] = {}
    for meter in (monitored.meter for monitored in meters):
        if meter.identity.name not in names or not isinstance(meter, KnowsSupplies):
            continue
        with contextlib.suppress(DriverError, TimeoutError):
            async with asyncio.timeout(SUPPLIES_TIMEOUT_S):
                states |= await meter.supplies()
    return states


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


def meter_record(meter: Meter, role: str, entry: MeterEntry | Bmc | MeterSettings) -> MeterRecord:
    """Record an opened meter with the facts for the analysis; settings alone do not show the conditions of use."""
    identity = meter.identity
    power, register = total_of(meter, "power"), total_of(meter, "energy")
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
    """Take the operator's statements; settings reported by the device take precedence."""
    stated = entry.conditions.model_dump() if isinstance(entry, MeterEntry) else {}
    reported = {"crest_factor": identity.crest_factor, "line_filter": identity.line_filter}
    return stated | {name: value for name, value in reported.items() if value is not None}
