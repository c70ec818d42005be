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

    @property
    def settable(self) -> bool:
        """Return whether ranges can be set at all."""
        ...

    def in_use(self) -> Sequence[ChannelRanges]:
        """List the ranges by channel, as far as they are known."""
        ...

    async def choose(self, which: Input, least: float | None, channel: int | None) -> float | None:
        """Set the smallest range that holds a value, of one channel or all; None: let the device choose.

        Returns the range that was set [V or A], None where the device chooses. Raises `RangeRefused`.
        """
        ...


class FixedRanges:
    """Ranges that nobody can set: those of a meter with one range, or of one that says nothing about them."""

    settable = False

    def __init__(self, ranges: ChannelRanges | None = None, channels: int = 1, model: str = "this meter") -> None:
        self._ranges = ranges or ChannelRanges()
        self._channels = channels
        self._model = model

    def in_use(self) -> Sequence[ChannelRanges]:
        """List the same ranges for each channel."""
        return (self._ranges,) * self._channels

    async def choose(self, which: Input, least: float | None, channel: int | None) -> float | None:  # noqa: ARG002
        """Accept a value that the one range holds, and nothing else."""
        nominal = (self._ranges.volts if which == "V" else self._ranges.amps).nominal
        if least is None:
            raise RangeRefused(f"{self._model} has no auto-range that can be set")
        if nominal is None:
            raise RangeRefused(f"the ranges of {self._model} cannot be set")
        if least > nominal:
            raise RangeRefused(f"{least:g} {which} exceeds the only range of {self._model}, {nominal:g} {which}")
        return nominal


class SelectableRanges:
    """Ranges of a simulated analyser with rows to choose from."""

    settable = True

    def __init__(
        self, volts: Sequence[float], amps: Sequence[float], channels: int = 1, found: ChannelRanges | None = None
    ) -> None:
        self._rows: dict[Input, tuple[float, ...]] = {"V": tuple(volts), "A": tuple(amps)}
        found = found or ChannelRanges(InputRange(True, amps[-1]), InputRange(True, volts[-1]))
        self._channels: list[dict[Input, InputRange]] = [{"A": found.amps, "V": found.volts} for _ in range(channels)]

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
