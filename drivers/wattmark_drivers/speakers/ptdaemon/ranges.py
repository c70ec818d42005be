"""Measuring ranges as the daemon's clients see and change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Input = Literal["V", "A"]
SETTLING_S = 30.0
"""Longest time that a change of range may take: 5 s were seen over a manufacturer's own network library."""


@dataclass(frozen=True, slots=True)
class InputRange:
    """One input: whether the device chooses by itself, and the range in use [V or A]; None where that is not known."""

    auto: bool | None = None
    nominal: float | None = None


@dataclass(frozen=True, slots=True)
class ChannelRanges:
    """The ranges of one channel."""

    amps: InputRange = InputRange()
    volts: InputRange = InputRange()

    @property
    def automatic(self) -> bool:
        """Return whether the device chooses one of them by itself: the limit of error is then not known."""
        return self.amps.auto is True or self.volts.auto is True


class RangeRefused(Exception):  # noqa: N818 - reads better at the raise site
    """The device has no such range, or none that can be set; the words go to the client."""


class RangeControl(Protocol):
    """The ranges of the device behind the daemon."""

    def in_use(self) -> Sequence[ChannelRanges]:
        """List the ranges by channel, as far as they are known."""
        ...

    async def choose(self, which: Input, least: float | None, channel: int | None) -> float | None:
        """Set the smallest range that holds a value, of one channel (counted from 1) or all; None: the device chooses.

        Returns the range that was set [V or A], None where the device chooses. Raises `RangeRefused`.
        """
        ...


class FixedRanges:
    """Ranges that no client can set: of a meter with one range, of one that says nothing about them, or of a bench."""

    def __init__(
        self,
        ranges: ChannelRanges | None = None,
        channels: int = 1,
        model: str = "this meter",
        *,
        most_v: float | None = None,
    ) -> None:
        self._ranges = ranges or ChannelRanges()
        self._channels = channels
        self._model = model
        self._most_v = most_v or 0.0
        """Most that it measures [V], where its range is the nominal voltage of the mains."""

    def in_use(self) -> Sequence[ChannelRanges]:
        """List the same ranges for each channel."""
        return (self._ranges,) * self._channels

    async def choose(self, which: Input, least: float | None, channel: int | None) -> float | None:  # noqa: ARG002
        """Accept what is so already: a value that the range in use holds, or the choice of a device that chooses."""
        in_use = self._ranges.volts if which == "V" else self._ranges.amps
        if least is None and in_use.auto is not True:
            raise RangeRefused(f"{self._model} has no auto-range that can be set")
        if least is None:
            return None
        if in_use.nominal is None or in_use.auto is True:
            raise RangeRefused(f"the ranges of {self._model} cannot be set")
        if least > max(in_use.nominal, self._most_v if which == "V" else 0.0):
            raise RangeRefused(f"{least:g} {which} exceeds the range of {self._model}, {in_use.nominal:g} {which}")
        return in_use.nominal


class SelectableRanges:
    """Ranges of a simulated analyser with rows to choose from."""

    def __init__(
        self, volts: Sequence[float], amps: Sequence[float], channels: int = 1, first: ChannelRanges | None = None
    ) -> None:
        self._rows: dict[Input, tuple[float, ...]] = {"V": tuple(volts), "A": tuple(amps)}
        first = first or ChannelRanges(InputRange(True, amps[-1]), InputRange(True, volts[-1]))
        self._channels: list[dict[Input, InputRange]] = [{"A": first.amps, "V": first.volts} for _ in range(channels)]

    def in_use(self) -> Sequence[ChannelRanges]:
        """List the ranges by channel."""
        return [ChannelRanges(channel["A"], channel["V"]) for channel in self._channels]

    async def choose(self, which: Input, least: float | None, channel: int | None) -> float | None:
        """Take the next range that fits."""
        row = self._rows[which]
        nominal = None if least is None else next((value for value in row if value >= least), None)
        if least is not None and nominal is None:
            raise RangeRefused(f"{least:g} {which} exceeds the largest range, {row[-1]:g} {which}")
        for number, ranges in enumerate(self._channels, 1):
            if channel in (None, number):
                kept = ranges[which].nominal if nominal is None else nominal
                ranges[which] = InputRange(auto=nominal is None, nominal=kept)
        return nominal
