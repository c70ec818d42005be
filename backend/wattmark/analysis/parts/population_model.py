"""What another memory population would draw, in a server that was not measured with it.

Each server that was measured with several populations is one row: the rise of its value per module that was added, or
per module exchanged where only the size changed. Both sides of the row are the same weighted sums over its results, so
that what else the server draws cancels. The rise is a linear function of what the added modules are: their kind, size,
ranks and speed, fitted by least squares. Every server weighs the same: its scatter holds that between servers and that
within one, as in `pooled`, to which the model comes down where the modules are all alike.

Sources: S. R. Searle, Linear Models (1971), 5.4 (estimable functions: those in the row space of the design);
N. R. Draper and H. Smith, Applied Regression Analysis, 3rd ed. (1998), 3.1 and 5.5 (prediction interval, leverage);
D. C. Montgomery et al., Introduction to Linear Regression Analysis, 5th ed. (2012), 3.8 (hidden extrapolation: a
leverage above that of every row).
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wattmark.analysis.comparison.comparison import student_factor
from wattmark.analysis.refusal import Refused

FEWEST_FREE = 2
"""Fewest degrees of freedom: with one, the interval says nothing."""
_SAME = 1e-9
"""Relative size below which a remainder of rounding is nothing."""

Row = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Population:
    """Modules of one kind that a server holds together; None: not stated."""

    kind: str
    modules: int
    gib: float
    ranks: float | None = None
    """Of all modules together."""
    speed_mts: float | None = None


@dataclass(frozen=True, slots=True)
class Factor:
    """What a module may have besides its kind: its name, the unit of its amount, and how much all modules have."""

    name: str
    unit: str
    amount: Callable[[Population], float | None]


SIZE = Factor("size", "GiB", lambda memory: memory.gib)
RANKS = Factor("ranks", "rank", lambda memory: memory.ranks)
SPEED = Factor("speed", "GT/s of a module", lambda p: None if p.speed_mts is None else p.modules * p.speed_mts / 1000.0)
FACTORS = (SIZE, RANKS, SPEED)
"""Every factor beside the kind of the modules, whose column is their count."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One result of a server: what it held, and its value with what its print or its scatter leaves open."""

    server: str
    memory: Population
    value: float
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class ServerRow:
    """The rise of one server per module, and what a module brought."""

    server: str
    kind: str
    value: float
    u: float
    amounts: Row
    exchanged: bool
    """Whether the modules were exchanged for others of another size, their count being the same."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A change of the value [its unit] with its 95 % prediction interval for a server that was not measured."""

    value: float
    low: float
    high: float
    u: float
    dof: int
    beyond: bool
    """Whether it lies farther from what was measured than any server: extrapolated."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A server that the model was fitted without: its rise, and what the others predict for it."""

    server: str
    kind: str
    value: float
    predicted: Prediction

    @property
    def held(self) -> bool:
        return self.predicted.low <= self.value <= self.predicted.high


class PopulationModel:
    """Least squares over servers; its interval is that of another server."""

    def __init__(self, rows: Sequence[ServerRow], kinds: Sequence[str], factors: Sequence[Factor]) -> None:
        self.rows = tuple(rows)
        self.kinds = tuple(kinds)
        self.factors = tuple(factors)
        design = np.array([row.amounts for row in rows]).reshape(len(rows), len(kinds) + len(factors))
        self._unit = np.abs(design).max(axis=0, initial=0.0)
        self._unit[self._unit == 0.0] = 1.0
        scaled = design / self._unit
        self._pinv = np.linalg.pinv(scaled, rcond=_SAME)
        self.coefficients: Row = self._pinv @ np.array([row.value for row in rows])
        self.rank = int(np.linalg.matrix_rank(scaled, tol=_SAME)) if rows else 0
        self.dof = len(rows) - self.rank
        residuals = np.array([row.value for row in rows]) - scaled @ self.coefficients
        printed = math.sqrt(statistics.fmean(row.u**2 for row in rows)) if rows else 0.0
        own = math.sqrt(float(residuals @ residuals) / self.dof) if self.dof > 0 else math.nan
        self.scatter = max(own, printed)
        """Standard deviation between servers of the rise per module; never below what the printed digits leave open."""
        self._leverages = np.einsum("ij,ji->i", scaled, self._pinv) if rows else np.zeros(0)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.kinds, *(factor.name for factor in self.factors))

    def amounts(self, memory: Population) -> Row:
        """Return what a population has of every column. Raises `Refused` for what it does not state."""
        by_kind = [float(memory.modules) if memory.kind == kind else 0.0 for kind in self.kinds]
        stated = [factor.amount(memory) for factor in self.factors]
        if unstated := [factor.name for factor, amount in zip(self.factors, stated, strict=True) if amount is None]:
            raise Refused("not-stated", f"State the {' and '.join(unstated)} of the modules.")
        return np.array([*by_kind, *stated], dtype=float)

    def of(self, memory: Population) -> Prediction:
        """Predict what a population adds to a server without any modules [unit of the value]."""
        self._require_kinds(memory)
        return self._predict(self.amounts(memory), float(memory.modules))

    def between(self, memory: Population, against: Population) -> Prediction:
        """Predict what a population adds against another one: in one server, or each in its own where kinds differ.

        Raises `Refused` where both are the same, or a factor in which they differ was not measured.
        """
        self._require_kinds(memory, against)
        change = self.amounts(memory) - self.amounts(against)
        if memory.kind != against.kind:
            return self._predict(change, math.hypot(memory.modules, against.modules))
        return self._predict(change, float(abs(memory.modules - against.modules) or memory.modules))

    def _require_kinds(self, *populations: Population) -> None:
        for memory in populations:
            if memory.kind not in self.kinds:
                raise Refused(
                    "kind-not-measured",
                    f"No server was measured with several populations of {memory.kind}: what one of them draws is not "
                    f"known. Measured: {', '.join(self.kinds) or 'none'}.",
                )

    def _predict(self, change: Row, modules: float) -> Prediction:
        """Predict a change of amounts that ``modules`` modules make."""
        if self.dof < FEWEST_FREE:
            raise Refused(
                "few-servers",
                f"{len(self.rows)} servers with several populations are too few for {self.rank} factors: "
                f"{self.rank + FEWEST_FREE} are needed.",
            )
        scaled = change / self._unit
        seen = self._pinv @ self._design_of(scaled)
        missing = scaled - seen
        size = float(np.linalg.norm(scaled))
        if size == 0.0:
            raise Refused("same-memory", "Both populations are the same to this model: nothing differs.")
        if float(np.linalg.norm(missing)) > math.sqrt(_SAME) * size:
            worst = [name for name, part in zip(self.columns, missing, strict=True) if abs(part) > math.sqrt(_SAME)]
            raise Refused(
                "not-estimable",
                f"These always changed together where they were measured: {', '.join(worst)}. It takes a server in "
                "which one of them changes and the others do not.",
            )
        per_module = scaled / modules
        leverage = float(np.sum((per_module @ self._pinv) ** 2))
        u = self.scatter * modules * math.sqrt(1.0 + leverage)
        value = float(scaled @ self.coefficients)
        half = student_factor(float(self.dof)) * u
        beyond = leverage > float(self._leverages.max(initial=0.0)) * (1.0 + _SAME)
        return Prediction(value, value - half, value + half, u, self.dof, beyond)

    def _design_of(self, scaled: Row) -> Row:
        seen: Row = (np.array([row.amounts for row in self.rows]) / self._unit) @ scaled
        return seen

    def row_prediction(self, row: ServerRow) -> Prediction:
        """Predict the rise per module of a server's row."""
        return self._predict(row.amounts, 1.0)


