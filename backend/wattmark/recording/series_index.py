"""Which series a reading belongs to: found once, then by what the reading says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from wattmark_drivers.meter import Meter, MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Reading

from wattmark.recording.open_run import OpenRun
from wattmark.store.sample_store import SeriesKey

Shape = tuple[str, str, Kind, str | None]
"""Channel, unit, kind and range of a reading; with its source and run they make its series."""


class SeriesIndex:
    """Numbers series in memory, so that a sample on its way to the store carries four bytes of identity."""

    def __init__(self) -> None:
        self._next = count()
        self._keys: dict[int, SeriesKey] = {}
        self._numbers: dict[SeriesKey, int] = {}
        self._shapes: dict[str, dict[str, dict[Shape, int]]] = {}

    def numbers(self, run: OpenRun, meter: Meter, readings: Sequence[Reading]) -> list[int]:
        """Find the series of each reading of a meter, entering those that are new."""
        try:
            numbers = self._shapes[meter.identity.name][run.run_id]
            return [numbers[reading.channel, reading.unit, reading.kind, reading.range] for reading in readings]
        except KeyError:
            self._enter(run, meter, readings)
            return self.numbers(run, meter, readings)

    def key(self, number: int) -> SeriesKey:
        """Return the identity of a series."""
        return self._keys[number]

    def of_run(self, run_id: str) -> set[int]:
        return {number for number, key in self._keys.items() if key.run_id == run_id}

    def look_again(self, name: str) -> None:
        """Note that a source was opened: its channels may be described otherwise now."""
        self._shapes.pop(name, None)

    def forget(self, run_id: str) -> None:
        """Take out the series of a run."""
        for by_run in self._shapes.values():
            by_run.pop(run_id, None)
        for number in self.of_run(run_id):
            del self._numbers[self._keys.pop(number)]

    def _enter(self, run: OpenRun, meter: Meter, readings: Sequence[Reading]) -> None:
        numbers = self._shapes.setdefault(meter.identity.name, {}).setdefault(run.run_id, {})
        channels = {channel.id: channel for channel in meter.channels}
        for reading in readings:
            key = _key(run, meter.identity, channels.get(reading.channel), reading)
            numbers[reading.channel, reading.unit, reading.kind, reading.range] = self._number(key)

    def _number(self, key: SeriesKey) -> int:
        if key not in self._numbers:
            number = self._numbers[key] = next(self._next)
            self._keys[number] = key
        return self._numbers[key]


def _key(run: OpenRun, source: MeterIdentity, channel: Channel | None, reading: Reading) -> SeriesKey:
    return SeriesKey(
        run_id=run.run_id,
        server=run.server,
        source=source.name,
        channel=reading.channel,
        quantity=channel.quantity if channel else reading.channel,
        unit=reading.unit,
        kind=reading.kind.value,
        range=reading.range or "",
        label=channel.label if channel else "",
        simulated=source.simulated,
    )
