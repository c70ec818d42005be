"""The step that gave people's choices to rank a run their table. Like every step, this never changes."""

from __future__ import annotations

from wattmark.storage.migration_guards import guard

_TABLE = """
    CREATE TABLE run_inclusion(
      run_id TEXT PRIMARY KEY, signed_by TEXT NOT NULL, reason TEXT NOT NULL, rules TEXT NOT NULL, decided TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER inclusion_insert_counts AFTER INSERT ON run_inclusion
      BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER inclusion_delete_counts AFTER DELETE ON run_inclusion
      BEGIN UPDATE revision SET number = number + 1; END;
"""
INCLUSIONS = _TABLE + guard("run_inclusion", "run_inclusion", "run_id", "signed_by, reason, rules, decided")
