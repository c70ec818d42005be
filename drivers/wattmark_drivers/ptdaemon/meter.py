"""The analyser behind a power daemon: begins a measurement of its own, or watches the one that runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.ptdaemon_map import PtdaemonMap
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.identity import identify
from wattmark_drivers.meter import Accuracy, MeterIdentity
from wattmark_drivers.ptdaemon.address import DaemonAddress
from wattmark_drivers.ptdaemon.clocks import ClockDifference
from wattmark_drivers.ptdaemon.dialogue import DaemonDialogue
from wattmark_drivers.ptdaemon.replies import (
    HELLO,
    LAST,
    NO_DATA,
    NONE_UNREAD,
    STARTED,
    DaemonReport,
    DaemonSample,
    RangeReport,
    parse_count,
    parse_latest,
    parse_ranges,
    parse_report,
    parse_sample,
    parse_uncertainty,
)
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.settings import MeterSettings

LOG = logging.getLogger(__name__)
_Understood = TypeVar("_Understood")
MEASUREMENTS = ("share", "watch", "take")
"""Watch a measurement that runs already and begin one otherwise; only ever watch; begin one whatever runs."""
DEFAULT_MARK = "wattmark"
LEAST_MS = 50
SETTLING_S = 30.0
"""Longest time that the daemon may take to change a range: 5 s were seen."""
RESTORE_S = 1.8
"""Longest time for ending the measurement, and for putting ranges back [s]; the sampler gives both two seconds."""
BETWEEN_S = 0.05
"""Pause after a reply without samples [s]."""
WATCHED_S = 2.2
"""A measurement that gets no sample for so long does not run; daemons sample once a second or faster."""
SILENT_INTERVALS = 5
LONGEST_INTERVALS = 2
"""Intervals that a daemon may wait for a sample before it answers."""
REFRESHED = 60
"""Samples between two looks at ranges and uncertainty."""
AT_ONCE = 500
"""Lines that are read without a pause."""
MOST_PCT = 20.0
"""A larger limit of error is none [% of reading]."""


class PtdaemonMeter:
    """Reads every sample of its measurement; of a measurement of others, what the daemon shows at each poll."""

    pushes = True

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: PtdaemonMap,
        address: DaemonAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._declaration = declaration
        self._table = table
        self._address = address
        self._clock = clock
        self._wanted = _measurement(settings)
        self._timeout_s = timeout_s
        self._dialogue = DaemonDialogue(address, clock, timeout_s)
        self._open = False
        self._identity = identify(settings, declaration)
        self._interval_s = max(settings.period_s, LEAST_MS / 1000)
        self._began = False
        """Whether the measurement that runs is ours; it stays ours while the connection is away."""
        self._watched: int | None = None
        """Samples of the watched measurement of others so far; None while we have one of our own."""
        self._samples = 0
        self._ready: deque[list[Reading]] = deque()
        self._difference = ClockDifference()
        self._told_ns = 0
        self._ranges = RangeReport(None, None)
        self._group = 0
        self._newest_ns: int | None = None
        """Stamp of the newest sample that was read, by the daemon's clock [ns]."""
        self._resumed = False
        self._owed: list[str] = []
        """Commands that put back the ranges that were found."""

    @property
    def identity(self) -> MeterIdentity:
        """Describe the analyser; complete after `open`, its limit of error after the first samples."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the columns of a sample."""
        return [
            Channel(item.channel, item.quantity, item.unit, self._declaration.kind_of(item), item.label)
            for item in self._table.columns
        ]

    async def open(self) -> None:
        """Connect, identify, set the configured ranges, and begin or find a measurement. Raises a `DriverError`.

        A measurement that we began before the connection broke is continued: what was sampled meanwhile is read too.
        """
        await self._disconnect()
        await self._dialogue.open()
        try:
            await self._greet()
            self._open = True
        except BaseException:
            if not self._began:
                await self._put_back()
            await self._disconnect()
            raise

    async def read(self) -> list[Reading]:
        """Wait for the next sample. Raises `ConnectionFailed` when the daemon is gone or samples no longer."""
        if not self._open:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        silent_s = SILENT_INTERVALS * self._interval_s
        deadline_ns = self._clock.monotonic_ns() + int(silent_s * 1e9)
        while not self._ready:
            await (self._fetch() if self._watched is None else self._watch())
            if not self._ready and self._clock.monotonic_ns() > deadline_ns:
                self._began = False
                raise ConnectionFailed(
                    f"{self._address.label.capitalize()} has had no sample for {silent_s:g} s.",
                    "Check the analyser behind it; wattmark begins a new measurement.",
                )
        readings = self._ready.popleft()
        if self._samples % REFRESHED == 0:
            # A connection that breaks here costs no sample: the next one finds out.
            with contextlib.suppress(BadReply, ConnectionFailed):
                await self._refresh()
        self._samples += 1
        return readings

    async def close(self) -> None:
        """End our measurement and put back the ranges that we changed. Never raises."""
        if self._open and self._began:
            with contextlib.suppress(DriverError):
                await self._dialogue.ask("Stop", RESTORE_S)
                self._began = False
            await self._put_back()
        await self._disconnect()

    async def _put_back(self) -> None:
        """Put back the ranges that we changed, as far as the daemon does it in time. Never raises."""
        with contextlib.suppress(DriverError, TimeoutError):
            async with asyncio.timeout(RESTORE_S):
                while self._owed:
                    await self._dialogue.ask(self._owed[-1])
                    self._owed.pop()

    async def _disconnect(self) -> None:
        self._open = False
        await self._dialogue.close()

    async def _greet(self) -> None:
        hello = await self._dialogue.ask("Hello")
        if hello != HELLO:
            raise ConfigurationError(
                f"{self._address.label.capitalize()} answered {hello[:60]!r} to Hello.",
                "Check host and port: it is not a power daemon.",
            )
        report = self._understood(parse_report, await self._dialogue.ask("Identify"))
        self._group = self._address.channel or 0
        if self._group > report.channels:
            raise ConfigurationError(
                f"{self._address.label.capitalize()} has no channel {self._group}; it has {report.channels}.",
                "Correct the channel in the address.",
            )
        if report.channels == 1:
            self._group = 0
        runs = await self._runs()
        ours = self._began and runs
        self._began = ours
        if not ours:
            self._ready.clear()
            self._newest_ns = None
        self._resumed = ours
        if runs and not ours and self._wanted != "take":
            await self._begin_to_watch()
        elif self._wanted == "watch":
            raise ConnectionFailed(
                f"No measurement runs at {self._address.label}.", "wattmark waits for one, as the meter's option says."
            )
        else:
            await self._set_ranges()
            if not ours:
                await self._go()
            self._began, self._watched = True, None
        self._ranges = await self._read_ranges()
        self._describe(report)

    async def _runs(self) -> bool:
        """Find out whether a measurement is running: its count of samples grows."""
        if await self._dialogue.ask("R*") == NO_DATA:
            return False
        before = await self._count()
        deadline_ns = self._clock.monotonic_ns() + int(WATCHED_S * 1e9)
        while self._clock.monotonic_ns() < deadline_ns:
            if await self._count() > before:
                return True
            await self._clock.sleep(2 * BETWEEN_S)
        return False

    async def _begin_to_watch(self) -> None:
        if self._settings.range is not None:
            raise ConfigurationError(
                f"Meter {self._settings.name}: somebody else measures with {self._address.label}, so its range stays.",
                "Omit the range, or set `measurement: take`, which clears the samples of the other one.",
            )
        LOG.info("Meter %s watches a measurement of somebody else at %s.", self._settings.name, self._address.label)
        self._watched = await self._count()

    async def _go(self) -> None:
        mark = str(self._settings.options.get("mark", DEFAULT_MARK))
        reply = await self._dialogue.ask(f"Go,{round(self._interval_s * 1000)},0,{mark}")
        match = STARTED.fullmatch(reply)
        if match is None:
            raise ConfigurationError(
                f"{self._address.label.capitalize()} answered {reply[:60]!r} to Go.",
                "Choose a period that the analyser has, such as 1 s.",
            )
        self._interval_s = int(match[1]) / 1000
        self._difference = ClockDifference()

    async def _set_ranges(self) -> None:
        wanted = self._declaration.range(self._settings.range) if self._settings.range is not None else None
        if wanted is None or wanted.voltage_v is None or wanted.current_a is None:
            return
        channel = f",{self._group}" if self._group else ""
        found = await self._read_ranges()
        if not self._owed and (found.volts, found.amps) != (wanted.voltage_v, wanted.current_a):
            self._owed = [
                f"SR,{letter},{'Auto' if nominal is None else f'{nominal:g}'}{channel}"
                for letter, nominal in (("V", found.volts), ("A", found.amps))
            ]
        for letter, nominal in (("V", wanted.voltage_v), ("A", wanted.current_a)):
            reply = await self._dialogue.ask(f"SR,{letter},{nominal:g}{channel}", SETTLING_S)
            if reply != f"Range {letter} changed":
                raise ConfigurationError(
                    f"{self._address.label.capitalize()} refused the range {nominal:g} {letter}: {reply[:80]!r}.",
                    "Choose a range that the analyser has.",
                )
        in_use = await self._read_ranges()
        if (in_use.volts, in_use.amps) != (wanted.voltage_v, wanted.current_a):
            raise ConfigurationError(
                f"{self._address.label.capitalize()} chose {in_use.name or 'no fixed range'} for {wanted.id}.",
                "Enter a range that the analyser has.",
            )

    async def _read_ranges(self) -> RangeReport:
        command = f"RR,{self._group}" if self._group else "RR"
        return self._understood(parse_ranges, await self._dialogue.ask(command))

    async def _count(self) -> int:
        return self._understood(parse_count, await self._dialogue.ask("Watts"))

    async def _fetch(self) -> None:
        """Read what was sampled; a daemon may answer at once that there is nothing, or wait for the next sample."""
        patience_s = LONGEST_INTERVALS * self._interval_s + self._timeout_s
        command = "RL,*,*" if self._group else "RL"
        first, lines = await self._dialogue.ask_samples(command, patience_s)
        arrived_ns = self._dialogue.received_ns
        if not lines:
            if not LAST.fullmatch(first) and not any(words in first.lower() for words in NONE_UNREAD):
                await self._disconnect()
                raise ConnectionFailed(
                    f"{self._address.label.capitalize()} answered {first[:60]!r} to {command}.",
                    "wattmark connects again.",
                )
            await self._clock.sleep(BETWEEN_S)
            return
        samples = self._not_read_before(await self._parsed(lines))
        if not samples:
            return
        self._newest_ns = samples[-1].t_ns
        if not samples[-1].missed:
            self._difference.note(samples[-1].t_ns, arrived_ns)
            self._tell_difference()
        offset_ns, u_ns = self._difference.offset_ns, self._difference.u_ns
        for sample in samples:
            self._ready.append(self._readings(sample.values, sample.t_ns + offset_ns, u_ns, sample.t_ns))

    async def _parsed(self, lines: Sequence[str]) -> list[DaemonSample]:
        """Read sample lines; of half a million, after a long absence, other meters are read in between."""
        samples: list[DaemonSample] = []
        for number, line in enumerate(lines, 1):
            samples.append(self._understood(lambda text: parse_sample(text, self._group), line))
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
        return samples

    def _not_read_before(self, samples: list[DaemonSample]) -> list[DaemonSample]:
        """Drop what was read before the connection broke: to some daemons nothing is read yet over a new one."""
        if not self._resumed:
            return samples
        self._resumed = False
        places = [place for place, sample in enumerate(samples) if sample.t_ns == self._newest_ns]
        return samples[places[-1] + 1 :] if places else samples

    async def _watch(self) -> None:
        """Read the newest values once the watched measurement has a new sample."""
        count = await self._count()
        if self._watched is not None and count < self._watched:
            self._watched = count
        if count == self._watched:
            await self._clock.sleep(BETWEEN_S)
            return
        self._watched = count
        reply = await self._dialogue.ask("R*")
        if reply != NO_DATA:
            at_ns = self._dialogue.received_ns
            u_ns = int(2 * BETWEEN_S * 1e9)
            self._ready.append(self._readings(self._understood(parse_latest, reply), at_ns, u_ns, None))

    async def _refresh(self) -> None:
        """Look at the ranges and the limit of error that hold now."""
        self._ranges = await self._read_ranges()
        command = "Uncertainty,*" if self._group else "Uncertainty"
        reply = await self._dialogue.ask(command)
        accuracy = None
        with contextlib.suppress(ValueError):
            told = parse_uncertainty(reply, self._group)
            pct = 100 * told.largest
            if told.valid and not told.unknown and math.isfinite(pct) and 0 < pct <= MOST_PCT:
                source = f"The daemon itself, as of {self._declaration.cite(self._table.uncertainty)}"
                accuracy = Accuracy(pct, 0.0, 0.0, None, source)
        self._identity = replace(self._identity, power_accuracy=accuracy, range_w=self._range_w)

    @property
    def _range_w(self) -> float | None:
        of = self._ranges
        return None if of.volts is None or of.amps is None else of.volts * of.amps

    def _describe(self, report: DaemonReport) -> None:
        settings = replace(self._settings, range=None)
        firmware = " ".join(
            part for part in (report.firmware, f"behind {report.driver} {report.version}") if part is not None
        )
        identity = identify(settings, self._declaration, report.serial, firmware, update_period_s=self._interval_s)
        title = " ".join(part for part in (report.maker, report.model) if part)
        self._identity = replace(
            identity, title=f"{title} behind a power daemon" if title else identity.title, range_w=self._range_w
        )

    def _readings(self, values: Mapping[str, float], t_ns: int, u_ns: int, device_time_ns: int | None) -> list[Reading]:
        return [
            Reading(
                channel=item.channel,
                value=values.get(item.column, math.nan),
                unit=item.unit,
                t_ns=t_ns,
                u_t_ns=u_ns,
                kind=self._declaration.kind_of(item),
                range=self._ranges.name,
                quality=_quality(values.get(item.column, math.nan), item.limits),
                device_time_ns=device_time_ns,
            )
            for item in self._table.columns
        ]

    def _tell_difference(self) -> None:
        """Log once how far the daemon's clock is away, and again when that changes."""
        offset_ns = self._difference.offset_ns
        if abs(offset_ns - self._told_ns) > 1_000_000_000:
            self._told_ns = offset_ns
            LOG.warning(
                "Meter %s: the daemon's clock differs by %.1f s; its stamps are moved by that.",
                self._settings.name,
                -offset_ns / 1e9,
            )

    def _understood(self, parse: Callable[[str], _Understood], reply: str) -> _Understood:
        """Read a reply; a daemon that says something else is asked anew over another connection."""
        try:
            return parse(reply)
        except ValueError as error:
            raise ConnectionFailed(
                f"{self._address.label.capitalize()} answered {error}.", "wattmark connects again."
            ) from None


def _quality(value: float, limits: tuple[float, float] | None) -> Quality:
    if math.isnan(value):
        return Quality.INVALID
    low, high = limits or (-math.inf, math.inf)
    return Quality.GOOD if low <= value <= high else Quality.IMPLAUSIBLE


def _measurement(settings: MeterSettings) -> str:
    wanted = str(settings.options.get("measurement", MEASUREMENTS[0]))
    if wanted not in MEASUREMENTS:
        raise ConfigurationError(
            f"Meter {settings.name}: measurement is {wanted[:40]}.", f"Write one of {', '.join(MEASUREMENTS)}."
        )
    return wanted
