"""What one meter measured: channels with their raw samples, from wherever they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from wattmark_drivers.reading import Channel

from wattmark.store.sample_store import Samples


class Column(NamedTuple):
    """One channel with its samples."""

    channel: Channel
    samples: Samples


@dataclass(frozen=True, slots=True)
class Recording:
    """What one meter measured; ``remarks`` list what was excluded or assumed."""

    source: str
    columns: tuple[Column, ...]
    remarks: tuple[str, ...] = ()
