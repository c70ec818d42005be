"""Channels of a log: what was measured, of which source, and the names by which a person chooses one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from wattmark_drivers.reading import Kind

from wattmark.core.errors import InputError

Stands = Literal["wall", "bmc", "part"]
"""What a source of power measured: a server at the wall, a server by its own estimate, or anything else."""
HOST = "host"
"""Source of what the operating system of the server counted."""
POWER = "power"
"""Channel that holds the power of a whole server."""
THROUGHPUT = "throughput"
"""Quantity of a channel that counts work: of the record, and no sample."""
MOST_CHANNELS = 4000
_NO_ID = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class LogChannel:
    """One measured quantity of a log, in a unit of this product."""

    source: str
    """Name of the meter in the run, or `HOST`."""
    id: str
    quantity: str
    unit: str
    label: str = ""
    kind: Kind = Kind.INSTANTANEOUS
    stands: Stands = "part"
    """Of the source, if the channel is `POWER`."""


class Channels(list[LogChannel]):
    """The channels of a log in the order in which they come up; each id is unique within its source."""

    def __init__(self) -> None:
        super().__init__()
        self._taken: set[tuple[str, str]] = set()

    def number(self, channel: LogChannel) -> int:
        """Return the number of a new channel. Raises `InputError` where there are too many."""
        if len(self) == MOST_CHANNELS:
            raise InputError(
                f"The log has more than {MOST_CHANNELS} series of power and sensors.", "Give a log of fewer machines."
            )
        wanted, count = channel.id, 1
        while (channel.source, channel.id) in self._taken:
            count += 1
            channel = replace(channel, id=f"{wanted[:90]}_{count}")
        self._taken.add((channel.source, channel.id))
        self.append(channel)
        return len(self) - 1


def quoted(names: Iterable[str]) -> str:
    """Return names of series as a person gives them on the command line, backslashes as they are."""
    return ", ".join(f"'{name}'" for name in names)


def channel_id(text: str) -> str:
    """Return a name as an id: lower case, digits and underscores."""
    return _NO_ID.sub("_", text.casefold()).strip("_")[:90] or "value"
