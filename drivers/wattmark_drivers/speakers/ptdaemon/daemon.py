"""The daemon between a meter and its clients: readings in, measurements, ranges and words out. No sockets."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from wattmark_drivers.clock import Clock
from wattmark_drivers.speakers.ptdaemon.journal import Console, SampleLog
from wattmark_drivers.speakers.ptdaemon.ranges import SETTLING_S, Input, RangeControl, RangeRefused
from wattmark_drivers.speakers.ptdaemon.sample_grid import FAILED, Observation, SampleGrid, Trouble
from wattmark_drivers.speakers.ptdaemon.samples import COLUMNS, LIMIT, Exceeded, Group, Measurement, Sample, add_up
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
USUAL_MS = (50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000)
"""How often analysers and meters update."""
NEAR = 0.02
"""An update that is learnt from stamps is off by this part at most."""


def nominal_ms(update_s: float) -> int:
    """Return the interval of a meter that was seen to update so often: the usual one next to it, or whole ms."""
    seen_ms = 1000 * update_s
    usual = min(USUAL_MS, key=lambda ms: abs(ms - seen_ms))
    return usual if abs(usual - seen_ms) <= NEAR * usual else max(1, math.ceil(seen_ms))


def _unknown(_channel: int, _values: Group) -> None:
    return None


def _fetch_error(changing: asyncio.Future[None]) -> None:
    """Take note of an error that nobody waits for any more."""
    if not changing.cancelled():
        changing.exception()


class PowerDaemon:
    """One device and its one measurement, whoever asks. ``numbers`` are those of the channels that have a sum too."""

    def __init__(
        self,
        identity: DaemonIdentity,
        ranges: RangeControl,
        clock: Clock,
        console: Console,
        *,
        update_s: float = 1.0,
        numbers: tuple[int, ...] = (),
        judge: Judge | None = None,
        log: SampleLog | None = None,
        note: str = "",
    ) -> None:
        self.numbers = numbers
        self.console = console
        self.ranges = ranges
        self.judge = judge or _unknown
        self.measurement: Measurement | None = None
        self.standing: Trouble | None = None
        """Why no values come at present; samples that do not come are then errors, and not missed."""
        self._device = replace(identity, channels=self.channels)
        self._update_s = update_s
        self._clock = clock
        self._log = log
        self._note = note
        self._grid: SampleGrid | None = None
        self._watching: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._latest: Sample | None = None
        self._setting = asyncio.Lock()
        self._begun = 0
        """Measurements so far."""

    @property
    def identity(self) -> DaemonIdentity:
        """Describe the device behind it."""
        return self._device

    @property
    def channels(self) -> int:
        """Count the channels, the sum excluded."""
        return len(self.numbers) or 1

    @property
    def groups(self) -> int:
        """Count the groups of a sample: channels that have a sum, and the sum."""
        return len(self.numbers) + 1

    @property
    def measuring(self) -> bool:
        """Return whether a measurement runs."""
        return self.measurement is not None and self.measurement.running

    @property
    def latest(self) -> Sample | None:
        """Return the newest sample of the measurement that runs; None before it."""
        return self._latest if self.measuring else None

    def describe(self, identity: DaemonIdentity, update_s: float | None) -> None:
        """Take over who answers now, and how often it updates [s], as before where that is not known."""
        self._device = replace(identity, channels=self.channels)
        self._update_s = update_s or self._update_s

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
        if self._grid is None:
            return
        now_ns = self._clock.monotonic_ns()
        age_ns = max(0, self._clock.utc_ns() - observation.t_ns)
        self._record(self._grid.take(now_ns - age_ns, observation))

    def go(self, interval_ms: int, ramp: int, mark: str) -> Measurement:
        """Begin a measurement; the one before is cleared. 0 ms is the interval of the device, the shortest it has."""
        if self.measuring:
            self.stop()
            self.complete()
        own_ms = nominal_ms(self._update_s)
        interval_ms = max(interval_ms, own_ms)
        named = clean(mark)[:LONGEST_MARK] or NO_MARK
        self.console.say(f"Go with mark '{named}'")
        self._latest = None
        self._begun += 1
        key = f"{self._clock.utc_ns():x}-{self._begun}"
        self.measurement = Measurement(interval_ms, ramp, named, self.groups, key)
        begun_ns = self._clock.monotonic_ns()
        self._grid = SampleGrid(begun_ns, interval_ms * 1_000_000, own_ms * 1_000_000, self.channels)
        self._watching = asyncio.create_task(self._watch(self._grid))
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
        self._grid = None
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        self._wake()
        return True

    def complete(self) -> None:
        """Write the end of a measurement to the console."""
        if self.measurement is not None:
            self.console.say("Completed test")
            self.console.say(completed(self.measurement.watts[0]))

    def reset(self) -> None:
        """End and forget the measurement."""
        if self.stop():
            self.complete()
        self.measurement = None

    async def choose_range(self, which: Input, least: float | None, channel: int | None) -> None:
        """Set a range, one change at a time. Raises `RangeRefused`, also where it takes longer than clients wait.

        Such a change goes on, as a dialogue that is cut off would leave an answer under way; the console says its end.
        """
        changing = asyncio.ensure_future(self._change(which, least, channel))
        changing.add_done_callback(_fetch_error)
        try:
            async with asyncio.timeout(SETTLING_S):
                await asyncio.shield(changing)
        except TimeoutError:
            words = f"the device did not change its range within {SETTLING_S:g} s; RR tells when it has"
            self.console.say(f"ERROR: {words}")
            raise RangeRefused(words) from None

    async def _change(self, which: Input, least: float | None, channel: int | None) -> None:
        async with self._setting:
            nominal = await self.ranges.choose(which, least, channel)
        if nominal is None:
            self.console.say(f"{'Volt' if which == 'V' else 'Ampere'} range set to Auto")
        else:
            self.console.say(f"{'Volt' if which == 'V' else 'Amp'} range set to {nominal:.6f}{which}")

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

    async def _watch(self, grid: SampleGrid) -> None:
        """Count as missed what does not come."""
        while True:
            await self._clock.sleep((grid.late_ns - self._clock.monotonic_ns()) / 1e9 + 0.001)
            self._record(grid.missed(self._clock.monotonic_ns(), self._clock.utc_ns()))

    def _record(self, samples: Sequence[Sample]) -> None:
        judged = [self._with_reason(sample) for sample in samples]
        missed = sum(sample.outcome == "missed" for sample in judged)
        for sample in judged:
            if self.measurement is None or not self.measurement.running:
                return
            whole = replace(sample, groups=(add_up(sample.groups), *sample.groups)) if self.numbers else sample
            uncertainty = self._uncertainty(whole)
            self.measurement.add(whole, uncertainty)
            self._latest = whole
            self._remark(log_line(whole, self.measurement.mark, self.numbers))
            if whole.outcome == "good":
                self._say_uncertainty(uncertainty)
            else:
                self._say_trouble(whole)
            if self.measurement.full:
                self.stop()
                self.complete()
        if missed:
            self.console.say(f"WARNING: Missed {missed} samples")
        if samples and self._grid is not None and self._grid.late:
            self.console.say(f"WARNING: {self._grid.late} readings came after their sample had ended, and enter none")
            self._grid.late = 0
        if samples:
            self._wake()

    def _with_reason(self, sample: Sample) -> Sample:
        if sample.outcome != "missed" or self.standing is None:
            return sample
        return Sample(sample.t_ns, (FAILED,) * self.channels, self.standing)

    def _uncertainty(self, sample: Sample) -> list[float | None]:
        """Judge the power of each channel; that of the sum is the sum of all, as limits of error are."""
        ranges = self.ranges.in_use()
        channels = sample.groups[1:] if self.numbers else sample.groups
        judged = [
            None if number < len(ranges) and ranges[number].automatic else self.judge(number, values)
            for number, values in enumerate(channels)
        ]
        if not self.numbers:
            return judged
        parts = [None if part is None else part * values[0] for part, values in zip(judged, channels, strict=True)]
        total_w = sample.groups[0][0]
        known = [part for part in parts if part is not None]
        whole = sum(known) / total_w if len(known) == len(parts) and total_w > 0 else None
        return [whole, *judged]

    def _say_uncertainty(self, uncertainty: Sequence[float | None]) -> None:
        if not self._device.tells_uncertainty:
            return
        channels = uncertainty[1:] if self.numbers else uncertainty
        for number, fraction in zip(self.numbers or (0,), channels, strict=True):
            if fraction is None:
                self.console.say("ERROR: Can't evaluate uncertainty of this sample!")
                self.console.say(f"WARNING: Uncertainty unknown for the last measurement sample! channel {number}")
            elif fraction > LIMIT:
                self.console.say(
                    f"WARNING: Uncertainty {100 * fraction:.2f}%, which is above {100 * LIMIT:.2f}% limit "
                    "for the last sample!"
                )

    def _say_trouble(self, sample: Sample) -> None:
        if sample.outcome == "over-range":
            self.console.say(f"ERROR: {self._excess(sample.exceeded)}")
        elif sample.outcome == "error":
            self.console.say(f"ERROR: Bad {COLUMNS[0].lower()} reading nan from {self._device.driver}")

    def _excess(self, exceeded: Exceeded) -> str:
        """Say which range is exceeded, as far as the device tells."""
        where = f" of channel {self.numbers[exceeded.channel]}" if self.numbers else ""
        if exceeded.which is None:
            return f"The range in use{where} is exceeded"
        ranges = self.ranges.in_use()[exceeded.channel]
        nominal = (ranges.volts if exceeded.which == "V" else ranges.amps).nominal
        shown = "in use" if nominal is None else f"{nominal:.6f}{exceeded.which}"
        name = "Voltage" if exceeded.which == "V" else "Current"
        return f"{name}{where} exceeds peak value allowed for range {shown}"

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
