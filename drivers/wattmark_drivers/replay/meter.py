"""A recorded log as a meter: its values come again at their own pace, marked as simulated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.replay_map import ReplayMap
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.identity import identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.replay.address import ReplayAddress
from wattmark_drivers.replay.log_file import LogFile, Moment, TornLog, open_log
from wattmark_drivers.settings import MeterSettings


class ReplayMeter:
    """Plays a log from its begin; the first stamp becomes the time of opening, and the others keep their distance.

    A stamp is the time of playing; `Reading.device_time_ns` is the stamp of the recording.
    """

    pushes = True

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        _table: ReplayMap,
        address: ReplayAddress,
        *,
        timeout_s: float,  # noqa: ARG002 - a file does not keep anybody waiting
        clock: Clock,
    ) -> None:
        self._address = address
        self._clock = clock
        self._identity = replace(identify(settings, declaration), simulated=True)
        self._channels: dict[str, Channel] = {}
        self._log: LogFile | None = None
        self._moments: Iterator[Moment | TornLog] = iter(())
        self._first_ns: int | None = None
        self._begin_utc_ns = self._begin_ns = self._passed_ns = 0
        self._finished = False

    @property
    def identity(self) -> MeterIdentity:
        """Describe the replay; it is always simulated."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the channels that the log's head names; known after `open`."""
        return list(self._channels.values())

    async def open(self) -> None:
        """Open the log and let its time begin now.

        Raises `ConfigurationError` for a wrong file, `ConnectionFailed` when it has been played already.
        """
        await self.close()
        if self._finished:
            raise self._ended()
        self._log = open_log(self._address.path)
        self._channels = self._log.channels
        self._moments = self._log.moments()
        self._first_ns = None
        self._begin_utc_ns, self._begin_ns = self._clock.utc_ns(), self._clock.monotonic_ns()

    async def read(self) -> list[Reading]:
        """Wait for the next moment of the log.

        Raises `BadReply` for lines that cannot be used, `ConnectionFailed` at the end of the log.
        """
        if self._log is None:
            raise ConnectionFailed(f"Meter {self._identity.name} is not open.")
        moment = next(self._moments, None)
        if moment is None:
            await self._end()
            return await self.read()
        if isinstance(moment, TornLog):
            more = f" and {moment.count - 1} more" if moment.count > 1 else ""
            raise BadReply(f"Line {moment.line}{more} of {self._address.path} {moment.reason}.", "They are excluded.")
        await self._clock.sleep((self._due_ns(moment) - self._clock.monotonic_ns()) / 1e9)
        return [self._reading(moment, index) for index in range(len(moment.rows))]

    async def close(self) -> None:
        log, self._log = self._log, None
        if log is not None:
            log.close()

    def _due_ns(self, moment: Moment) -> int:
        """Compute when a moment is played [monotonic ns]."""
        if self._first_ns is None:
            self._first_ns = moment.t_ns
        self._passed_ns = round((moment.t_ns - self._first_ns) / self._address.speed)
        return self._begin_ns + self._passed_ns

    def _reading(self, moment: Moment, index: int) -> Reading:
        row = moment.rows[index]
        channel = self._channels[row.channel]
        return Reading(
            channel=row.channel,
            value=row.value,
            unit=channel.unit,
            t_ns=self._begin_utc_ns + self._passed_ns,
            u_t_ns=0,
            kind=channel.kind,
            quality=row.quality | Quality.SIMULATED,
            device_time_ns=row.t_ns,
        )

    async def _end(self) -> None:
        """Start again, or raise that the log is over. A log without a single value cannot start again."""
        empty = self._first_ns is None
        await self.close()
        self._finished = empty or not self._address.loop
        if self._finished:
            raise self._ended()
        # One update period between the last value and the first, so that time goes on.
        await self._clock.sleep(self._identity.update_period_s / self._address.speed)
        await self.open()

    def _ended(self) -> ConnectionFailed:
        return ConnectionFailed(
            f"The log {self._address.path} has been replayed to its end.", "Add loop=1 to the address to repeat it."
        )
