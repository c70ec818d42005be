"""`wattmark alarms`: what was beyond a limit of the bench, and how it ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from wattmark.alarms.store import KEPT_ALARMS
from wattmark.alarms.views import AlarmOut, alarm_out
from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.stored import stored
from wattmark.cli.tables.shown import FormatOption, OutputFile, file_format, put_json, show
from wattmark.tables.table import Column, Table


def alarms(
    data: DataDir = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=KEPT_ALARMS, help="How many alarms, newest first.")] = 100,
    format_: FormatOption = "table",
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Print which channels were beyond a limit of the bench, since when, how far and until when; newest first."""
    format_ = file_format(format_, output, as_json=as_json)
    with stored(data, "are no alarms") as storage:
        listed = [alarm_out(alarm) for alarm in storage.alarms.before(None, limit)]
    if format_ == "json":
        put_json(listed, output)
    else:
        show(_table(listed), format_, output)


def _table(listed: list[AlarmOut]) -> Table:
    columns = (
        Column("number", "No.", kind="integer"),
        Column("begin", "Begin", kind="time"),
        Column("source", "Instrument"),
        Column("channel", "Channel"),
        Column("side", "Side"),
        Column("limit", "Limit", kind="number", unit_from="unit"),
        Column("worst", "Farthest", kind="number", unit_from="unit"),
        Column("unit", "Unit"),
        Column("end", "End", kind="time"),
        Column("ending", "Ended because"),
        Column("run_must_keep", "Excludes runs", kind="flag"),
        Column("simulated", "Simulated", kind="flag"),
    )
    rows = tuple(
        (
            *(
                alarm.number,
                _iso(alarm.begin_s),
                alarm.source,
                alarm.channel,
                alarm.side,
                alarm.limit,
                alarm.worst,
                alarm.unit,
            ),
            *(None if alarm.end_s is None else _iso(alarm.end_s), alarm.ending, alarm.run_must_keep, alarm.simulated),
        )
        for alarm in listed
    )
    note = "Times are UTC. The worst value is that of the whole alarm; the end is given only if a reading showed it."
    return Table("alarms", "Alarms", columns, rows, (note,))


def _iso(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="seconds")
