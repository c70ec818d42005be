"""A report as data: sections with texts, tables and figures, in order. `report_file.py` writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

from wattmark.reports.facts import Facts
from wattmark.reports.figures.plot import Plot
from wattmark.reports.figures.slot_board import Board
from wattmark.tables.table import Table


@dataclass(frozen=True, slots=True)
class Stat:
    """A figure in large type, with what it is and what goes with it."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Download:
    """A file beside the page: its place from there, what it is, the words of its link, and its size [bytes]."""

    place: str
    title: str
    label: str
    size: int


@dataclass(frozen=True, slots=True)
class Section:
    """One section; ``level`` 2 is a chapter, 3 a part of it. Without a title it has no heading."""

    id: str
    title: str
    words: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    level: int = 2
    lead: str = ""
    """The answer, in large type."""
    stats: tuple[Stat, ...] = ()
    facts: tuple[Facts, ...] = ()
    boards: tuple[Board, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()
    """(term, what it means)."""
    downloads: tuple[Download, ...] = ()
    """Files beside the page; a report that is one file has none."""
    folded: tuple[Table | Facts, ...] = ()
    """Shown on request on a screen, omitted on paper."""
    screen_only: bool = False
    """The whole section is folded on a screen and omitted on paper."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """An entry of the contents, with the function that yields its sections; the first section has its id."""

    id: str
    title: str
    sections: Callable[[], Iterable[Section]]

    @classmethod
    def of(cls, section: Section) -> Self:
        """Create a chapter of one section."""
        return cls(section.id, section.title, lambda: (section,))


@dataclass(frozen=True, slots=True)
class Report:
    """Title, what it is about in one line, the number of its runs, and the chapters."""

    title: str
    about: str
    runs: int
    chapters: tuple[Chapter, ...]
