"""The instruments of a bench before any of them is opened: their settings, pace, mistakes and remarks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Literal
from urllib.parse import urlsplit

from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import find_model, load_catalogue
from wattmark_drivers.engines import find_engine
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.line_load import check_lines
from wattmark_drivers.meter import Meter
from wattmark_drivers.pace import USUAL_PERIOD_S, averaging_s, default_period_s, uncovered_remark
from wattmark_drivers.reading import Channel
from wattmark_drivers.settings import MeterSettings

from wattmark.bench.bench import Bench, suggestion
from wattmark.bench.instruments import Bmc
from wattmark.bench.instruments import Meter as MeterEntry
from wattmark.bench.out import Pace
from wattmark.bench.passwords import password_reader
from wattmark.bench.references import Mistake, Path
from wattmark.bench.speak import ENGINES, Speak
from wattmark.core.errors import InputError
from wattmark.runs.channels import QUANTITIES, total_channel

MANY_DEVICES = frozenset({"replay", "simulated"})
"""Schemes of which each entry is a meter of its own."""
_NUMBERED_PORT = re.compile(r"/dev/tty(USB|ACM)[0-9]+")
"""Ports that the kernel numbers in the order of plugging in, so that a number may denote another device later."""


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
    return [remark for entry in bench.meters if (remark := uncovered_remark(entry_settings(entry, bench, {})))]


def own_port_remarks(bench: Bench, own_port: int) -> list[str]:
    """Explain which entries of the gateway would listen on the port of the service, and what to do."""
    return [
        f"The gateway cannot speak {entry.as_} for {entry.what}: {problem} Choose another port, or start the service "
        "on another one."
        for entry in bench.speak
        if (problem := entry.takes(own_port)) is not None
    ]


def renumbered_port_remarks(bench: Bench) -> list[str]:
    """Explain which meters could be swapped unnoticed when serial ports are renumbered, and what to do."""
    return [
        f"Meter {entry.id} has no serial number to be known by, and {match[0]} may be another port after it is plugged "
        "in again. Write its link in /dev/serial/by-id/ (ls -l /dev/serial/by-id), or in by-path where several "
        "adapters are alike."
        for entry in bench.meters
        if (match := _NUMBERED_PORT.search(entry.url)) and not _tells_serial_number(entry.model)
    ]


def _tells_serial_number(model: str) -> bool:
    """Return whether a model reports a serial number: those of SCPI do, of Modbus those with a register of it."""
    protocol = load_catalogue()[model].protocol if model in load_catalogue() else None
    return protocol is None or protocol.engine == "scpi" or getattr(protocol, "serial_number", None) is not None


def instrument_mistakes(bench: Bench) -> Iterator[Mistake]:
    """Find entries that make no meter: addresses, ranges and options that the model does not have."""
    for i, entry in enumerate(bench.meters):
        mistakes = list(_mistakes(("meters", i), entry_settings(entry, bench, {})))
        yield from mistakes
        if entry.role == "wall" and not mistakes:
            yield from _without_total(("meters", i), create_meter(entry_settings(entry, bench, {})))
    yield from entered_twice(bench)
    for i, bmc in enumerate(bench.bmcs):
        yield from _mistakes(("bmcs", i), bmc_settings(bmc, bench, {}))
    for i, spoken in enumerate(bench.speak):
        if (problem := spoken_model_problem(spoken)) is not None:
            yield Mistake(("speak", i, "model"), problem)


def spoken_model_problem(entry: Speak) -> str | None:
    """Explain that a model is not read in the protocol that it shall be spoken in; None where it is."""
    models, model = load_catalogue(), entry.spoken_model
    if model in models and models[model].protocol.engine == ENGINES[entry.as_]:
        return None
    same = [name for name, declared in models.items() if declared.protocol.engine == ENGINES[entry.as_]]
    return f"found {model!r}, which is not a model that is read by {entry.as_}; {suggestion(model, same)}"


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


def entered_twice(bench: Bench) -> Iterator[Mistake]:
    """Find wall meters that are one device by their addresses: its power would count twice."""
    devices: dict[object, str] = {}
    for i, entry in enumerate(bench.meters):
        if entry.role != "wall" or not entry.feeds:
            continue
        if (device := device_of(entry.model, entry.url)) is not None:
            other = devices.setdefault(device, entry.id)
            if other != entry.id:
                yield Mistake(
                    ("meters", i, "url"),
                    f"found the device of the meter {other}, whose power would count twice; correct the unit id, "
                    f"outlet or host, list all that it feeds in {other}, or set role: secondary",
                )


def device_of(model: str, url: str) -> object | None:
    """Return what tells the device of an address from others; None where each meter is one of its own, or for none."""
    if urlsplit(url).scheme in MANY_DEVICES:
        return None
    try:
        declaration = find_model(model)
        place, _ = parse_address(url, declaration)
    except ConfigurationError:
        return None
    # Outlet 1 of a PDU and its inlet 1 have one address, and are two models.
    return place, getattr(declaration.protocol, "numbered", None)


def place_in_device(model: str, url: str) -> object:
    """Return which part of a device an address means, such as a unit or an outlet, by whichever way it is reached."""
    match device_of(model, url):
        case (place, part) if is_dataclass(place):
            names = [item.name for item in fields(place) if item.name not in ("host", "port", "origin")]
            return (*(getattr(place, name) for name in names), part)
        case device:
            return device


def _without_total(path: Path, meter: Meter) -> Iterator[Mistake]:
    """Find a wall meter whose chosen channels lack the total: phases alone are not the power of a server."""
    chosen = [channel for channel in meter.channels if channel.quantity in QUANTITIES]
    if chosen and total_of(meter, "power") is None and total_of(meter, "energy") is None:
        names = ", ".join(channel.id for channel in chosen)
        yield Mistake((*path, "options"), f"found only {names}; a wall meter needs its total power or energy")


def find_settings(bench: Bench, name: str, environment: Mapping[str, str] = os.environ) -> MeterSettings:
    """Find the settings of one meter or BMC of a bench by its name. Raises `InputError`."""
    for entry in bench.meters:
        if entry.id == name:
            return entry_settings(entry, bench, environment)
    for bmc in bench.bmcs:
        if bmc.id == name:
            return bmc_settings(bmc, bench, environment)
    names = [*(entry.id for entry in bench.meters), *(bmc.id for bmc in bench.bmcs)]
    raise InputError(f"The bench has no meter {name!r};", suggestion(name, names))


def all_settings(bench: Bench) -> list[MeterSettings]:
    """List the settings of all meters and BMCs of a bench, without their passwords."""
    meters = [entry_settings(entry, bench, {}) for entry in bench.meters]
    return meters + [bmc_settings(bmc, bench, {}) for bmc in bench.bmcs]


def check_meter_lines(bench: Bench) -> None:
    """Refuse meters that cannot be polled as often as the bench asks. Raises `ConfigurationError` with the sum."""
    check_lines([entry_settings(entry, bench, {}) for entry in bench.meters])


def entry_settings(entry: MeterEntry, bench: Bench, environment: Mapping[str, str]) -> MeterSettings:
    """Return the settings of a meter of the bench."""
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


def bmc_settings(bmc: Bmc, bench: Bench, environment: Mapping[str, str]) -> MeterSettings:
    """Return the settings of a BMC of the bench."""
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


def total_of(meter: Meter, quantity: Literal["power", "energy"]) -> Channel | None:
    """Return the channel that counts as a meter's power or energy."""
    channels = [channel for channel in meter.channels if channel.quantity == quantity]
    total = total_channel((channel.id for channel in channels), quantity)
    return next((channel for channel in channels if channel.id == total), None)
