"""Triggers that keep a checksum beside every row of a table. Like the steps that use it, this never changes."""

from __future__ import annotations

_TABLE = """
    CREATE TABLE row_crc(
      owner TEXT NOT NULL, key TEXT NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY(owner, key)
    ) STRICT, WITHOUT ROWID;
"""
_GUARD = """
    INSERT INTO row_crc SELECT '{owner}', {key}, {crc} FROM {table};
    CREATE TRIGGER {owner}_crc_comes AFTER INSERT ON {table} BEGIN
      INSERT INTO row_crc VALUES ('{owner}', {new_key}, {new_crc}) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
    CREATE TRIGGER {owner}_crc_changes AFTER UPDATE ON {table} BEGIN
      DELETE FROM row_crc WHERE owner = '{owner}' AND key = {old_key};
      INSERT INTO row_crc VALUES ('{owner}', {new_key}, {new_crc}) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
    CREATE TRIGGER {owner}_crc_goes AFTER DELETE ON {table} BEGIN
      DELETE FROM row_crc WHERE owner = '{owner}' AND key = {old_key};
    END;
"""
_FIRST = (
    ("run", "run", "run_id", "created_ns, campaign_id, server, configuration, workload, status, record"),
    ("document", "document", "kind, name", "document"),
    ("check_load", "check_load", "name", "meter, nominal_w, target_w, description, added_ns"),
    (
        *("check_reading", "check_reading", "check_load, at_ns"),
        "power_w, sd_w, n, range, operator, note, by_hand, simulated, begins_baseline",
    ),
    ("certificate_file", "certificate_file", "sha256", "content"),
    (
        "certificate",
        "certificate",
        "revision",
        "certificate_id, version, accepted_ns, reason, document, sha256, file_sha256",
    ),
    (
        "certificate_override",
        "certificate_override",
        "revision",
        "decided_ns, certificate_id, signed_by, reason, accepts, run_id, serial",
    ),
    ("statement", "statement", "run_id, version", "stated_ns, shelf_revision, as_found, signed_by, reason, software"),
    ("statement", "statement_result", "run_id, version", "result"),
    ("trash", "trash", "run_id", "trashed_ns"),
    ("run_tag", "run_tag", "run_id, tag", ""),
    ("run_note", "run_note", "run_id", "note"),
    ("sink", "sink", "id", "target, acknowledged, acknowledged_ns, refused, problem, remedy, problem_ns"),
    ("unsent", "unsent", "sink_id, series_id", "first, sealed"),
    ("sent_live", "sent_live", "sink_id, run_id", "tail_id"),
    ("unsent_run", "unsent_run", "sink_id, run_id", "edition"),
    ("access_token", "access_token", "name", "role, digest, created_ns, used_ns, revoked_ns"),
)
"""Tables, what owns the checksums, the columns of the key, and the others that are covered."""


def guard(table: str, owner: str, key: str, others: str) -> str:
    """Write the triggers of a table: what owns its checksums, the columns of its key, and the others covered."""
    keys = key.split(", ")
    columns = [*keys, *others.split(", ")] if others else keys

    def of(row: str) -> tuple[str, str]:
        names = ([f"{row}{name}" for name in some] for some in (keys, columns))
        key, crc = map(", ".join, names)
        return f"json_array({key})", f"row_crc({crc})"

    (all_keys, crc), (new_key, new_crc), (old_key, _) = map(of, ("", "new.", "old."))
    return _GUARD.format(
        table=table, owner=owner, key=all_keys, crc=crc, new_key=new_key, new_crc=new_crc, old_key=old_key
    )


FIRST_GUARDS = _TABLE + "".join(guard(*one) for one in _FIRST)
"""The step that gave the first tables their checksums."""
