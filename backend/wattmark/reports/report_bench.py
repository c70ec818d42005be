"""The bench in a report: servers with their configurations and slot boards, meters with range and accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wattmark.comparison.compare.survey import Survey
from wattmark.core.numbers import format_number
from wattmark.reports.facts import Facts, facts_of, number_text
from wattmark.reports.figures.slot_board import Board, populated
from wattmark.reports.report import Section
from wattmark.reports.sources import Sources
from wattmark.runs.record import MeterRecord
from wattmark.tables.table import Column, Table

_NAMED_ELSEWHERE = ("id", "title", "modules", "declared")
_OF_MEMORY = ("memory_type", "memory_gib", "dimm_count")
_ROLES = {"wall": "wall", "secondary": "secondary", "bmc": "BMC"}


def configurations(sources: Sources, survey: Survey) -> Iterator[Section]:
    """Yield a section for each server: the facts common to its configurations, and each with its slots and facts."""
    yield Section("configurations", "Servers and configurations")
    servers: dict[str, list[Mapping[str, Any]]] = {}
    for run, result in sources.results.each(list(survey.builds.values())):
        build = {"id": result.configuration, **run.configuration_snapshot.document()}
        servers.setdefault(result.server, []).append(build)
    for number, (server, builds) in enumerate(servers.items(), start=1):
        yield _server(f"server-{number}", server, builds)


def _server(identity: str, server: str, builds: list[Mapping[str, Any]]) -> Section:
    rows = [_rows(build) for build in builds]
    common = tuple(row for row in rows[0].items() if all(row in other.items() for other in rows))
    boards, folded = [], []
    for build, facts in zip(builds, rows, strict=True):
        modules = tuple(m for m in build.get("modules") or () if isinstance(m, Mapping))
        own = "; ".join(f"{name}: {text}" for name, text in facts.items() if (name, text) not in common)
        title = str(build.get("title") or build["id"])
        boards.append(Board(title, modules, ". ".join(part for part in (populated(modules), own) if part)))
        folded.append(facts_of(f"{title}, as declared", build.get("declared") or {}))
    facts_shared = (Facts("All configurations" if len(builds) > 1 else "", common),) if common else ()
    return Section(
        identity, server, level=3, facts=facts_shared, boards=tuple(boards), folded=tuple(f for f in folded if f.rows)
    )


def _rows(build: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts of a configuration by name; where the slots are drawn, they show the memory."""
    omitted = (*_NAMED_ELSEWHERE, *(_OF_MEMORY if build.get("modules") else ()))
    return dict(facts_of("", {key: value for key, value in build.items() if key not in omitted}).rows)


def meters(sources: Sources, survey: Survey) -> Iterator[Section]:
    """Yield the section of meters with range, accuracy and source, once for each way they were used."""
    runs = {
        run.run_id: run
        for run, _ in sources.results.each(list(dict.fromkeys(name for name, _ in survey.meters.values())))
    }
    used = [runs[name].meters[position] for name, position in survey.meters.values() if name in runs]
    columns = (
        Column("name", "Meter"),
        Column("title", "Model"),
        Column("role", "Role"),
        Column("serial", "Serial number"),
        Column("range", "Range"),
        Column("accuracy", "Limit of error"),
        Column("period_s", "Period", "s", "number"),
    )
    rows = tuple(
        (
            m.name, f"{m.title or m.model}{' (simulated)' if m.simulated else ''}", _ROLES[m.role], m.serial,
            _range(m), accuracy_text(m), m.period_s,
        )
        for m in used
    )  # fmt: skip
    folded = tuple(facts_of(f"Meter {m.name}", m.model_dump(mode="json", exclude_defaults=True)) for m in used)
    tables = (Table("meters", "Meters", columns, rows),) if rows else ()
    yield Section("meters", "Meters, ranges and accuracy", tables=tables, folded=folded)


def _range(meter: MeterRecord) -> str | None:
    watts = None if meter.range_w is None else number_text(meter.range_w, "W")
    return ", ".join(part for part in (meter.range_name, watts) if part) or None


def accuracy_text(meter: MeterRecord) -> str:
    """Format the limit of error of power with its source."""
    parts = [
        f"{format_number(amount)} {unit}"
        for amount, unit in (
            (meter.reading_pct, "% of reading"), (meter.range_pct, "% of range"), (meter.fixed_w, "W"),
        )
        if amount
    ]  # fmt: skip
    if not parts:
        return meter.not_traceable or "not stated"
    return " + ".join(parts) + (f" ({meter.accuracy_source})" if meter.accuracy_source else "")
