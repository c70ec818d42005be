"""What memory populations would draw that were not measured: watts, work per joule and cost, each with its interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from wattmark.analysis.parts.population_model import (
    RANKS,
    SIZE,
    SPEED,
    Kept,
    Observation,
    Population,
    PopulationModel,
    Prediction,
    leave_one_server_out,
    population_model,
)
from wattmark.analysis.refusal import Refused
from wattmark.comparison.memory.module_words import population_words, written_population
from wattmark.comparison.memory.populations import Seen
from wattmark.comparison.memory.yearly_cost import Energy
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.core.likely import meant_or_listed
from wattmark.core.numbers import format_number, format_rounded
from wattmark.core.schema import Schema

MOST_WAYS = 8
"""Ways of populating a server that are asked about together."""
_WELL_HELD = (0.90, 0.98)
"""Shares of servers between which a 95 % interval is taken to hold what it says."""
_FEWEST_HELD = 10
"""Servers below which the share held says little."""
NOT_IN_IT = (
    "An error that the meters of all servers share is not in the interval, and neither is what changes when the "
    "modules no longer fill the channels alike."
)


class PredictedWay(Schema):
    """One way of populating a server."""

    population: str
    kind: str
    modules: int
    gib: float
    watts: Interval | None
    """Of all modules together at the wall, against a server without any."""
    cost_per_year: Interval | None
    refusal: str | None
    remarks: list[str]


class PredictedDifference(Schema):
    """One way against the first."""

    population: str
    against: str
    watts: Interval | None
    cost_per_year: Interval | None
    efficiency_pct: Interval | None
    """Work per joule against that of the first way [%]; None at active idle, and where it is not known."""
    real: bool | None
    """Whether the interval of the watts excludes 0; None: there is none."""
    statement: str
    remarks: list[str]


class ModelKind(Schema):
    """A kind of modules that servers were measured with."""

    kind: str
    servers: int
    """Measured with several populations of it."""
    results: int
    modules: tuple[int, int]
    module_gib: tuple[float, float]


class ModelServer(Schema):
    """A server that the model was fitted without, and what the others predict for it."""

    server: str
    kind: str
    watts_per_module: float
    predicted: Interval
    held: bool


class ModelCheck(Schema):
    """How often the prediction interval held a server that the model was fitted without."""

    servers: list[ModelServer]
    held: int
    share: float | None
    statement: str


class PredictedMemoryOut(Schema):
    """Answer to: which way of populating a server draws less, and by how much."""

    workload: str | None
    """None: active idle of every workload."""
    level: str
    kinds: list[ModelKind]
    """Those with most servers first."""
    kind: str | None
    """Of ways that name none."""
    factors: list[str]
    """What the model knows of a module besides its kind."""
    ways: list[PredictedWay]
    differences: list[PredictedDifference]
    check: ModelCheck
    scatter_w: float | None
    """Standard deviation between servers [W per module]."""
    tariff_per_kwh: float | None
    currency: str
    hours: float
    excluded: int
    simulated: bool
    traceable: bool
    statement: str


def predicted_memory(
    seen: Seen,
    texts: Sequence[str],
    energy: Energy,
    *,
    workload: str | None,
    level: str,
    kind: str | None = None,
) -> PredictedMemoryOut:
    """Predict watts, work per joule and cost of ways of populating a server [W, %, currency a year].

    ``texts`` are ways as a person writes them; each other one is held against the first. Ranks and speed are factors
    where every way states them. Raises `InputError` for a text that is no population, or a kind that nobody measured.
    """
    kinds = _kinds(seen.power)
    usual = kind or (kinds[0].kind if kinds else None)
    ways = [_known(written_population(text, usual or ""), kinds) for text in texts]
    if kind is not None:
        _known(Population(kind, 1, 1.0), kinds)
    factors = [SIZE, *(factor for factor in (RANKS, SPEED) if ways and all(factor.amount(way) for way in ways))]
    power, efficiency = population_model(seen.power, factors), population_model(seen.efficiency, factors)
    shown = [_way(way, power, seen.power, energy) for way in ways]
    differences = [_difference(way, ways[0], power, efficiency, energy, level) for way in ways[1:]]
    check = model_check(leave_one_server_out(seen.power, factors))
    return PredictedMemoryOut(
        workload=workload,
        level=level,
        kinds=kinds,
        kind=usual,
        factors=[factor.name for factor in factors],
        ways=shown,
        differences=differences,
        check=check,
        scatter_w=None if math.isnan(power.scatter) or not power.rows else power.scatter,
        tariff_per_kwh=energy.tariff_per_kwh,
        currency=energy.currency,
        hours=energy.hours,
        excluded=seen.excluded,
        simulated=seen.simulated,
        traceable=seen.traceable,
        statement=_statement(power, level, seen, differences),
    )


def _kinds(power: Sequence[Observation]) -> list[ModelKind]:
    rows = Counter(row.kind for row in population_model(power, (SIZE,)).rows)
    names = sorted({each.memory.kind for each in power}, key=lambda kind: (-rows[kind], kind))
    return [_kind(name, rows[name], [each.memory for each in power if each.memory.kind == name]) for name in names]


def _kind(name: str, servers: int, held: Sequence[Population]) -> ModelKind:
    sizes = [memory.gib / memory.modules for memory in held]
    counts = [memory.modules for memory in held]
    return ModelKind(
        kind=name,
        servers=servers,
        results=len(held),
        modules=(min(counts), max(counts)),
        module_gib=(min(sizes), max(sizes)),
    )


def _known(memory: Population, kinds: Sequence[ModelKind]) -> Population:
    """Return a population with the name of its kind as the results have it. Raises `InputError` for an unknown one."""
    names = [kind.kind for kind in kinds]
    if not names:
        raise InputError(
            "No server was measured or published with known memory modules.",
            "Import published results (`wattmark import specpower`), or measure one server with two populations.",
        )
    exact = next((name for name in names if name.casefold() == memory.kind.casefold()), None)
    if exact is None:
        cause = f"No server was measured or published with {memory.kind[:80]!r}: what such a module draws is not known."
        raise InputError(cause, meant_or_listed(memory.kind[:80], names, "Kinds"))
    return Population(exact, memory.modules, memory.gib, memory.ranks, memory.speed_mts)


def _interval(predicted: Prediction, of: Callable[[float], float] = lambda value: value) -> Interval:
    return Interval(value=of(predicted.value), low=of(predicted.low), high=of(predicted.high))


def _way(way: Population, model: PopulationModel, seen: Sequence[Observation], energy: Energy) -> PredictedWay:
    watts: Interval | None = None
    refusal: str | None = None
    remarks = _beyond(way, [each.memory for each in seen if each.memory.kind == way.kind])
    try:
        predicted = model.of(way)
        watts = _interval(predicted)
        if predicted.beyond and not remarks:
            remarks = ["Extrapolated, not measured: no server comes near this combination."]
        remarks.append("Against a server without modules, which nobody measured: the line is drawn on to 0.")
    except Refused as reason:
        refusal = reason.text
    return PredictedWay(
        population=population_words(way),
        kind=way.kind,
        modules=way.modules,
        gib=way.gib,
        watts=watts,
        cost_per_year=energy.a_year(watts),
        refusal=refusal,
        remarks=remarks,
    )


def _beyond(way: Population, measured: Sequence[Population]) -> list[str]:
    """Explain which facts of a population lie outside those that servers were measured with."""
    facts: tuple[tuple[str, str, Callable[[Population], float | None]], ...] = (
        ("", " modules", lambda memory: float(memory.modules)),
        ("modules of ", " GiB", lambda memory: memory.gib / memory.modules),
        ("", " ranks a module", lambda memory: None if memory.ranks is None else memory.ranks / memory.modules),
        ("", " MT/s", lambda memory: memory.speed_mts),
    )
    sentences = []
    for before, unit, fact in facts:
        value = fact(way)
        known = [each for memory in measured if (each := fact(memory)) is not None]
        if value is None or not known or min(known) <= value <= max(known):
            continue
        low, high = format_number(min(known)), format_number(max(known))
        span = low if low == high else f"{low} to {high}"
        sentences.append(
            f"Extrapolated, not measured: {before}{format_number(value)}{unit}, while {way.kind} was measured with "
            f"{span}. The interval holds only if the line goes on there."
        )
    return sentences


def _difference(
    way: Population,
    first: Population,
    power: PopulationModel,
    efficiency: PopulationModel,
    energy: Energy,
    level: str,
) -> PredictedDifference:
    names = population_words(way), population_words(first)
    remarks = []
    if way.kind != first.kind:
        remarks.append(
            f"{way.kind} and {first.kind} go into two servers: what else differs between these is not counted."
        )
    if not math.isclose(way.gib, first.gib):
        remarks.append(f"They hold {format_number(way.gib)} and {format_number(first.gib)} GiB.")
    try:
        predicted = power.between(way, first)
    except Refused as refusal:
        return PredictedDifference(
            population=names[0],
            against=names[1],
            watts=None,
            cost_per_year=None,
            efficiency_pct=None,
            real=None,
            statement=f"{names[0]} against {names[1]}: {refusal.text}",
            remarks=remarks,
        )
    watts = _interval(predicted)
    if predicted.beyond:
        remarks.append("Extrapolated, not measured: no server changed its memory by as much of this kind.")
    share: Interval | None = None
    try:
        share = _interval(efficiency.between(way, first), lambda log: 100.0 * math.expm1(log))
    except Refused as refusal:
        if efficiency.rows:
            remarks.append(f"Work per joule: {refusal.text}")
    real = predicted.low > 0.0 or predicted.high < 0.0
    cost = energy.a_year(watts)
    return PredictedDifference(
        population=names[0],
        against=names[1],
        watts=watts,
        cost_per_year=cost,
        efficiency_pct=share,
        real=real,
        statement=_verdict(names, watts, cost, energy, level, real=real),
        remarks=remarks,
    )


def _verdict(
    names: tuple[str, str], watts: Interval, cost: Interval | None, energy: Energy, level: str, *, real: bool
) -> str:
    low, high = watts.ends
    half = watts.U95
    ends = f"{format_rounded(low, half)} to {format_rounded(high, half, 'W')}"
    if not real:
        first = (
            f"Which draws less at {level} is not known: {names[0]} against {names[1]} differs by "
            f"{format_rounded(watts.value, half, 'W')}, and the 95 % interval, {ends}, has 0 W in it."
        )
    else:
        size = format_rounded(abs(watts.value), half, "W")
        word = "more" if watts.value > 0 else "less"
        first = f"{names[0]} draws {size} {word} than {names[1]} at {level} (95 % interval of the difference {ends})."
    if cost is None:
        return first
    span = f"{format_rounded(cost.low, cost.U95)} to {format_rounded(cost.high, cost.U95, energy.currency)}"
    return (
        f"{first} In {format_number(energy.hours)} h a year that is "
        f"{format_rounded(cost.value, cost.U95, energy.currency)} ({span})."
    )


def _statement(power: PopulationModel, level: str, seen: Seen, differences: Sequence[PredictedDifference]) -> str:
    servers = len({row.server for row in power.rows})
    source = "simulated servers" if seen.simulated else "servers"
    if not servers:
        return f"No server was measured with several memory populations at {level}: nothing can be predicted."
    read = f", by the newest {seen.newest} runs of each configuration" if seen.newest else ""
    fitted = (
        f"Predicted from {servers} {source} with several populations at {level}{read}; not measured in another one."
    )
    return " ".join([*(each.statement for each in differences), fitted, NOT_IN_IT])


def model_check(kept: Sequence[Kept]) -> ModelCheck:
    """Count the servers whose rise the interval held that was predicted from all others."""
    servers = [
        ModelServer(
            server=each.server,
            kind=each.kind,
            watts_per_module=each.value,
            predicted=_interval(each.predicted),
            held=each.held,
        )
        for each in kept
    ]
    held = sum(each.held for each in kept)
    share = held / len(kept) if kept else None
    return ModelCheck(servers=servers, held=held, share=share, statement=_check_words(len(kept), held, share))


def _check_words(servers: int, held: int, share: float | None) -> str:
    if share is None:
        return "The model could not be checked: no server can be predicted from the others."
    counted = (
        f"Each server was predicted from all others: the 95 % interval held {held} of {servers} "
        f"({format_number(100.0 * share, 3)} %)."
    )
    if servers < _FEWEST_HELD:
        return f"{counted} So few say little."
    low, high = _WELL_HELD
    if share < low:
        return f"{counted} It is too narrow for these servers: take it as a hint."
    return f"{counted} It is wider than it need be." if share > high else counted
