"""`wattmark meter simulate`: any model of the catalogue as a device that speaks its true protocol."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.errors import ConfigurationError, DriverError
from wattmark_drivers.simulators.on_demand import DEVICE, SERVER, LoadModel, lab_spec
from wattmark_drivers.simulators.simulated_lab import SimulatedDevice, SimulatedLab
from wattmark_drivers.speakers.fault_words import parse_fault
from wattmark_drivers.speakers.faults import Fault

from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.signals import on_termination
from wattmark.core.errors import InputError

HINT = "While it runs, type a fault (drop, delay=2*5) or dimms=N and press Enter; Ctrl-C ends it."


def simulate(
    model: Annotated[str, typer.Argument(help="Model of the catalogue; list them with `wattmark meter models`.")],
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port on 127.0.0.1; 0: any free one.")] = 0,
    pty: Annotated[Path | None, typer.Option("--pty", help="Simulate a serial line, linked to this path.")] = None,
    fault: Annotated[
        list[str] | None, typer.Option("--fault", help="KIND[=VALUE][*COUNT] for the next answers: delay=2, drop*3.")
    ] = None,
    idle_w: Annotated[
        float, typer.Option("--idle-w", min=1, max=5000, help="Power of the server at idle [W].")
    ] = 120.0,
    dynamic_w: Annotated[
        float, typer.Option("--dynamic-w", min=0, max=5000, help="Additional power at full load [W].")
    ] = 160.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the meter's errors and noise.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Simulate a meter on loopback until Ctrl-C; its watts follow the load of this machine."""
    faults = [parse_fault(text) for text in fault or []]
    spec = _spec(model, port, serial=pty is not None, idle_w=idle_w, dynamic_w=dynamic_w, seed=seed)
    asyncio.run(_serve(spec, model, pty, faults, as_json=as_json))


def _spec(model: str, port: int, *, serial: bool, idle_w: float, dynamic_w: float, seed: int) -> dict[str, Any]:
    device: dict[str, Any] = {"port": port}
    if serial and isinstance(find_model(model).protocol, ModbusMap):
        device["transport"] = "rtu"
    return lab_spec(model, LoadModel(idle_w, dynamic_w, seed), device=device)


async def _serve(spec: dict[str, Any], model: str, pty: Path | None, faults: list[Fault], *, as_json: bool) -> None:
    done = asyncio.Event()
    find_model(model)
    async with SimulatedLab(spec) as lab:
        on_termination(done.set)
        device = lab.devices[DEVICE]
        if device.url is None:
            raise ConfigurationError(str(device.problem))
        with _linked(device.url, pty) as url:
            for fault in faults:
                lab.inject(DEVICE, **fault.model_dump())
            _announce(lab, device, f"{url}{'&' if '?' in url else '?'}model={model}", as_json=as_json)
            threading.Thread(target=_obey_lines, args=(lab,), daemon=True).start()
            await done.wait()


@contextlib.contextmanager
def _linked(url: str, pty: Path | None) -> Any:
    """Make ``pty`` lead to the simulated serial port while the block lasts; gives the URL to use."""
    if pty is None:
        yield url
        return
    parts = urlsplit(url)
    if parts.netloc:
        raise InputError(f"This model has no serial line; it is connected through {url}.", "Omit --pty.")
    path = pty.absolute()
    try:
        path.symlink_to(parts.path)
    except OSError as error:
        raise InputError(
            f"{path} cannot be created: {error.strerror}.", "Choose a path that does not exist yet."
        ) from error
    try:
        yield f"{parts.scheme}://{path}" + (f"?{parts.query}" if parts.query else "")
    finally:
        path.unlink(missing_ok=True)


def _announce(lab: SimulatedLab, device: SimulatedDevice, url: str, *, as_json: bool) -> None:
    entry = {
        "url": url,
        "username": device.username,
        "password_file": str(device.password_file) if device.password_file else None,
        "note": device.note,
        "control": lab.control,
        "token_file": str(lab.token_file),
    }
    if as_json:
        emit_json(entry)
        return
    typer.echo(url)
    sys.stdout.flush()
    out = console()
    if device.username:
        out.print(f"Log in with --user {device.username} --password-file {device.password_file}")
    if device.note:
        out.print(device.note)
    out.print(f"Simulated. {HINT}")
    out.print(f"From scripts: control port {lab.control}, token in {lab.token_file}.")


def _obey_lines(lab: SimulatedLab) -> None:
    """Take orders from standard input, one a line, until it ends."""
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            _obey(lab, line.strip())
            console().print("done")
        except DriverError as error:
            console().print(str(error))


def _obey(lab: SimulatedLab, order: str) -> None:
    name, _, value = order.partition("=")
    if name == "dimms" and value.isascii() and value.isdecimal():
        lab.set_dimms(SERVER, int(value))
    else:
        lab.inject(DEVICE, **parse_fault(order).model_dump())
