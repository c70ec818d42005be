"""`wattmark speak`: one meter as a device of a protocol that other programs read, without a service."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.factory import create_meter
from wattmark_drivers.settings import MeterSettings

from wattmark.bench.speak import ENGINES, Speak
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.signals import on_termination
from wattmark.cli.meter.target import BenchFile, resolve
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.core.validation import first_mistake
from wattmark.gateway.alone import LoneSpeaker, News
from wattmark.instruments.entries import spoken_model_problem

Protocol = Annotated[str, typer.Argument(metavar="AS", help=f"{', '.join(ENGINES)}.")]
MeterTarget = Annotated[str, typer.Option("--meter", help="A meter of the bench file, or SCHEME://WHERE?model=MODEL.")]


def speak(
    protocol: Protocol,
    meter: MeterTarget,
    port: Annotated[int | None, typer.Option("--port", help="Port where others ask, from 1024 on.")] = None,
    address: Annotated[
        str | None, typer.Option("--address", help="IPv4 address to listen on; 0.0.0.0: all. Default: 127.0.0.1.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Model of the catalogue whose registers or dialogue are spoken.")
    ] = None,
    user: Annotated[str | None, typer.Option("--user", help="User name that a client must give.")] = None,
    password_file: Annotated[
        Path | None, typer.Option("--password-file", help="File with its password, readable only by its owner.")
    ] = None,
    password_env: Annotated[
        str | None, typer.Option("--password-env", help="Name of the environment variable with its password.")
    ] = None,
    certificate_file: Annotated[
        Path | None, typer.Option("--certificate-file", help="Redfish by HTTPS: certificate (PEM).")
    ] = None,
    key_file: Annotated[Path | None, typer.Option("--key-file", help="Its private key (PEM).")] = None,
    url: Annotated[str | None, typer.Option("--url", help="MQTT: broker and topic, mqtt://broker.lab/rack1.")] = None,
    mqtt_period_s: Annotated[
        float | None, typer.Option("--mqtt-period", help="MQTT: seconds between two messages.")
    ] = None,
    most_clients: Annotated[
        int | None, typer.Option("--most-clients", help="Clients that may be connected at once. Default: 64.")
    ] = None,
    unencrypted: Annotated[
        bool, typer.Option("--unencrypted", help="Let its password cross a network where others can read it.")
    ] = False,
    bench: BenchFile = None,
    meter_user: Annotated[str | None, typer.Option("--meter-user", help="User name at the meter (URL only).")] = None,
    meter_password_file: Annotated[
        Path | None, typer.Option("--meter-password-file", help="File with the password of the meter (URL only).")
    ] = None,
    meter_password_env: Annotated[
        str | None, typer.Option("--meter-password-env", help="Variable with the password of the meter (URL only).")
    ] = None,
) -> None:
    """Speak a meter until Ctrl-C: other programs read it as a BMC, a PDU, a plug, an analyser or a power daemon."""
    settings = resolve(meter, bench, meter_user, meter_password_file, meter_password_env)
    options: dict[str, Any] = {
        "as": protocol,
        "what": "meter",
        "port": port,
        "address": address,
        "model": model,
        "user": user,
        "password_env": password_env,
        "password_file": password_file and str(password_file),
        "certificate_file": certificate_file and str(certificate_file),
        "key_file": key_file and str(key_file),
        "url": url,
        "period_s": mqtt_period_s,
        "most_clients": most_clients,
        "unencrypted": unencrypted,
    }
    entry = _entry(options)
    asyncio.run(_speak(settings, entry))


def _entry(options: dict[str, Any]) -> Speak:
    """Check what shall be spoken, as an entry of the bench file is checked. Raises `InputError`."""
    try:
        entry = Speak.model_validate({name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        words = first_mistake(error).replace("Value error, ", "needs ").replace("Input should be ", "allowed: ")
        raise InputError(f"This cannot be spoken: {words}.", "See wattmark speak --help.") from None
    if (problem := spoken_model_problem(entry)) is not None:
        raise InputError(f"This cannot be spoken: {problem}", "`wattmark meter models` lists the models.")
    return entry


async def _speak(settings: MeterSettings, entry: Speak) -> None:
    done = asyncio.Event()
    on_termination(done.set)
    clock = SystemClock()
    meter = create_meter(settings, clock)
    await LoneSpeaker(meter, entry, Path.cwd(), _tell, clock, period_s=settings.period_s).run(done)


def _tell(news: News) -> None:
    """Print the address once it is open, and a line for each change of what is spoken."""
    if news.address is not None:
        typer.echo(news.address)
        return
    stamp = datetime.now(UTC).strftime("%H:%M:%S")
    words = news.problem if news.watts is None else f"speaks {format_number(news.watts)} W"
    console().print(f"{stamp} UTC: {words}")
