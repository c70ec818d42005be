"""The daemon between a meter and its clients: readings in, measurements, ranges and words out. No sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from wattmark_drivers.clock import Clock
from wattmark_drivers.speakers.ptdaemon.journal import Console, SampleLog
from wattmark_drivers.speakers.ptdaemon.pace import Observation, Pace, Trouble
from wattmark_drivers.speakers.ptdaemon.ranges import SETTLING_S, Input, RangeControl, RangeRefused
from wattmark_drivers.speakers.ptdaemon.samples import (
    LIMIT,
    POWER_COLUMNS,
    READ_ERROR,
    Group,
    Measurement,
    Sample,
    add_up,
)
from wattmark_drivers.speakers.ptdaemon.words import (
    NO_MARK,
    NOT_A_RESULT,
    DaemonIdentity,
    clean,
    completed,
    identify_reply,
    log_line,
)

Judge = Callable[[int, Group], float | None]
"""Computes the limit of error of the power of a channel (from 0) [fraction of reading]; None where it is not known."""
LONGEST_MARK = 200
SHORTEST_MS, LONGEST_MS = 50, 3_600_000
MOST_RAMP = 100_000


def _unknown(_channel: int, _values: Group) -> None:
    return None


def _fetch_error(changing: asyncio.Future[float | None]) -> None:
    """Take note of an error that nobody waits for any more."""
    if not changing.cancelled():
        changing.exception()


class PowerDaemon:
    """One device and its one measurement, whoever asks."""

    def __init__(
        self,
        identity: DaemonIdentity,
        ranges: RangeControl,
        clock: Clock,
        console: Console,
        *,
        update_s: float = 1.0,
        columns: tuple[str, ...] = POWER_COLUMNS,
        judge: Judge | None = None,
        log: SampleLog | None = None,
        note: str = "",
    ) -> None:
        self.columns = columns
        self.console = console
        self.ranges = ranges
        self.judge = judge or _unknown
        self.measurement: Measurement | None = None
        self.standing: Trouble | None = None
        """Why no values come at present; samples that do not come are then errors, and not missed."""
        self._device = identity
        self._update_s = update_s
        self._clock = clock
        self._log = log
        self._note = note
        self._pace: Pace | None = None
        self._watching: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._latest: Sample | None = None
        self._setting = asyncio.Lock()

    @property
    def identity(self) -> DaemonIdentity:
        """Describe the device behind it."""
        return self._device

    @property
    def channels(self) -> int:
        """Count the channels, the sum excluded."""
        return self._device.channels

    @property
    def groups(self) -> int:
        """Count the groups of a sample: with several channels their sum is one more."""
        return self.channels + 1 if self.channels > 1 else 1

    @property
    def measuring(self) -> bool:
        """Return whether a measurement runs."""
        return self.measurement is not None and self.measurement.running

    @property
    def latest(self) -> Sample | None:
        """Return the newest sample of the measurement that runs; None before it."""
        return self._latest if self.measuring else None

    def describe(self, identity: DaemonIdentity, update_s: float) -> None:
        """Take over who answers now, and how often it updates [s]: a meter tells both when it was opened."""
        self._device = replace(identity, channels=self.channels)
        self._update_s = update_s

    def announce(self) -> None:
        """Write at the start what a reader of the console must know."""
        driver = self._device.driver
        for line in (f"wattmark power daemon {self._device.version}", self._note, NOT_A_RESULT):
            if line:
                self.console.raw(line)
        self._remark(f"# {NOT_A_RESULT} {self._note} {identify_reply(self._device)}")
        if self._device.tells_uncertainty:
            self.console.say(f"Uncertainty checking for {driver} is activated")
        self.console.say(f"Connected to {driver} successfully")

    def take(self, observation: Observation) -> None:
        """Take a reading of the meter."""
        if self._pace is None:
            return
        now_ns = self._clock.monotonic_ns()
        age_ns = max(0, self._clock.utc_ns() - observation.t_ns)
        self._record(self._pace.take(now_ns - age_ns, observation))

    def go(self, interval_ms: int, ramp: int, mark: str) -> Measurement:
        """Begin a measurement; the one before is cleared. 0 ms is the interval of the device, the shortest it has."""
        if self.measuring:
            self.stop()
            self.complete()
        own_ms = max(1, round(self._update_s * 1000))
        interval_ms = max(interval_ms, own_ms)
        named = clean(mark)[:LONGEST_MARK] or NO_MARK
        self.console.say(f"Go with mark '{named}'")
        self._latest = None
        self.measurement = Measurement(interval_ms, ramp, named, self.columns, self.groups)
        self._pace = Pace(
            self._clock.monotonic_ns(),
            interval_ms * 1_000_000,
            own_ms * 1_000_000,
            channels=self.channels,
            columns=len(self.columns),
        )
        self._watching = asyncio.create_task(self._watch(self._pace))
        return self.measurement

    def mark(self, text: str) -> str:
        """Change the mark of the samples that follow; return it as it is written."""
        named = clean(text)[:LONGEST_MARK] or NO_MARK
        if self.measurement is not None:
            self.measurement.mark = named
        return named

    def stop(self) -> bool:
        """End the measurement; return whether there was one. Its samples can be read until the next `Go`."""
        if not self.measuring or self.measurement is None:
            return False
        self.measurement.running = False
        self._pace = None
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        self._wake()
        return True

    def complete(self) -> None:
        """Write the end of a measurement to the console."""
        if self.measurement is not None:
            self.console.say("Completed test")
            self.console.say(completed(self.measurement.first_column[0]))

    def reset(self) -> None:
        """End and forget the measurement."""
        if self.stop():
            self.complete()
        self.measurement = None

    async def choose_range(self, which: Input, least: float | None, channel: int | None) -> None:
        """Set a range, one change at a time. Raises `RangeRefused`."""
        # Shielded: a dialogue with the device that is cut off half way would leave an answer under way.
        changing = asyncio.ensure_future(self._change(which, least, channel))
        changing.add_done_callback(_fetch_error)
        try:
            async with asyncio.timeout(SETTLING_S):
                nominal = await asyncio.shield(changing)
        except TimeoutError:
            raise RangeRefused(f"the device did not change its range within {SETTLING_S:g} s") from None
        if nominal is None:
            self.console.say(f"{'Volt' if which == 'V' else 'Ampere'} range set to Auto")
        else:
            self.console.say(f"{'Volt' if which == 'V' else 'Amp'} range set to {nominal:.6f}{which}")

    async def _change(self, which: Input, least: float | None, channel: int | None) -> float | None:
        async with self._setting:
            return await self.ranges.choose(which, least, channel)

    async def next_sample(self) -> None:
        """Wait for the next sample, for one interval and the patience for a late one at most."""
        if self.measurement is None:
            return
        news = self._news
        try:
            async with asyncio.timeout(2 * self.measurement.interval_ms / 1000):
                await news.wait()
        except TimeoutError:
            return

    def close(self) -> None:
        """End the measurement and close the log."""
        if self.stop():
            self.complete()
        if self._log is not None:
            self._log.close()
            self._log = None

    async def _watch(self, pace: Pace) -> None:
        """Count as missed what does not come."""
        while True:
            await self._clock.sleep((pace.late_ns - self._clock.monotonic_ns()) / 1e9 + 0.001)
            self._record(pace.missed(self._clock.monotonic_ns(), self._clock.utc_ns()))

    def _record(self, samples: Sequence[Sample]) -> None:
        judged = [self._with_reason(sample) for sample in samples]
        missed = sum(sample.outcome == "missed" for sample in judged)
        for sample in judged:
            if self.measurement is None or not self.measurement.running:
                return
            whole = replace(sample, groups=(add_up(sample.groups), *sample.groups)) if self.channels > 1 else sample
            uncertainty = self._uncertainty(whole)
            self.measurement.add(whole, uncertainty)
            self._latest = whole
            self._remark(log_line(whole, self.columns, self.measurement.mark))
            if whole.outcome == "good":
                self._say_uncertainty(uncertainty)
            else:
                self._say_trouble(whole)
            if self.measurement.full:
                self.stop()
                self.complete()
        if missed:
            self.console.say(f"WARNING: Missed {missed} samples")
        if samples:
            self._wake()

    def _with_reason(self, sample: Sample) -> Sample:
        if sample.outcome != "missed" or self.standing is None:
            return sample
        failed = ((READ_ERROR,) * len(self.columns),) * self.channels
        return Sample(sample.t_ns, failed, self.standing)

    def _uncertainty(self, sample: Sample) -> list[float | None]:
        """Judge the power of each channel; that of the sum is the sum of all, as limits of error are."""
        ranges = self.ranges.in_use()
        channels = sample.groups[1:] if self.channels > 1 else sample.groups
        judged = [
            None if number < len(ranges) and ranges[number].automatic else self.judge(number, values)
            for number, values in enumerate(channels)
        ]
        if self.channels == 1:
            return judged
        parts = [None if one is None else one * values[0] for one, values in zip(judged, channels, strict=True)]
        total_w = sample.groups[0][0]
        known = [part for part in parts if part is not None]
        whole = sum(known) / total_w if len(known) == len(parts) and total_w > 0 else None
        return [whole, *judged]

    def _say_uncertainty(self, uncertainty: Sequence[float | None]) -> None:
        if not self._device.tells_uncertainty:
            return
        channels = uncertainty[1:] if self.channels > 1 else uncertainty
        for number, fraction in enumerate(channels):
            if fraction is None:
                self.console.say("ERROR: Can't evaluate uncertainty of this sample!")
                shown = number + 1 if self.channels > 1 else 0
                self.console.say(f"WARNING: Uncertainty unknown for the last measurement sample! channel {shown}")
            elif fraction > LIMIT:
                self.console.say(
                    f"WARNING: Uncertainty {100 * fraction:.2f}%, which is above {100 * LIMIT:.2f}% limit "
                    "for the last sample!"
                )

    def _say_trouble(self, sample: Sample) -> None:
        if sample.outcome == "over-range":
            amps = self.ranges.in_use()[0].amps.nominal
            shown = "in use" if amps is None else f"{amps:.6f}A"
            self.console.say(f"ERROR: Current exceeds peak value allowed for range {shown}")
        elif sample.outcome == "error":
            self.console.say(f"ERROR: Bad {self.columns[0].lower()} reading nan from {self._device.driver}")

    def _remark(self, line: str) -> None:
        if self._log is None:
            return
        try:
            self._log.write(line)
        except OSError as error:
            self.console.say(f"ERROR: The log cannot be written: {error.strerror}; it ends here.")
            self._log.close()
            self._log = None

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()
