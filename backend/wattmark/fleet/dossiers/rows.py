"""A dossier as rows of the fleet's tables, for whatever engine or file takes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from wattmark.comparison.compare.facts import group_facts
from wattmark.core.numbers import format_number
from wattmark.fleet.dossiers.dossier import Dossier
from wattmark.results.pages.row import FIGURES, RunRow, run_row
from wattmark.results.result import Result
from wattmark.runs.configuration import PERSISTENT
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import SeriesKey

Row = dict[str, Any]
"""A value by the name of its column; None where a nullable one is not known."""


def lab_of_dossier(dossier: Dossier) -> str:
    """Return the lab that recorded a run, which may be another one than that whose appliance holds it."""
    return dossier.lab if dossier.origin is None else dossier.origin.lab


def run_columns(dossier: Dossier, written_ns: int) -> Row:
    """Return the row of table `run`."""
    record = dossier.record
    return {
        "lab": lab_of_dossier(dossier),
        "run": record.run_id,
        "created_ns": record.created_ns,
        "written_ns": written_ns,
        "status": record.status.value,
        "deleted": 0,
        "record": dossier.model_copy(update={"result": None}).model_dump_json(),
    }


def result_columns(dossier: Dossier, written_ns: int) -> Row | None:
    """Return the row of table `result`: the result as it was issued last; None where it was never issued."""
    result, issue = dossier.result, dossier.issued_with
    if result is None or issue is None:
        return None
    return version_columns(dossier, issue.version, result, written_ns)


def version_columns(dossier: Dossier, version: int, result: Result, written_ns: int) -> Row:
    """Return the row of an issued version of a result."""
    row = run_row(result)
    return {
        "lab": lab_of_dossier(dossier),
        "run": dossier.record.run_id,
        "created_ns": dossier.record.created_ns,
        "written_ns": written_ns,
        "deleted": 0,
        "version": version,
        "status": row.status.value,
        "kind": row.kind,
        "simulated": int(row.simulated),
        "quality": row.quality,
        "server": row.server,
        "server_model": server_model(dossier.record),
        "processor": group_facts(dossier.record).cpu or "",
        "configuration": row.configuration,
        "configuration_title": row.configuration_title,
        "dimm_count": row.dimm_count,
        "memory": memory_text(result, dossier.record),
        "workload": row.workload,
        "level": row.level,
        "repeat": row.repeat,
        "unit": result.unit,
        **_figures(row),
        "energy_j": result.energy_j,
        "window_s": result.window_s,
        "verdict_rule": [verdict.rule for verdict in result.verdicts],
        "verdict_outcome": [verdict.outcome for verdict in result.verdicts],
        "line": row.model_dump_json(),
        "document": result.model_dump_json(),
    }


def series_parts(keys: Iterable[SeriesKey]) -> list[int]:
    """Number the series of a run, in their order, among those with the same server, source and channel, from 0."""
    seen: Counter[tuple[str, str, str]] = Counter()
    parts = []
    for key in keys:
        tags = key.server, key.source, key.channel
        parts.append(seen[tags])
        seen[tags] += 1
    return parts


def server_model(record: RunRecord) -> str:
    """Return the model of the server as the record of a run, or an imported result, states it; else nothing."""
    submission = record.configuration_snapshot.submission
    stated = record.disclosure.host.model if submission is None else submission.get("system_name")
    return stated.strip() if isinstance(stated, str) else ""


def memory_text(result: Result, record: RunRecord) -> str:
    """Describe the memory modules of a result: how many of what; empty where that is not known.

    They are the declared ones; where the inventory of the server has others, the text says so.
    """
    count, gib = result.dimm_count, result.memory_gib
    if not count or not gib:
        return ""
    kind = result.memory.type if result.memory is not None else ""
    modules = record.configuration_snapshot.modules
    sizes = {module.capacity_gib for module in modules if module.capacity_gib and module.type != PERSISTENT}
    counted = f"{count} x {format_number(gib / count)}" if len(sizes) == 1 else f"{count} modules, {format_number(gib)}"
    is_contradicted = result.inventory is not None and bool(result.inventory.contradictions)
    return f"{counted} GiB {kind}".strip() + ", contradicted by the inventory" * is_contradicted


def _figures(row: RunRow) -> Row:
    columns = {column.key: take(row) for of in FIGURES.values() for column, take in (of.value, of.u, of.U95)}
    return columns | {f"{name}_ranked": int(name not in row.not_ranked) for name in FIGURES}
