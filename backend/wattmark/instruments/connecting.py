"""Before a meter is in the bench: list the ports, scan for devices, and try a meter that is not saved."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from wattmark_drivers.clock import Clock
from wattmark_drivers.discovery.found import FoundDevice
from wattmark_drivers.discovery.hosts import parse_hosts, scan_hosts
from wattmark_drivers.discovery.modbus_ids import parse_ids, scan_modbus
from wattmark_drivers.discovery.serial_ports import find_serial_ports, serial_port_names
from wattmark_drivers.line_load import check_lines
from wattmark_drivers.meter import Meter, MeterIdentity
from wattmark_drivers.plausibility.collect import POLLS_PER_UPDATE, SHORTEST_PERIOD_S, collect
from wattmark_drivers.plausibility.judge import judge
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.settings import MeterSettings

from wattmark.bench.editing.editor import BenchEditor
from wattmark.bench.editing.plain import EntryPlace, put_entry
from wattmark.core.errors import Conflict, InputError, WattmarkError
from wattmark.instruments.connect_views import FoundListOut, FoundOut, ScanOrder, TriedChannelOut, TryOrder, TryOut
from wattmark.instruments.entries import all_settings, find_settings
from wattmark.instruments.places import disturbed, on_the_line

LONGEST_SCAN_S = 120.0
OPENING_S = 40.0
"""Longer than any driver takes to open a device or to say why not."""
NEW_METER = "new-meter"


class Connecting:
    """One scan at a time; meters that are already polled are shared or left alone."""

    def __init__(
        self,
        editor: BenchEditor,
        clock: Clock,
        busy: Callable[[], bool],
        serial_ports: Callable[[], Collection[str]] = serial_port_names,
    ) -> None:
        self._editor = editor
        self._clock = clock
        self._busy = busy
        self._serial_ports = serial_ports
        self._lock = asyncio.Lock()

    def ports(self) -> FoundListOut:
        """List the serial ports of the appliance; opens none."""
        return self._out(find_serial_ports())

    async def scan(self, order: ScanOrder) -> FoundListOut:
        """Find devices at the places of the order. Raises `InputError`, `Conflict`, `DriverError`."""
        places = [place for place in (order.modbus_tcp, order.serial, order.hosts) if place]
        if len(places) != 1:
            raise InputError("The search needs exactly one target.", "Give one of modbus_tcp, serial and hosts.")
        if order.serial is not None and order.serial not in await asyncio.to_thread(self._serial_ports):
            raise InputError(
                f"{order.serial} is not a serial port of this machine.", "List the ports with GET /api/ports."
            )
        self._require_rest()
        async with self._lock:
            try:
                async with asyncio.timeout(LONGEST_SCAN_S):
                    return self._out(await self._scan(order))
            except TimeoutError:
                raise WattmarkError("The search took too long.", "Search fewer unit ids or hosts at a time.") from None

    async def _scan(self, order: ScanOrder) -> list[FoundDevice]:
        if order.hosts is not None:
            return await scan_hosts(parse_hosts(order.hosts), timeout_s=order.timeout_s)
        ids = parse_ids(order.ids)
        if len(ids) * order.timeout_s > LONGEST_SCAN_S:
            raise InputError(
                f"Searching {len(ids)} unit ids would take too long.", "Search fewer ids, or shorten the timeout."
            )
        if order.serial is not None and (names := on_the_line(f"serial://{order.serial}", self._settings())):
            raise Conflict(f"{order.serial} is polled for the meter {names[0]}.", "Remove that meter first.")
        return await scan_modbus(_url_of(order), ids, timeout_s=order.timeout_s, clock=self._clock)

    async def attempt(self, order: TryOrder) -> TryOut:
        """Open a meter that need not be saved, read it and judge it.

        Raises `EditRefused` at the field that is wrong, `Conflict` where a meter of the bench would be disturbed, and
        `DriverError` where the device does not answer.
        """
        settings = await asyncio.to_thread(self._settings_of, order)
        self._require_rest()
        async with self._lock:
            await asyncio.to_thread(self._refuse_if_disturbing, settings)
            seen: list[MeterIdentity] = []

            def note(meter: Meter) -> None:
                seen.append(meter.identity)

            try:
                async with asyncio.timeout(OPENING_S + order.seconds):
                    recording = await collect(settings, order.seconds, clock=self._clock, on_open=note)
            except TimeoutError:
                raise WattmarkError("The meter did not answer in time.", "Check its address and its cable.") from None
        return _tried(seen[0], recording, order.seconds)

    def _settings_of(self, order: TryOrder) -> MeterSettings:
        """Check the meter as an entry of the bench; the servers that it feeds do not matter yet."""
        name = order.meter.get("id") if isinstance(order.meter, dict) else None
        name = name if isinstance(name, str) and name else NEW_METER
        entry = {"id": name, **order.meter, "feeds": []} if isinstance(order.meter, dict) else order.meter
        return find_settings(self._editor.suppose(put_entry(EntryPlace("meters", name), entry)), name)

    def _refuse_if_disturbing(self, settings: MeterSettings) -> None:
        others = self._settings()
        if (name := disturbed(settings, others)) is not None:
            remedy = f"Test {name} instead, or remove it from the bench first."
            raise Conflict(f"The meter {name} is polled over the same line, which cannot be shared.", remedy)
        shared = [meter for meter in others if meter.name in on_the_line(settings.url, others)]
        if shared:
            fastest = max(settings.period_s / POLLS_PER_UPDATE, SHORTEST_PERIOD_S)
            check_lines([*shared, replace(settings, period_s=fastest)])

    def _settings(self) -> list[MeterSettings]:
        return all_settings(self._editor.bench)

    def _require_rest(self) -> None:
        if self._busy():
            raise Conflict(
                "A campaign is running; its meters cannot be probed until it ends.", "Wait until it ends, or stop it."
            )
        if self._lock.locked():
            raise Conflict("Another search or test of a meter is in progress.", "Try again in a moment.")

    def _out(self, devices: Sequence[FoundDevice]) -> FoundListOut:
        meters = self._settings()
        return FoundListOut(
            found=[
                FoundOut(
                    where=device.where,
                    what=device.what,
                    models=list(device.models),
                    urls=list(device.urls),
                    note=device.note,
                    used_by=sorted({name for url in device.urls for name in on_the_line(url, meters)}),
                )
                for device in devices
            ]
        )


def _url_of(order: ScanOrder) -> Callable[[int], str]:
    if order.modbus_tcp is not None:
        return lambda device: f"modbus-tcp://{order.modbus_tcp}/{device}"
    return lambda device: f"modbus-rtu://{order.serial}?device={device}&baud={order.baud}&parity={order.parity}"


def _tried(identity: MeterIdentity, recording: MeterRecording, seconds: float) -> TryOut:
    return TryOut(
        model=identity.model,
        title=identity.title,
        serial=identity.serial,
        firmware=identity.firmware,
        simulated=identity.simulated,
        seconds=seconds,
        lost=recording.lost,
        channels=_channels(recording),
        verdicts=list(judge(recording)),
    )


def _channels(recording: MeterRecording) -> list[TriedChannelOut]:
    rows = []
    for channel in recording.channels:
        taken = [reading for reading in recording.readings if reading.channel == channel.id]
        good = [reading.value for reading in taken if reading.quality.usable and math.isfinite(reading.value)]
        rows.append(
            TriedChannelOut(
                channel=channel.id,
                label=channel.label or channel.id,
                quantity=channel.quantity,
                unit=channel.unit,
                value=good[-1] if good else None,
                readings=len(taken),
                good=len(good),
            )
        )
    return rows
