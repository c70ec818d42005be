"""The analyser behind a power daemon: begins a measurement of its own, or watches the one that runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.ptdaemon_map import PtdaemonMap
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.identity import identify
from wattmark_drivers.meter import Accuracy, MeterIdentity
from wattmark_drivers.ptdaemon.address import DaemonAddress
from wattmark_drivers.ptdaemon.claim import Claim, may_begin
from wattmark_drivers.ptdaemon.clocks import DaemonClock
from wattmark_drivers.ptdaemon.dialogue import DaemonDialogue
from wattmark_drivers.ptdaemon.ranges import DaemonRanges, MayChange, begun_meanwhile
from wattmark_drivers.ptdaemon.replies import (
    HELLO,
    LAST,
    NO_DATA,
    NONE_UNREAD,
    STARTED,
    DaemonReport,
    DaemonSample,
    RangeReport,
    Standing,
    parse_latest,
    parse_report,
    parse_sample,
    parse_standing,
    parse_uncertainty,
    parse_watts,
)
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.settings import MeterSettings

LOG = logging.getLogger(__name__)
_Understood = TypeVar("_Understood")
MEASUREMENTS = ("share", "watch", "take")
"""Watch a measurement that runs already and begin one otherwise; only ever watch; begin one whatever runs."""
DEFAULT_MARK = "wattmark"
LEAST_MS = 50
ENDING_S, CLOSING_S = 2.0, 9.0
"""How long ending the measurement may take, and where ranges are put back too [s]. 5 s were seen for each of both: the
second is under way then, and goes on at the daemon. A service that is ended has 15 s for everything."""
MARGIN_S = 0.2
"""So much earlier it is given up, to leave in order [s]."""
LOOKS = 20
"""How often it is looked for a sample within an interval, around the time when it is due."""
SHORTEST_LOOK_S, LONGEST_LOOK_S = 0.05, 1.0
SILENT_INTERVALS = 5
UNKNOWN_SILENT_S = 60.0
"""So long a watched measurement may be without a sample of an unknown interval [s]."""
LONGEST_INTERVALS = 2
"""Intervals that a daemon may wait for a sample before it answers."""
LIMIT_S = 5.0
"""How often the limit of error is asked for [s]."""
AT_ONCE = 500
"""Lines that are read without a pause."""
MOST_PCT = 20.0
"""A larger limit of error is none [% of reading]."""


def _make_token() -> str:
    return secrets.token_hex(4)


class PtdaemonMeter:
    """Reads every sample of its measurement; of a measurement of others, what the daemon shows at each poll.

    It never begins or ends a measurement, nor sets a range, where the measurement of somebody else would be lost.
    """

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
        make_token: Callable[[], str] = _make_token,
    ) -> None:
        self._settings = settings
        self._declaration = declaration
        self._table = table
        self._address = address
        self._label = address.label[0].upper() + address.label[1:]
        self._clock = clock
        self._wanted = _measurement(settings)
        self._timeout_s = timeout_s
        self._dialogue = DaemonDialogue(address, clock, timeout_s)
        self._keeper = DaemonRanges(self._dialogue, self._label)
        self._open = False
        self._failed = False
        """Whether the last call failed: what was begun is then left to the next `open`."""
        self._identity = identify(settings, declaration)
        self._interval_s = max(settings.period_s, LEAST_MS / 1000)
        self._claim: Claim | None = None
        """The measurement that we began; it stays ours while the connection is away. None: we have none."""
        self._make_token = make_token
        self._begun_as: str | None = None
        """Mark of a measurement whose begin is still to be confirmed: no other one has it. None: nothing is."""
        self._watched: Standing | None = None
        """The measurement of others as it was seen last."""
        self._at_first: Standing | None = None
        """What the daemon had when it was asked first after the connection was opened."""
        self._is_wattmark = False
        """Whether the daemon tells whose measurement it has."""
        self._seen_ns: int | None = None
        """When the newest sample of the measurement was seen [monotonic ns]."""
        self._ready: deque[list[Reading]] = deque()
        self._times = DaemonClock(round(self._interval_s * 1e9))
        self._offset_ns = self._put_back_ns = 0
        """What was said of the daemon's clock."""
        self._ranges = RangeReport()
        """Those in force when it was looked last."""
        self._sampled_in = RangeReport()
        """Those in force after the newest sample that was read: the next one was taken in them, unless they differ."""
        self._limit_asked_ns: int | None = None
        """When the limit of error was asked for last [monotonic ns]; None: it must be."""
        self._first_channel = 1
        """Number of the first channel of a sample line."""
        self._first_line: str | None = None
        self._lines = 0
        """Lines of our measurement that were received, the first one of which is kept."""
        self._unreadable, self._next_said = 0, 1
        """Samples that could not be read, and at how many this is said next."""
        self._resumed = self._silent = False

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

    @property
    def closing_s(self) -> float:
        """Return how long `close` may take [s]."""
        return CLOSING_S if self._keeper.owed else ENDING_S

    async def open(self) -> None:
        """Connect, identify, set the configured ranges, and begin or find a measurement. Raises a `DriverError`.

        A measurement that we began before the connection broke is continued: what was sampled meanwhile is read too.
        """
        self._failed = False
        await self._disconnect()
        try:
            await self._dialogue.open()
            await self._greet()
            self._open = True
        except BaseException as error:
            self._failed = isinstance(error, DriverError)
            if self._claim is None and self._begun_as is None and self._keeper.owed:
                with contextlib.suppress(DriverError, TimeoutError):
                    async with asyncio.timeout(CLOSING_S - MARGIN_S):
                        await self._recover()
                        await self._keeper.put_back(self._is_undisturbed)
            await self._disconnect()
            raise

    async def read(self) -> list[Reading]:
        """Wait for the next sample. Raises `ConnectionFailed` when the daemon is gone or samples no longer."""
        if not self._open:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        try:
            readings = await self._next()
        except DriverError:
            # What was begun goes on, and is found again: the next `close` does not end it.
            self._failed = True
            await self._disconnect()
            raise
        return readings

    async def close(self) -> None:
        """End our measurement and put back the ranges that we changed. Never raises.

        After a call that failed, both are left to the next `open`. `close` once more instead does it over another
        connection.
        """
        failed, self._failed = self._failed, False
        if not failed and (self._claim is not None or self._begun_as is not None or self._keeper.owed):
            reason = ""
            try:
                async with asyncio.timeout(self.closing_s - MARGIN_S):
                    await self._leave_in_order()
            except DriverError as error:
                reason = f" {error}"
            except TimeoutError:
                reason = f" {self._label} took longer than {self.closing_s:g} s."
            if self._claim is not None:
                LOG.warning("Meter %s: nobody confirmed that its measurement has ended.%s", self._settings.name, reason)
            if self._keeper.owed:
                LOG.warning("Meter %s: nobody confirmed that its ranges are as before.%s", self._settings.name, reason)
        await self._disconnect()

    async def _leave_in_order(self) -> None:
        await self._recover()
        if self._begun_as is not None:
            await self._recognise(await self._standing())
        if self._claim is not None:
            await self._end(self._claim)
        else:
            await self._keeper.put_back(self._is_idle)

    async def _end(self, claim: Claim) -> None:
        """End our measurement, unless somebody else has begun one since."""
        standing, now_ns = await self._standing(), self._clock.monotonic_ns()
        if not (claim.holds(standing, now_ns) if self._open else claim.survived(standing, now_ns)):
            LOG.warning("Meter %s: somebody else measures now; that is left alone.", self._settings.name)
            self._claim = None
            self._keeper.leave()
            return
        if standing.state != "stopped":
            await self._dialogue.ask("Stop")
        self._claim = None
        standing = await self._standing()
        if standing.unread and claim.holds(standing, self._clock.monotonic_ns()):
            # Nobody need keep them from being cleared.
            await self._dialogue.ask_samples(f"RL,{standing.unread}", self._patience_s)
        await self._keeper.put_back(partial(self._holds, claim))

    async def _recover(self) -> None:
        """Connect anew where a command was cancelled: its answer would be taken for that of the next one."""
        if not self._dialogue.ready:
            await self._dialogue.close()
            await self._dialogue.open()

    async def _disconnect(self) -> None:
        self._open = False
        await self._dialogue.close()

    async def _greet(self) -> None:
        hello = await self._dialogue.ask("Hello")
        if hello != HELLO:
            raise ConfigurationError(
                f"{self._label} answered {hello[:60]!r} to Hello.",
                "Check host and port: it is not a power daemon.",
            )
        report = self._understood(parse_report, await self._dialogue.ask("Identify"))
        await self._find_channel(report)
        self._is_wattmark = parse_standing(await self._dialogue.ask("Wattmark")) is not None
        standing = self._at_first = await self._standing()
        await self._recognise(standing)
        now_ns = self._clock.monotonic_ns()
        if self._claim is not None and self._claim.survived(standing, now_ns):
            await self._continue(standing, self._claim)
        elif may_begin(self._wanted, standing, self._address.label):
            self._claim = None
            await self._set_ranges(self._may_begin)
            await self._begin(self._may_begin)
        else:
            self._begin_to_watch(standing)
        self._ranges = await self._read_ranges()
        if not self._resumed:
            self._sampled_in = self._ranges
        self._describe(report)

    async def _find_channel(self, report: DaemonReport) -> None:
        """Check that the daemon has the channel of the address; the only one is that of a plain command."""
        channel = self._address.channel
        self._keeper.channels = report.channels
        self._keeper.channel = None if channel == report.channels == 1 else channel
        if self._keeper.channel is not None:
            try:
                await self._keeper.read()
            except ValueError:
                raise ConfigurationError(
                    f"{self._label} has no channel {channel}; it has {report.channels}.",
                    "Correct the channel in the address.",
                ) from None

    async def _standing(self) -> Standing:
        """Ask how the measurement stands that the daemon has."""
        if self._is_wattmark:
            reply = await self._dialogue.ask("Wattmark")
            standing = parse_standing(reply)
            if standing is None:
                raise ConnectionFailed(f"{self._label} answered {reply[:60]!r}.", "wattmark connects again.")
            return standing
        return self._understood(parse_watts, await self._dialogue.ask("Watts"))

    async def _may_begin(self) -> bool:
        """Ask whether a measurement may still be begun. Raises `ConnectionFailed` where not even one is watched."""
        return may_begin(self._wanted, await self._standing(), self._address.label)

    async def _holds(self, claim: Claim) -> bool:
        """Ask whether the daemon still has our measurement."""
        return claim.holds(await self._standing(), self._clock.monotonic_ns())

    async def _is_idle(self) -> bool:
        """Ask whether nobody measures; False where the daemon does not tell."""
        return (await self._standing()).state in ("none", "stopped")

    async def _is_undisturbed(self) -> bool:
        """Ask whether nobody has begun a measurement since the connection was opened, as far as the daemon tells."""
        standing = await self._standing()
        return standing.state != "running" or (self._at_first is not None and standing.key == self._at_first.key)

    def _begin_to_watch(self, standing: Standing) -> None:
        name = self._settings.name
        if self._settings.range is not None:
            raise ConfigurationError(
                f"Meter {name}: somebody else measures with {self._address.label}, so its range stays.",
                "Omit the range, or set `measurement: take`, which clears the samples of the other one.",
            )
        if self._keeper.channel is not None:
            raise ConfigurationError(
                f"Meter {name}: somebody else measures with {self._address.label}; only the sum can be watched.",
                "Omit the channel, or set `measurement: take`, which clears the samples of the other one.",
            )
        LOG.info("Meter %s watches a measurement of somebody else at %s.", name, self._address.label)
        self._forget()
        self._watched, self._claim = standing, None
        self._keeper.leave()

    async def _continue(self, standing: Standing, claim: Claim) -> None:
        """Go on with our measurement, or begin another one where it has ended, or has no samples any more."""
        is_ours = partial(self._holds, claim)
        self._resumed = True
        if await self._set_ranges(is_ours):
            self._sampled_in = RangeReport()  # somebody had changed them meanwhile
        if standing.state == "stopped" or self._silent:
            await self._fetch()
            if standing.state == "stopped" or not self._ready:
                await self._begin(is_ours, afresh=False)
        self._silent = False

    async def _begin(self, may_begin_now: MayChange, *, afresh: bool = True) -> None:
        """Begin a measurement. Readings that are still to be handed over stay, unless those are of another one."""
        if not await may_begin_now():
            raise begun_meanwhile(self._label)
        beginning = asyncio.ensure_future(self._go(afresh=afresh))
        try:
            await asyncio.shield(beginning)
        except asyncio.CancelledError:
            # What was begun is known as ours, and can be ended, once the daemon has said how it stands.
            with contextlib.suppress(DriverError):
                await beginning
            raise

    async def _go(self, *, afresh: bool) -> None:
        mark = self._mark
        if self._is_wattmark:
            mark = self._begun_as = f"{DEFAULT_MARK} {self._make_token()}"
        reply = await self._dialogue.ask(f"Go,{round(self._interval_s * 1000)},0,{mark}")
        match = STARTED.fullmatch(reply)
        if match is None:
            self._begun_as = None
            raise ConfigurationError(
                f"{self._label} answered {reply[:60]!r} to Go.",
                "Choose a period that the analyser has, such as 1 s.",
            )
        if afresh:
            self._ready.clear()
        await self._take_over(int(match[1]) / 1000, await self._standing())

    async def _take_over(self, interval_s: float, standing: Standing) -> None:
        """Know a measurement as ours from its begin on, and give it the mark that it shall have."""
        self._interval_s = interval_s
        self._forget()
        self._times, self._put_back_ns = DaemonClock(round(interval_s * 1e9)), 0
        self._claim = Claim(standing, self._clock.monotonic_ns())
        if self._begun_as is not None:
            await self._dialogue.ask(f"Mark,{self._mark}")
            self._begun_as = None

    async def _recognise(self, standing: Standing) -> None:
        """Find out whether a measurement was begun though nobody confirmed it: the line broke before its answer."""
        if self._begun_as is not None and standing.mark == self._begun_as and standing.interval_s is not None:
            LOG.info("Meter %s had begun the measurement that %s has.", self._settings.name, self._address.label)
            await self._take_over(standing.interval_s, standing)
        self._begun_as = None

    @property
    def _mark(self) -> str:
        return str(self._settings.options.get("mark", DEFAULT_MARK))

    def _forget(self) -> None:
        """Know nothing of a measurement yet."""
        self._watched = self._seen_ns = self._first_line = None
        self._lines = 0
        self._resumed = self._silent = False

    async def _set_ranges(self, may_change: MayChange) -> bool:
        """Set the configured ranges where others are in force; return whether that was so."""
        wanted = self._declaration.range(self._settings.range) if self._settings.range is not None else None
        if wanted is None or wanted.voltage_v is None or wanted.current_a is None:
            return False
        try:
            return await self._keeper.choose(wanted, may_change)
        except ValueError as error:
            raise self._not_understood(error) from None

    async def _read_ranges(self) -> RangeReport:
        try:
            return await self._keeper.read()
        except ValueError as error:
            raise self._not_understood(error) from None

    async def _next(self) -> list[Reading]:
        """Return the next sample; look for it around the time when it is due."""
        deadline_ns = self._clock.monotonic_ns() + int(self._silent_s * 1e9)
        while not self._ready:
            standing = await self._standing()
            if self._claim is None:
                await self._watch(standing)
            elif not self._claim.holds(standing, self._clock.monotonic_ns()):
                self._claim = None
                raise ConnectionFailed(
                    f"Somebody else has begun a measurement at {self._address.label}, which has cleared ours.",
                    "wattmark looks what it may do now; let one program alone measure.",
                )
            else:
                await self._fetch()
            if not self._ready and standing.state == "stopped":
                raise ConnectionFailed(
                    f"Somebody has stopped the measurement at {self._address.label}.", self._next_step
                )
            if not self._ready and self._clock.monotonic_ns() > deadline_ns:
                self._silent = True
                raise ConnectionFailed(f"{self._label} has had no sample for {self._silent_s:g} s.", self._next_step)
        return self._ready.popleft()

    @property
    def _next_step(self) -> str:
        if self._claim is not None:
            return "Check the analyser behind it; wattmark goes on with its measurement, or begins another one."
        return "wattmark looks again; to begin a measurement of its own, set `measurement: take`."

    @property
    def _silent_s(self) -> float:
        if self._claim is not None:
            return SILENT_INTERVALS * self._interval_s
        stated_s = None if self._watched is None else self._watched.interval_s
        return UNKNOWN_SILENT_S if stated_s is None else SILENT_INTERVALS * stated_s

    async def _rest(self, interval_s: float) -> None:
        """Wait until a look for the next sample is worth it, as clients of a daemon must not hold up each other."""
        look_s = min(LONGEST_LOOK_S, max(SHORTEST_LOOK_S, interval_s / LOOKS))
        left_s = 0.0
        if self._seen_ns is not None:
            left_s = interval_s - (self._clock.monotonic_ns() - self._seen_ns) / 1e9
        await self._clock.sleep(max(look_s, left_s - look_s))

    @property
    def _read_command(self) -> str:
        return "RL" if self._keeper.channel is None else "RL,*,*"

    @property
    def _patience_s(self) -> float:
        return LONGEST_INTERVALS * self._interval_s + self._timeout_s

    async def _fetch(self) -> None:
        """Read what was sampled; a daemon may answer at once that there is nothing, or wait for the next sample."""
        first, lines = await self._dialogue.ask_samples(self._read_command, self._patience_s)
        arrived_ns = self._dialogue.received_ns
        match = LAST.fullmatch(first)
        if match is None and not any(words in first.lower() for words in NONE_UNREAD):
            raise ConnectionFailed(
                f"{self._label} answered {first[:60]!r} to {self._read_command}.", "wattmark connects again."
            )
        if match is not None and match[2] is not None:
            self._first_channel = int(match[2])
        samples = await self._parsed(self._not_read_before(lines))
        if not samples:
            await self._rest(self._interval_s)
            return
        self._seen_ns = self._clock.monotonic_ns()
        stamps = [sample.t_ns for sample in samples]
        times = self._times.place(stamps, arrived_ns, missed=samples[-1].missed)
        self._say_clock()
        range_name = await self._look_at_range()
        for sample, t_ns in zip(samples, times, strict=True):
            self._ready.append(self._readings(sample.values, t_ns, self._times.u_ns, sample.t_ns, range_name))

    async def _parsed(self, lines: Sequence[str]) -> list[DaemonSample]:
        """Read sample lines; those that cannot be read are counted, and cost no other one.

        Of half a million, after a long absence, other meters are read in between.
        """
        samples: list[DaemonSample] = []
        reason: ValueError | None = None
        for number, line in enumerate(lines, 1):
            try:
                samples.append(parse_sample(line, self._group))
            except ValueError as error:
                self._unreadable += 1
                reason = error
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
        if reason is not None and self._unreadable >= self._next_said:
            self._next_said = 2 * self._unreadable
            LOG.warning(
                "Meter %s: a sample of %s cannot be read (%s); these are gaps, %d so far.",
                *(self._settings.name, self._address.label, reason, self._unreadable),
            )
        return samples

    @property
    def _group(self) -> int:
        """Return the place of our channel in a sample line; 0 is the only one, or the sum."""
        return 0 if self._keeper.channel is None else self._keeper.channel - self._first_channel + 1

    def _not_read_before(self, lines: list[str]) -> list[str]:
        """Drop what was read before the connection broke: to some daemons nothing is read yet over a new one."""
        repeated = self._resumed and bool(lines) and lines[0] == self._first_line
        self._resumed = self._resumed and not lines
        if not repeated:
            self._first_line = self._first_line or (lines[0] if lines else None)
            self._lines += len(lines)
            return lines
        fresh = lines[self._lines :]
        self._lines = max(self._lines, len(lines))
        return fresh

    async def _watch(self, standing: Standing) -> None:
        """Read the newest values once the watched measurement has a new sample."""
        before, self._watched = self._watched, standing
        if before is None or standing.samples <= before.samples:
            await self._rest(standing.interval_s or self._interval_s)
            return
        reply = await self._dialogue.ask("R*")
        if reply != NO_DATA:
            self._seen_ns = self._clock.monotonic_ns()
            u_ns = int(2 * SHORTEST_LOOK_S * 1e9)
            values, t_ns = self._understood(parse_latest, reply), self._dialogue.received_ns
            self._ready.append(self._readings(values, t_ns, u_ns, None, await self._look_at_range()))

    async def _look_at_range(self) -> str | None:
        """Return the range in which the newest samples were taken; None where it changed about then, or is not known.

        A connection that breaks here costs no sample: the next one finds out.
        """
        before, self._sampled_in = self._sampled_in, RangeReport()
        with contextlib.suppress(BadReply, ConnectionFailed):
            self._ranges = self._sampled_in = await self._read_ranges()
            await self._refresh(changed=self._ranges != before)
        return self._sampled_in.name if self._sampled_in == before else None

    async def _refresh(self, *, changed: bool) -> None:
        """Tell the ranges that hold now, and from time to time the limit of error.

        That is the largest one of all samples, so that it holds for those before, too; where ranges changed, it is
        asked for with the next sample once more.
        """
        now_ns, power_w = self._clock.monotonic_ns(), self._ranges.power_w
        if power_w != self._identity.range_w:
            self._identity = replace(self._identity, range_w=power_w)
        if not changed and self._limit_asked_ns is not None and now_ns - self._limit_asked_ns < LIMIT_S * 1e9:
            return
        self._limit_asked_ns = None if changed else now_ns
        command = "Uncertainty" if self._keeper.channel is None else "Uncertainty,*"
        reply = await self._dialogue.ask(command)
        accuracy = None
        with contextlib.suppress(ValueError):
            stated = parse_uncertainty(reply, self._group)
            pct = 100 * stated.largest
            if stated.valid and not stated.unknown and math.isfinite(pct) and 0 < pct <= MOST_PCT:
                source = f"The daemon itself, as of {self._declaration.cite(self._table.uncertainty)}"
                accuracy = Accuracy(pct, 0.0, 0.0, None, source)
        self._identity = replace(self._identity, power_accuracy=accuracy)

    def _describe(self, report: DaemonReport) -> None:
        self._limit_asked_ns = None
        settings = replace(self._settings, range=None)
        firmware = " ".join(
            part for part in (report.firmware, f"behind {report.driver} {report.version}") if part is not None
        )
        identity = identify(settings, self._declaration, report.serial, firmware, update_period_s=self._interval_s)
        title = " ".join(part for part in (report.maker, report.model) if part)
        self._identity = replace(
            identity,
            title=f"{title} behind a power daemon" if title else identity.title,
            range_w=self._ranges.power_w,
        )

    def _readings(
        self,
        values: Mapping[str, float],
        t_ns: int,
        u_ns: int,
        device_time_ns: int | None,
        range_name: str | None,
    ) -> list[Reading]:
        return [
            Reading(
                channel=item.channel,
                value=values.get(item.column, math.nan),
                unit=item.unit,
                t_ns=t_ns,
                u_t_ns=u_ns,
                kind=self._declaration.kind_of(item),
                range=range_name,
                quality=_quality(values.get(item.column, math.nan), item.limits),
                device_time_ns=device_time_ns,
            )
            for item in self._table.columns
        ]

    def _say_clock(self) -> None:
        """Log once how far the daemon's clock is away, again when that changes, and that it was put back."""
        name = self._settings.name
        if self._times.put_back_ns > self._put_back_ns:
            LOG.warning(
                "Meter %s: the daemon's clock was put back by %.1f s; its samples go on by their interval.",
                *(name, (self._times.put_back_ns - self._put_back_ns) / 1e9),
            )
            self._put_back_ns = self._times.put_back_ns
        offset_ns = self._times.offset_ns
        if abs(offset_ns - self._offset_ns) > 1_000_000_000:
            self._offset_ns = offset_ns
            LOG.warning(
                "Meter %s: the daemon's clock differs by %.1f s; its stamps are moved by that.", name, -offset_ns / 1e9
            )

    def _understood(self, parse: Callable[[str], _Understood], reply: str) -> _Understood:
        """Read a reply; a daemon that says something else is asked anew over another connection."""
        try:
            return parse(reply)
        except ValueError as error:
            raise self._not_understood(error) from None

    def _not_understood(self, error: ValueError) -> ConnectionFailed:
        return ConnectionFailed(f"{self._label} answered {error}.", "wattmark connects again.")


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
