"""The structure of one published article as data: systems tested, figures printed, and their power."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Published(BaseModel):
    """Base of all published data: unknown fields are an error, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Place = tuple[str, str, str]
"""Where a figure is printed: table, label of the row, title of the column."""


class ArticleSource(Published):
    """Where and when figures were published."""

    id: str
    title: str
    site: str
    date: str
    language: str
    address: str = ""


class System(Published):
    """A machine as the article describes it; None: not told."""

    id: str
    title: str
    cpu: str
    cpus: int | None = None
    cores: int | None = None
    memory_type: str | None = None
    modules: int | None = None
    memory_gib: float | None = None
    disks: str | None = None
    os: str | None = None
    power: str | None = None
    """The power row that belongs to the machine."""
    power_remark: str | None = None
    no_power: str | None = None
    """Why there is none."""
    role: Literal["tested", "tested earlier", "client", "storage", "named"] = "tested"
    """What the article used it for: a client drives the load, a machine that is only named has no figures."""
    place: str | None = None
    """Where the article tells of it; None: among its tested machines."""


class PowerRow(Published):
    """A printed power figure and the build it was taken with."""

    id: str
    at: Place
    cpus: int
    cores: int
    memory_gib: float


class Power(Published):
    """The power figures of an article and the condition they share."""

    condition: str
    rows: tuple[PowerRow, ...]


class Figure(Published):
    """One throughput figure; ``cpus`` and ``cores`` where fewer worked than the system has."""

    id: str
    system: str
    level: str
    """"full load" where the article drove the machine as far as it goes."""
    detail: str | None = None
    """How the level was reached, or what part of the machine worked."""
    at: Place | None = None
    kind: Literal["measured", "assumed", "extrapolated"] = "measured"
    assumed_from: str | None = None
    missing: str | None = None
    """Why there is no number."""
    cpus: int | None = None
    cores: int | None = None
    remark: str | None = None


class Workload(Published):
    """A workload of an article; its ``id`` is that of a live workload where they are the same."""

    id: str
    title: str
    unit: str
    rate_unit: str | None = None
    """Unit of the figures; None: ``unit`` per second."""
    figures: tuple[Figure, ...]

    @property
    def throughput_unit(self) -> str:
        """Return the unit of the figures."""
        return self.rate_unit or f"{self.unit}/s"


class ArticleTable(Published):
    """A printed table; the first column labels the rows."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]
    remarks: tuple[str, ...] = ()

    def cell(self, row: str, column: str) -> float:
        """Read a number. Raises KeyError where there is none."""
        position = self.columns.index(column)
        value = {str(cells[0]): cells[position] for cells in self.rows}[row]
        if not isinstance(value, (int, float)):
            raise KeyError(f"{self.id}: {row}, {column}")
        return float(value)


class Article(Published):
    """Everything numeric that one article publishes."""

    source: ArticleSource
    systems: tuple[System, ...]
    power: Power | None = None
    workloads: tuple[Workload, ...] = ()
    tables: tuple[ArticleTable, ...]
    claims: tuple[str, ...] = ()
    """Claims of the article without the figures behind them."""

    def value(self, place: Place) -> float:
        """Read a printed number. Raises KeyError where there is none."""
        table, row, column = place
        return {each.id: each for each in self.tables}[table].cell(row, column)

    def system(self, identity: str) -> System:
        """Find a system. Raises KeyError."""
        return {each.id: each for each in self.systems}[identity]

    def power_row(self, identity: str | None) -> PowerRow | None:
        """Find a power row; None where the article has none."""
        rows = self.power.rows if self.power else ()
        return next((row for row in rows if row.id == identity), None)


class Check(Published):
    """A printed figure that follows from other printed figures of the article."""

    id: str
    operation: str
    inputs: dict[str, float | tuple[float, ...]]
    half_width: float | dict[str, float]
    """Half of the last printed digit of the inputs; 0: exact."""
    printed: float
    decimals: int
    unit: str


class Remark(Published):
    """Something in the articles that does not fit together."""

    id: str
    sources: tuple[str, ...]
    where: str
    what: str
    severity: str
