"""The step that gave alarms their table. Like every step, this never changes."""

from __future__ import annotations

from wattmark.storage.migration_guards import guard

ALARMS = """
    CREATE TABLE alarm(
      number INTEGER PRIMARY KEY, source TEXT NOT NULL, channel TEXT NOT NULL, side TEXT NOT NULL,
      limit_at REAL NOT NULL, unit TEXT NOT NULL, run_must_keep INTEGER NOT NULL,
      begin_ns INTEGER NOT NULL, seen_ns INTEGER NOT NULL, worst REAL NOT NULL,
      end_ns INTEGER, ended TEXT, closed_ns INTEGER
    ) STRICT;
""" + guard(
    "alarm",
    "alarm",
    "number",
    "source, channel, side, limit_at, unit, run_must_keep, begin_ns, seen_ns, worst, end_ns, ended, closed_ns",
)
