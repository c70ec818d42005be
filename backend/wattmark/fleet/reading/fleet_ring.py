"""Laboratories of a fleet that measured one model alike, as ring comparisons."""

from __future__ import annotations

from typing import Any

from wattmark.comparison.compare.installations import installations
from wattmark.comparison.ring.ring import ring_view
from wattmark.comparison.ring.views import RingChoice, RingItem, RingOut, RingsOut
from wattmark.core.errors import InputError
from wattmark.fleet.reading.fleet_results import MOST_RESULTS, FleetResults
from wattmark.fleet.reading.fleet_run import as_shown
from wattmark.fleet.reading.fleet_tables import FleetTables
from wattmark.fleet.reading.views import RingQuery, RingsQuery
from wattmark.fleet.reading.where import Where

MOST_RINGS = 200
_ITEM = ("server_model", "processor", "memory", "dimm_count", "workload", "level", "simulated")
_COLUMNS = ", ".join(_ITEM)


def rings(tables: FleetTables, query: RingsQuery) -> RingsOut:
    """List what at least two laboratories measured alike, that of most laboratories first."""
    where = Where()
    where.equal("workload", query.workload)
    where.equal("level", query.level)
    where.words(query.text, ("server_model", "processor", "memory", "workload", "level"))
    choices = _choices(tables, where, 2, MOST_RINGS + 1)
    return RingsOut(rings=choices[:MOST_RINGS], more=len(choices) > MOST_RINGS)


def ring_of(tables: FleetTables, query: RingQuery) -> RingOut:
    """Compare the laboratories that measured a model; of several processors or memories that of most laboratories.

    Raises `InputError` where fewer than two measured it, and for too many results.
    """
    where = Where()
    where.equal("workload", query.workload)
    where.equal("level", query.level)
    where.equal("server_model", query.model)
    where.equal("processor", query.processor)
    where.equal("memory", query.memory)
    where.equal("dimm_count", query.dimms)
    where.equal("simulated", int(query.simulated))
    choice = next(iter(_choices(tables, where, 1, 1)), None)
    if choice is None:
        raise InputError(
            f"No laboratory measured {query.model[:80]!r} with {query.workload[:80]!r} at {query.level[:80]!r}.",
            "Choose one from the list: wattmark store rings.",
        )
    item = RingItem(**{name: getattr(choice, name) for name in RingItem.model_fields})
    chosen = _exactly(item)
    runs = tables.results("run, lab, server", chosen, "ORDER BY created_ns, run")
    if len(runs) > MOST_RESULTS:
        raise InputError(
            f"This asks for {len(runs)} results; at most {MOST_RESULTS} are read for one answer.",
            "Choose a processor or memory that fewer laboratories measured.",
        )
    machines = [*dict.fromkeys((lab, server) for _, lab, server in runs)]
    fitted = installations(FleetResults(tables, machines).ran(item.workload))
    documents = tables.documents([run for run, _, _ in runs])
    return ring_view(item, ((lab, as_shown(result, lab)) for lab, result in documents), query.figure, fitted)


def _choices(tables: FleetTables, where: Where, fewest: int, most: int) -> list[RingChoice]:
    where.add("server_model != ''")
    rest = f"GROUP BY {_COLUMNS} HAVING labs >= {fewest} ORDER BY labs DESC, runs DESC, {_COLUMNS} LIMIT {most}"
    rows = tables.results(f"{_COLUMNS}, uniqExact(lab) AS labs, count() AS runs", where, rest)
    return [_choice(row) for row in rows]


def _choice(row: tuple[Any, ...]) -> RingChoice:
    fields = dict(zip((*_ITEM, "labs", "runs"), row, strict=True))
    return RingChoice(**{**fields, "simulated": bool(fields["simulated"])})


def _exactly(item: RingItem) -> Where:
    where = Where()
    for name in _ITEM:
        value = getattr(item, name)
        if value is None:
            where.add(f"isNull({name})")
        else:
            where.equal(name, int(value) if name == "simulated" else value)
    return where
