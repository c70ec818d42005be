"""`wattmark meter scan`: what answers in the places that are named, and which models fit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated

import typer
from rich.progress import Progress
from wattmark_drivers.discovery.found import FoundDevice
from wattmark_drivers.discovery.hosts import parse_hosts, scan_hosts
from wattmark_drivers.discovery.modbus_ids import parse_ids, scan_modbus
from wattmark_drivers.discovery.serial_ports import find_serial_ports

from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import PlainConsole, console
from wattmark.core.errors import InputError


def scan(
    modbus_tcp: Annotated[
        str | None, typer.Option("--modbus-tcp", help="Gateway or meter HOST[:PORT] to search for --ids.")
    ] = None,
    serial: Annotated[
        str | None, typer.Option("--serial", help="Serial port to search for --ids by Modbus RTU.")
    ] = None,
    ids: Annotated[str, typer.Option("--ids", help="Modbus unit ids, such as 1-10 or 1,5,17.")] = "1",
    baud: Annotated[int, typer.Option("--baud", min=300, max=4_000_000, help="Line speed of --serial.")] = 9600,
    parity: Annotated[str, typer.Option("--parity", help="Parity of --serial: N, E or O.")] = "N",
    hosts: Annotated[
        str | None, typer.Option("--hosts", help="Hosts that may be BMCs, plugs or instruments: A,B:PORT.")
    ] = None,
    timeout_s: Annotated[
        float, typer.Option("--timeout", min=0.05, max=10, help="Seconds to wait for each answer.")
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Look for devices. Without options it lists the serial ports; nothing is swept that was not named."""
    if modbus_tcp is not None and serial is not None:
        raise InputError("Both --modbus-tcp and --serial are given.", "Scan one line at a time.")
    devices: list[FoundDevice] = []
    if modbus_tcp is not None or serial is not None:
        devices += _modbus(_urls(modbus_tcp, serial, baud, parity), parse_ids(ids), timeout_s)
    if hosts is not None:
        devices += asyncio.run(scan_hosts(parse_hosts(hosts), timeout_s=timeout_s))
    if (modbus_tcp, serial, hosts) == (None, None, None):
        devices = find_serial_ports()
    if as_json:
        emit_json({"found": [asdict(device) for device in devices]})
    else:
        _print(devices)


def _urls(modbus_tcp: str | None, serial: str | None, baud: int, parity: str) -> Callable[[int], str]:
    if modbus_tcp is not None:
        return lambda device: f"modbus-tcp://{modbus_tcp}/{device}"
    return lambda device: f"modbus-rtu://{serial}?device={device}&baud={baud}&parity={parity}"


def _modbus(url_of: Callable[[int], str], ids: list[int], timeout_s: float) -> list[FoundDevice]:
    with Progress(console=console(), transient=True, disable=not console().is_terminal) as bars:
        task = bars.add_task("Asking", total=len(ids))

        def tell(device: int) -> None:
            bars.update(task, description=f"Asking {url_of(device)}", completed=ids.index(device))

        return asyncio.run(scan_modbus(url_of, ids, timeout_s=timeout_s, on_id=tell))


def _print(devices: list[FoundDevice]) -> None:
    out = PlainConsole(soft_wrap=True)
    for device in devices:
        out.print(f"{device.where}: {device.what}", style="bold")
        if device.models:
            out.print(f"  fits: {', '.join(device.models)}")
        for url in device.urls:
            out.print(f"  {url}")
        if device.note:
            out.print(f"  {device.note}", style="dim")
    if not devices:
        out.print("No device was found.")