def population_model(observations: Iterable[Observation], factors: Sequence[Factor]) -> PopulationModel:
    """Fit the rise of a value per module over servers [unit of the value per module].

    Results that do not state a factor make no row; neither does a server with one population.
    """
    rows = server_rows(observations, factors)
    return _fitted(rows, factors)


def _fitted(rows: Sequence[ServerRow], factors: Sequence[Factor]) -> PopulationModel:
    kinds = sorted({row.kind for row in rows if not row.exchanged})
    place = {kind: index for index, kind in enumerate(kinds)}
    return PopulationModel([_placed(row, place, len(factors)) for row in rows], kinds, factors)


def _placed(row: ServerRow, place: Mapping[str, int], factors: int) -> ServerRow:
    """Put the amounts of a row into the columns of a model; exchanged modules have none in that of their kind."""
    amounts = np.zeros(len(place) + factors)
    if not row.exchanged:
        amounts[place[row.kind]] = row.amounts[0]
    amounts[len(place) :] = row.amounts[1:]
    return ServerRow(row.server, row.kind, row.value, row.u, amounts, row.exchanged)


def server_rows(observations: Iterable[Observation], factors: Sequence[Factor]) -> list[ServerRow]:
    """Build a row for each server and kind with several populations: amounts are its modules, then the factors."""
    by_server: dict[tuple[str, str], list[tuple[Observation, list[float]]]] = defaultdict(list)
    for seen in observations:
        stated = [factor.amount(seen.memory) for factor in factors]
        if seen.memory.modules > 0 and None not in stated:
            amounts = [float(seen.memory.modules), *(amount for amount in stated if amount is not None)]
            by_server[seen.server, seen.memory.kind].append((seen, amounts))
    rows = (_row(*key, seen) for key, seen in sorted(by_server.items()))
    return [row for row in rows if row is not None]


def _row(server: str, kind: str, seen: Sequence[tuple[Observation, list[float]]]) -> ServerRow | None:
    modules = np.array([float(each.memory.modules) for each, _ in seen])
    sizes = np.array([each.memory.gib for each, _ in seen])
    exchanged = bool(np.ptp(modules) == 0.0)
    by = sizes if exchanged else modules
    about = by - by.mean()
    if not np.any(np.abs(about) > _SAME * np.abs(by).max()):
        return None
    weights = about / float(about @ about)
    if exchanged:
        weights = weights * float(np.ptp(sizes)) / modules[0]
    amounts = np.array([own for _, own in seen])
    values, printed = np.array([each.value for each, _ in seen]), np.array([each.u for each, _ in seen])
    return ServerRow(
        server, kind, float(weights @ values), float(np.linalg.norm(weights * printed)), weights @ amounts, exchanged
    )


def leave_one_server_out(observations: Iterable[Observation], factors: Sequence[Factor]) -> list[Kept]:
    """Predict each server from all others; those that the others do not determine are not in the list."""
    rows = server_rows(observations, factors)
    kept: list[Kept] = []
    for server in sorted({row.server for row in rows}):
        others = [row for row in rows if row.server != server]
        model = _fitted(others, factors)
        place = {kind: index for index, kind in enumerate(model.kinds)}
        for row in rows:
            if row.server != server or not (row.exchanged or row.kind in place):
                continue
            try:
                predicted = model.row_prediction(_placed(row, place, len(factors)))
            except Refused:
                continue
            kept.append(Kept(row.server, row.kind, row.value, predicted))
    return kept
