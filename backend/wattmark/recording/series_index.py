"""The series of a reading: looked up once, then found by the reading's own identity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from wattmark_drivers.meter import Meter, MeterIdentity
from wattmark_drivers.reading import Channel, Kind

from wattmark.recording.open_run import OpenRun
from wattmark.store.sample_store import SeriesKey

Place = tuple[str, str, Kind, str | None]
"""Channel, unit, kind and range of a reading; with its source and run they make its series."""
Shape = tuple[tuple[Any, ...], ...]
"""Channels, units, kinds and ranges of the readings of one poll."""


@dataclass(slots=True)
class _Known:
    """The series of one source in one run, and those of its latest poll, for the next one mostly has the same."""

    numbers: dict[Place, int]
    shape: Shape
    latest: list[int]


class SeriesIndex:
    """Numbers series in memory, so that a sample on its way to the store carries four bytes of identity."""

    def __init__(self) -> None:
        self._next = count()
        self._keys: dict[int, SeriesKey] = {}
        self._numbers: dict[SeriesKey, int] = {}
        self._known: dict[str, dict[str, _Known]] = {}

    def numbers(self, run: OpenRun, meter: Meter, shape: Shape) -> list[int]:
        """Find the series of each reading of a poll of a meter, entering those that are new."""
        by_run = self._known.setdefault(meter.identity.name, {})
        known = by_run.get(run.run_id)
        if known is None:
            known = by_run[run.run_id] = _Known({}, (), [])
        if shape != known.shape:
            places: list[Place] = list(zip(*shape, strict=True))
            if not known.numbers.keys() >= set(places):
                self._enter(run, meter, known.numbers, places)
            known.shape, known.latest = shape, [known.numbers[place] for place in places]
        return known.latest

    def key(self, number: int) -> SeriesKey:
        """Return the identity of a series."""
        return self._keys[number]

    def of_run(self, run_id: str) -> set[int]:
        return {number for number, key in self._keys.items() if key.run_id == run_id}

    def look_again(self, name: str) -> None:
        """Note that a source was opened: its channels may be described otherwise now."""
        self._known.pop(name, None)

    def forget(self, run_id: str) -> None:
        """Take out the series of a run."""
        for by_run in self._known.values():
            by_run.pop(run_id, None)
        for number in self.of_run(run_id):
            del self._numbers[self._keys.pop(number)]

    def _enter(self, run: OpenRun, meter: Meter, numbers: dict[Place, int], places: Sequence[Place]) -> None:
        channels = {channel.id: channel for channel in meter.channels}
        for place in places:
            numbers[place] = self._number(_key(run, meter.identity, channels.get(place[0]), place))

    def _number(self, key: SeriesKey) -> int:
        if key not in self._numbers:
            number = self._numbers[key] = next(self._next)
            self._keys[number] = key
        return self._numbers[key]


def _key(run: OpenRun, source: MeterIdentity, described: Channel | None, place: Place) -> SeriesKey:
    channel, unit, kind, range_ = place
    return SeriesKey(
        run_id=run.run_id,
        server=run.server,
        source=source.name,
        channel=channel,
        quantity=described.quantity if described else channel,
        unit=unit,
        kind=kind.value,
        range=range_ or "",
        label=described.label if described else "",
        simulated=source.simulated,
    )
