"""`wattmark ptd`: a meter as a power daemon, with the command line that harnesses start SPEC's PTDaemon with."""

from __future__ import annotations

import asyncio
import math
import platform
import sys
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.factory import create_meter
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.face import Doorway
from wattmark_drivers.speakers.loopback import LOOPBACK
from wattmark_drivers.speakers.ptdaemon.daemon import Judge
from wattmark_drivers.speakers.ptdaemon.journal import SampleLog, StandardOutput
from wattmark_drivers.speakers.ptdaemon.live import DaemonOptions, LiveDaemon, Profile
from wattmark_drivers.speakers.ptdaemon.ranges import ChannelRanges, FixedRanges, InputRange
from wattmark_drivers.speakers.ptdaemon.samples import Group
from wattmark_drivers.speakers.ptdaemon.version import daemon_version
from wattmark_drivers.speakers.ptdaemon.words import NO_CALIBRATION

from wattmark.cli.calibration.certificate_register import read_file
from wattmark.cli.console.signals import on_termination
from wattmark.cli.meter.ptd_device import NO_THERMOMETER, Interface, device_settings
from wattmark.cli.meter.target import with_period
from wattmark.core.errors import InputError
from wattmark.core.version import version
from wattmark.instruments.reading_limit import LimitOfReading, limit_of_readings
from wattmark.traceability.certificates.reading import read_certificate

DEFAULT_PORT = 8888
NO_EXTENDED_LOG = "The extended log (-e) has no more than the log (-l)."


def ptd(
    words: Annotated[
        list[str], typer.Argument(metavar="TYPE DEVICE", help="Type number or model, and port or address of the meter.")
    ],
    log: Annotated[Path | None, typer.Option("-l", metavar="LOG", help="Append each sample to this file.")] = None,
    port: Annotated[int, typer.Option("-p", min=1, max=65535, help="Port.")] = DEFAULT_PORT,
    _board: Annotated[str | None, typer.Option("-b", metavar="BOARD", help="GPIB board; not used.")] = None,
    channel: Annotated[
        str | None,
        typer.Option(
            "-c", metavar="CHANNEL", help="A channel; or the first one and how many: 1,2; of type 48 how many."
        ),
    ] = None,
    direct_current: Annotated[bool, typer.Option("-D", help="Measure direct current.")] = False,
    network: Annotated[bool, typer.Option("-n", help="The device is on the network.")] = False,
    gpib: Annotated[bool, typer.Option("-g", help="The device is behind GPIB: give its address.")] = False,
    usb: Annotated[bool, typer.Option("-y", "-U", help="The device is on USB: give its address.")] = False,
    extended: Annotated[bool, typer.Option("-e", help="Extended log: as the log.")] = False,
    climate: Annotated[bool, typer.Option("-t", help="A thermometer; refused, as none is read.")] = False,
    address: Annotated[str, typer.Option("--address", help="Listen at this address.")] = LOOPBACK,
    period_s: Annotated[
        float | None, typer.Option("--period", min=0.05, max=3600, help="Seconds per poll of a meter that is polled.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", help="The meter's certificate (JSON, CSV, PTB DCC), for the uncertainty."),
    ] = None,
    compatibility: Annotated[
        str | None,
        typer.Option(
            "--compatibility",
            metavar="DRIVER,VERSION",
            help="State another driver's name and version, for tests of programs that accept no other.",
        ),
    ] = None,
) -> None:
    """Serve a meter in the words of SPEC's PTDaemon until SIGTERM; what it measures is no result for SPEC or MLPerf."""
    places = [word for word in words if not word.startswith("-")]
    if len(places) < 2:
        raise InputError("TYPE and DEVICE are needed.", "Write: wattmark ptd -l LOG -p PORT TYPE DEVICE.")
    if climate:
        raise InputError(f"-t: {NO_THERMOMETER}.", "Omit -t, or start no daemon for the temperature.")
    interface = Interface(gpib=gpib, network=network, usb=usb, direct_current=direct_current)
    device = device_settings(places[-2], places[-1], interface, channel)
    settings = with_period(device.settings, period_s)
    calibration = None if certificate is None else read_certificate(read_file(certificate), certificate.name)
    options = DaemonOptions(
        version=daemon_version(version()),
        system=f"{platform.system()} {platform.release()}",
        door=Doorway(address=address),
        port=port,
        phases=device.phases,
        with_sum=device.with_sum,
        profile=_profile(compatibility),
        period_s=settings.period_s,
        judge=lambda meter: _judge(limit_of_readings(meter, settings, max(1, len(device.phases)), calibration)),
        calibrated=NO_CALIBRATION if calibration is None else f"{calibration.calibrated_on:%m-%d-%Y}",
        certified=calibration is not None,
        note=NO_EXTENDED_LOG if extended else "",
    )
    with StandardOutput(sys.stdout) as output:
        asyncio.run(_serve(settings, options, output, log))


async def _serve(settings: MeterSettings, options: DaemonOptions, output: StandardOutput, log: Path | None) -> None:
    end = asyncio.Event()
    on_termination(end.set)
    file = None if log is None else SampleLog(log)
    declared = _declared_ranges(settings, max(1, len(options.phases)))
    live = LiveDaemon(create_meter(settings), options, declared, SystemClock(), output.write, file)
    await live.run(end)


def _declared_ranges(settings: MeterSettings, channels: int) -> FixedRanges:
    """Describe the one range of a meter whose driver sets none."""
    model = find_model(settings.model)
    measuring = model.range(settings.range)
    if measuring is None:
        return FixedRanges(None, channels, model.id)
    amps, volts = (
        InputRange(None if nominal is None else False, nominal)
        for nominal in (measuring.current_a, measuring.voltage_v)
    )
    limits = [item.limits for item in model.protocol.measured if item.quantity == "voltage"]
    most_v = max((high for _, high in filter(None, limits)), default=None)
    return FixedRanges(ChannelRanges(amps, volts), channels, model.id, most_v=most_v)


def _judge(limit: LimitOfReading) -> Judge:
    def judge(_channel: int, values: Group) -> float | None:
        power_w, volts, amps, factor = (value if math.isfinite(value) else None for value in values)
        return None if power_w is None else limit(power_w, volts, amps, factor)

    return judge


def _profile(text: str | None) -> Profile | None:
    """Read `--compatibility DRIVER,VERSION`. Raises `InputError`."""
    if text is None:
        return None
    driver, _, stated = text.partition(",")
    if not driver or not stated or "," in stated:
        raise InputError("--compatibility needs a driver and a version.", "Write DRIVER,VERSION-CRC-DATE.")
    return Profile(driver, stated)


def main() -> None:
    """Run `wattmark ptd` under a name of its own, with the same arguments and exit codes."""
    from wattmark.cli.main import main as run

    sys.argv.insert(1, "ptd")
    run()
