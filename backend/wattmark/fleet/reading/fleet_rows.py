"""The list of the runs of a fleet: filtered, sorted and cut into pages in SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence

from wattmark.core.errors import StoreError
from wattmark.fleet.reading.fleet_groups import counted_values
from wattmark.fleet.reading.fleet_tables import FleetTables
from wattmark.fleet.reading.lab_names import machines_named, named_server
from wattmark.fleet.reading.views import MOST_VALUES, FleetRunQuery
from wattmark.fleet.reading.where import SEARCHED, Where, natural
from wattmark.results.names import Configuration, group_names
from wattmark.results.pages.listing import RunFacets, RunFacetValue, RunRows
from wattmark.results.pages.row import RunRow

_SEARCHED = (*SEARCHED, "run", "workload", "level")
_EXACT = {
    "status": "status",
    "kind": "kind",
    "quality": "quality",
    "configuration": "configuration",
    "workload": "workload",
    "level": "level",
}
_COUNTED = {name: _EXACT[name] for name in ("workload", "level", "quality", "status", "kind")}
_GROUPED_BY = {
    "configuration": "lab, server, configuration",
    "workload": "workload, level",
    "server": "lab, server",
    "campaign": "visitParamExtractString(line, 'campaign_id')",
}
_FAILED = "arrayDistinct(arrayFilter((rule, outcome) -> outcome = 'fail', verdict_rule, verdict_outcome))"
_TOLD = f"' ', toString(length({_FAILED})), ' ', arrayStringConcat({_FAILED}, ' ')"
_SORTED_BY = {
    "configuration": f"if(empty(configuration_title), {natural('configuration')}, {natural('configuration_title')})",
    "verdict": f"concat(status, ' ', quality, {_TOLD})",
    "workload": f"concat({natural('workload')}, ', ', {natural('level')})",
    "repeat": "repeat",
    "created": "created_ns",
}
"""The other columns are figures."""


def row_page(tables: FleetTables, query: FleetRunQuery) -> bytes:
    """Return a page of the list as JSON of `RunRows`, servers with their labs."""
    where = _where(query)
    ((total, matching),) = tables.query(
        tables.select(f"count() AS total, countIf({where.sql}) AS matching", Where()), where.parameters
    )
    column = query.sort.removeprefix("-")
    order = "DESC" if query.sort.startswith("-") else "ASC"
    group = f"{_GROUPED_BY[query.group]}, " if query.group else ""
    rest = f"ORDER BY {group}{_SORTED_BY.get(column, column)} {order} NULLS LAST, created_ns, run"
    page = f"LIMIT {int(query.limit)} OFFSET {int(query.offset)}"
    run_ids = [run_id for (run_id,) in tables.results("run", where, f"{rest} {page}")]
    rows = _rows(tables, run_ids)
    end = query.offset + query.limit
    shown = RunRows(
        total=total,
        matching=matching,
        rows=rows,
        next_offset=end if end < matching else None,
        names=group_names([*{row.server + "/" + row.configuration: _configuration(row) for row in rows}.values()]),
    )
    return shown.model_dump_json().encode()


def row_facets(tables: FleetTables, query: FleetRunQuery) -> RunFacets:
    """Count the runs by what few values tell apart; servers and configurations of a fleet are searched instead."""
    others = query.model_copy(update=dict.fromkeys(_COUNTED))
    counted = counted_values(tables, _where(others), "count()", _COUNTED, query)
    return RunFacets(
        **{
            name: [RunFacetValue(value=value.value, n=value.n) for value in counted[name][:MOST_VALUES]]
            for name in _COUNTED
        }
    )


def _where(query: FleetRunQuery) -> Where:
    where = Where()
    for name, expression in _EXACT.items():
        value = getattr(query, name)
        where.equal(expression, None if value is None else str(value))
    where.among("(lab, server)", [] if query.server is None else machines_named(query.server))
    where.among("lab", query.lab)
    where.words(query.text, _SEARCHED)
    if query.campaign_id is not None:
        stored = f'"campaign_id":{json.dumps(query.campaign_id, ensure_ascii=False)},'
        where.add(f"position(line, {where.parameter(stored)}) > 0")
    if query.tag is not None:
        where.add("1 = 0")  # tags stay on the appliances
    return where


def _rows(tables: FleetTables, run_ids: Sequence[str]) -> list[RunRow]:
    lines = tables.lines(run_ids)
    return [_row(*lines[run_id], run_id) for run_id in run_ids if run_id in lines]


def _row(lab: str, line: str, run_id: str) -> RunRow:
    try:
        row = RunRow.model_validate_json(line)
    except ValueError:
        raise StoreError(
            f"The row of run {run_id} in the fleet store cannot be read.",
            "Update this wattmark, or send the run again: wattmark store sync --again.",
        ) from None
    return row.model_copy(update={"lab": lab, "server": named_server(row.server, lab)})


def _configuration(row: RunRow) -> Configuration:
    return Configuration(row.server, row.configuration, row.configuration_title or row.configuration)
