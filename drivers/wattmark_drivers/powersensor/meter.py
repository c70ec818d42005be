"""PowerSensor3 as a meter: it streams samples, and each reading is their mean over the declared period."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from wattmark_drivers.ascii.address import SerialAddress
from wattmark_drivers.ascii.serial_port import SerialPort
from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.powersensor_map import PowerSensorMap
from wattmark_drivers.clock import Clock
from wattmark_drivers.distinct import distinct
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.identity import SIMULATOR_MARK, identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.powersensor.dialogue import START, STOP, PowerSensorDialogue
from wattmark_drivers.powersensor.stream import (
    Levels,
    PairMeans,
    SampleBuffer,
    SensorSetup,
    mean_of_pair,
    pairs_in_use,
)
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.settings import MeterSettings

PAUSE_S = 0.005
"""Between two reads: short enough for the 4096 bytes that a port holds, long enough not to keep a core busy."""
QUANTITIES = (("power", "W", "Power"), ("voltage", "V", "Voltage"), ("current", "A", "Current"))


class PowerSensorMeter:
    """Reads the set-up, starts the stream, and averages it."""

    pushes = True

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: PowerSensorMap,
        address: SerialAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._settings, self._declaration = settings, declaration
        self._table = table
        self._address = address
        self._timeout_s = timeout_s
        self._clock = clock
        self._period_s = declaration.rhythm.update_period_s
        self._identity = identify(settings, declaration)
        self._port: SerialPort | None = None
        self._setups: list[SensorSetup] = []
        self._pairs: dict[int, str] = {}
        self._buffer = SampleBuffer()
        self._began_ns = 0

    @property
    def identity(self) -> MeterIdentity:
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the sum of the pairs, each pair, and the share of samples; known after `open`."""
        listed = [Channel("power", "power", "W", Kind.AVERAGED, "Power of all pairs of sensors")]
        for number, name in self._pairs.items():
            label = self._setups[2 * number].pair or f"pair {number}"
            listed += [
                Channel(f"{name}_{quantity}", quantity, unit, Kind.AVERAGED, f"{title} of {label}")
                for quantity, unit, title in QUANTITIES
            ]
        return [*listed, Channel("samples", "ratio", "%", Kind.AVERAGED, "Samples that arrived")]

    async def open(self) -> None:
        """Read the set-up and start the stream. Raises a `DriverError`."""
        await self.close()
        self._port = SerialPort(self._address, self._clock)
        try:
            await self._port.open()
            dialogue = PowerSensorDialogue(self._port, self._clock, self._timeout_s)
            await dialogue.stop_stream()
            version = await dialogue.version()
            if not re.fullmatch(self._table.version, version.removeprefix(f"{SIMULATOR_MARK} ")):
                raise BadReply(f"{self._address.path}: no PowerSensor3 answers.", "Check the port of the meter.")
            self._setups = await dialogue.setup()
            self._pairs = _named(self._setups)
            if not self._pairs:
                raise ConfigurationError("No pair of sensors is in use.", "Set one up with psconfig of PowerSensor3.")
            self._identity = identify(
                self._settings, self._declaration, None, version, simulated=version.startswith(SIMULATOR_MARK)
            )
            self._buffer = SampleBuffer()
            await self._port.write(START)
            self._began_ns = self._clock.monotonic_ns()
        except BaseException:
            await self.close()
            raise

    async def read(self) -> list[Reading]:
        """Average the samples of one period. Raises `ConnectionFailed` when the stream has ended."""
        blocks: list[Levels] = []
        heard_ns = self._clock.monotonic_ns()
        while True:
            chunk = await self._opened().read()
            now_ns = self._clock.monotonic_ns()
            if chunk.data:
                heard_ns = now_ns
                blocks.append(self._buffer.feed(chunk.data))
            elif now_ns - heard_ns > self._timeout_s * 1e9:
                raise ConnectionFailed(f"{self._address.path}: the stream of samples ended.", "It is started again.")
            elapsed_s = (now_ns - self._began_ns) / 1e9
            if chunk.data and elapsed_s >= self._period_s:
                self._began_ns = now_ns
                return list(self._readings(np.concatenate(blocks), elapsed_s, chunk.t_ns))
            await self._clock.sleep(PAUSE_S)

    async def close(self) -> None:
        """Stop the stream and release the port."""
        port, self._port = self._port, None
        if port is not None:
            try:
                await port.write(STOP)
            except DriverError:
                pass
            finally:
                await port.close()

    def _opened(self) -> SerialPort:
        if self._port is None:
            raise ConnectionFailed(f"Meter {self._identity.name} is not open.")
        return self._port

    def _readings(self, levels: Levels, elapsed_s: float, t_ns: int) -> Iterator[Reading]:
        share_pct = 100 * len(levels) / (self._table.rate_hz * elapsed_s)
        quality = Quality.GOOD if share_pct >= self._table.least_share_pct else Quality.INVALID
        means = {number: self._mean(levels, number) for number in self._pairs}
        clipped = {number: Quality.SATURATED if mean.clipped else Quality.GOOD for number, mean in means.items()}
        doubt = quality
        for mark in clipped.values():
            doubt |= mark
        total_w = sum(mean.power_w for mean in means.values())
        yield self._reading("power", total_w, "W", t_ns, self._judged(total_w, doubt))
        for number, name in self._pairs.items():
            mean, mark = means[number], quality | clipped[number]
            yield self._reading(f"{name}_power", mean.power_w, "W", t_ns, self._judged(mean.power_w, mark))
            yield self._reading(f"{name}_voltage", mean.voltage_v, "V", t_ns, mark)
            yield self._reading(f"{name}_current", mean.current_a, "A", t_ns, mark)
        yield self._reading("samples", share_pct, "%", t_ns, Quality.GOOD)

    def _mean(self, levels: Levels, number: int) -> PairMeans:
        if not len(levels):
            return PairMeans(math.nan, math.nan, math.nan, clipped=False)
        return mean_of_pair(self._setups[2 * number], self._setups[2 * number + 1], levels, number)

    def _judged(self, power_w: float, quality: Quality) -> Quality:
        """Add that a power is beyond what a card can draw."""
        return quality if abs(power_w) <= self._table.largest_power_w else quality | Quality.IMPLAUSIBLE

    def _reading(self, channel: str, value: float, unit: str, t_ns: int, quality: Quality) -> Reading:
        return Reading(channel, value, unit, t_ns, int(PAUSE_S * 1e9), Kind.AVERAGED, quality=quality)


def _named(setups: Sequence[SensorSetup]) -> dict[int, str]:
    """Name the pairs in use by what they are called; by number where that is empty or not unique."""
    pairs = pairs_in_use(setups)
    plain = [re.sub(r"[^a-z0-9]+", "_", setups[2 * n].pair.lower()).strip("_") for n in pairs]
    return dict(zip(pairs, distinct(plain, [f"pair{n}" for n in pairs]), strict=True))
