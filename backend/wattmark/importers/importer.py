"""Interface of every importer: its kind, how it recognises a source, and the results that it finds.

A source is a folder or a file; `opened.py` unpacks zip files. An importer lists what there is (`Importer.find`), and
each entry is read when it is its turn, so that one result is in memory at a time. The samples of a run come in blocks,
so that a log may be larger than the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Literal

from wattmark.audits.audit import Audit
from wattmark.comparison.published.published_result import PublishedResult
from wattmark.importers.unread import Unread
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import Samples, SeriesKey

Precision = Literal["ns", "us", "ms", "s"]
Block = Sequence[tuple[SeriesKey, Samples]]
"""A part of the samples of a run, in time order within each series."""
TimeZones = Literal["in the files", "asked for", "not needed"]
"""Where the time zone of a kind comes from: its files state or prove it, a person says it, or it has no stamps."""


Edge = float | datetime
"""Begin or end of a part of a log: seconds from its start, or an instant; local where it names no zone."""


@dataclass(frozen=True, slots=True)
class LogPart:
    """A part of a log; None: where the log begins or ends."""

    name: str | None
    begin: Edge | None
    end: Edge | None


@dataclass(frozen=True, slots=True)
class Choices:
    """A person's statements about a source that it does not contain itself."""

    zone: tzinfo | None = None
    """Time zone of stamps that name none; None: not said."""
    power: str | None = None
    """The series of a log that is the server's power, as its kind names series; None: what the log proves itself."""
    precision: Precision | None = None
    """Unit of Unix stamps; None: as the stamps prove."""
    begin: datetime | None = None
    """Wall clock of the first line of a log without dates, or without stamps; None: not said."""
    round: str | None = None
    """Round of published results whose path names none, as "v1.1"; None: not said."""
    parts: tuple[LogPart, ...] = ()
    """Parts of a log in place of the whole, a run for each."""
    chosen_by: str | None = None
    """Who chose them."""


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """A run of the source: its record, its samples block by block, and what was decided while reading."""

    record: RunRecord
    blocks: Callable[[], Iterator[Block]]
    notes: tuple[str, ...] = ()
    unread: Unread = field(default_factory=Unread)
    identified_by: str = "log"
    """What the run id was made from, as a refusal of the same again names it."""
    declared_s: Mapping[str, float] = field(default_factory=dict)
    """By meter: how far apart a log declares its readings to be [s], where it does."""


@dataclass(frozen=True, slots=True)
class ImportedFigures:
    """Figures that were published without samples."""

    result: PublishedResult
    notes: tuple[str, ...] = ()
    unread: Unread = field(default_factory=Unread)


Imported = ImportedRun | ImportedFigures


@dataclass(frozen=True, slots=True)
class Pending:
    """One result of a source that has not been read yet. ``read`` raises `InputError`."""

    source: str
    """Where it lies within the source, as outcomes and errors name it."""
    title: str
    read: Callable[[], Imported]


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source."""

    kind: str
    """Name in `wattmark import KIND PATH` and in the API."""
    title: str
    takes: str
    """The expected source: a folder or file."""
    time_zone: TimeZones


@dataclass(frozen=True, slots=True)
class Importer(SourceKind):
    """How a kind of source is read. To add one: its module, and a line in `kinds.py`."""

    recognises: Callable[[Path], bool]
    """Return whether a source is of this kind, from names and the first lines alone. Never raises."""
    find: Callable[[Path, Choices], list[Pending]]
    """List the results of a source. Raises `InputError` when there is none."""
    is_log: bool = False
    """Whether its runs cover a log from end to end, so that a person may choose a part."""
    zone: tzinfo | None = None
    """Default time zone of its local stamps."""
    audit: Callable[[Path, Choices], Iterator[Audit]] | None = None
    """Recompute what was published by its own rule and over the complete window; None: nothing to compare."""
