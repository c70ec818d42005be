"""Which configurations of a fleet a page shows, and what they can be filtered by: counted and sorted in SQL."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from wattmark.analysis.comparison.comparison import FEWEST_TO_TEST
from wattmark.comparison.compare.yardstick import ComparedBy
from wattmark.fleet.reading.fleet_tables import FleetTables
from wattmark.fleet.reading.lab_names import Build
from wattmark.fleet.reading.views import MOST_VALUES, Facet, FacetsOut, FacetValue, GroupQuery
from wattmark.fleet.reading.where import BUILD, Where, in_values

_FACETS = {"lab": "lab", "model": "server_model", "processor": "processor", "dimms": "dimm_count"}
"""The columns of the properties that configurations are filtered by."""
_ALL = "all"
"""Instead of a property: all that match."""
_BUILD = "lab, server, configuration"
_DIGITS = 9
"""Of the logarithm of a mean that is sorted by: what its last digits are depends on the order of adding."""


def chosen(query: GroupQuery) -> Where:
    """Return the conditions of a query."""
    where = _searched(query)
    for facet, column in _FACETS.items():
        where.among(column, getattr(query, facet))
    return where


def builds(tables: FleetTables, query: GroupQuery, figure: ComparedBy, offset: int, limit: int) -> list[Build]:
    """Choose a page of configurations by the geometric mean of a figure, best first; those without it come last.

    As where a comparison chooses the best, measured ones go before simulated ones, and of each those that have the
    runs for a test before those that have not.
    """
    usable = f"{figure}_ranked = 1 AND {figure} > 0"
    measured = f"{usable} AND simulated = 0"
    mean = f"if(countIf({measured}) > 0, avgIf(log({figure}), {measured}), avgIf(log({figure}), {usable}))"
    runs = f"if(countIf({measured}) > 0, countIf({measured}), countIf({usable}))"
    standing = f"countIf({usable}) = 0, countIf({measured}) = 0, {runs} < {FEWEST_TO_TEST}"
    order = f"{standing}, mean {'ASC' if figure == 'power' else 'DESC'}, {_BUILD}"
    rest = f"GROUP BY {_BUILD} ORDER BY {order} LIMIT {int(limit)} OFFSET {int(offset)}"
    select = f"{_BUILD}, round({mean}, {_DIGITS}) AS mean"
    rows = tables.results(select, chosen(query), rest)
    return [(lab, server, configuration) for lab, server, configuration, _ in rows]


def counts(tables: FleetTables, query: GroupQuery) -> tuple[int, int]:
    """Count the configurations that match a query, and all of its workload and level."""
    filters = chosen(query)
    select = f"uniqExactIf({BUILD}, {filters.sql}) AS matching, uniqExact({BUILD}) AS total"
    where = Where()
    where.equal("workload", query.workload)
    where.equal("level", query.level)
    ((matching, total),) = tables.query(tables.select(select, where), {**where.parameters, **filters.parameters})
    return matching, total


def facets(tables: FleetTables, query: GroupQuery) -> FacetsOut:
    """Count the configurations by lab, model, processor and number of modules, each under the other filters."""
    counted = counted_values(tables, _searched(query), f"uniqExact({BUILD})", _FACETS, query)
    matching = sum(value.n for value in counted.pop(_ALL))
    return FacetsOut(**{name: _most_frequent(of) for name, of in counted.items()}, matching=matching)


def counted_values(
    tables: FleetTables, where: Where, count: str, columns: Mapping[str, str], query: BaseModel
) -> dict[str, list[FacetValue]]:
    """Count the values of some columns, the most frequent first, each under the filters of a query by the others.

    ``columns``: by the filter of the query that chooses them.
    """
    asked = {name: _asked(where, column, getattr(query, name)) for name, column in columns.items()}
    counted = {name: [asked[other] for other in columns if other != name] for name in columns}
    values = {name: f"ifNull(toString({column}), '')" for name, column in columns.items()}
    counted[_ALL], values[_ALL] = [*asked.values()], "''"
    grouped = ", ".join(columns.values())
    inner = tables.select(f"{grouped}, {count} AS counted", where, f"GROUP BY {grouped}")
    sql = f"""SELECT facet, value, sum(counted) AS n FROM ({inner})
      ARRAY JOIN [{", ".join(f"'{name}'" for name in values)}] AS facet, [{", ".join(values.values())}] AS value,
        [{", ".join(f"toUInt8({' AND '.join(conditions)})" for conditions in counted.values())}] AS counts
      WHERE counts = 1 AND (facet IN ('lab', '{_ALL}') OR notEmpty(value))
      GROUP BY facet, value ORDER BY n DESC, value"""  # noqa: S608
    by_facet: dict[str, list[FacetValue]] = {name: [] for name in values}
    for facet, value, n in tables.query(sql, where.parameters):
        by_facet[facet].append(FacetValue(value=value, n=n))
    return by_facet


def _most_frequent(values: list[FacetValue]) -> Facet:
    return Facet(values=values[:MOST_VALUES], more=max(0, len(values) - MOST_VALUES))


def _asked(where: Where, column: str, chosen: object) -> str:
    """Return the condition of one filter, whose parameter is added to ``where``; 1: there is none."""
    values = chosen if isinstance(chosen, list) else [] if chosen is None else [str(chosen)]
    return in_values(column, where.parameter(tuple(values))) if values else "1"


def _searched(query: GroupQuery) -> Where:
    where = Where()
    where.equal("workload", query.workload)
    where.equal("level", query.level)
    where.words(query.text)
    return where
