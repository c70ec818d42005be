"""The layout of the database, as the steps that lead to it. A step that was released never changes."""

from __future__ import annotations

from pathlib import Path

import apsw

from wattmark.errors import StoreError
from wattmark.storage.faults import foreign
from wattmark.storage.migration_alarms import ALARMS
from wattmark.storage.migration_functions import FUNCTIONS
from wattmark.storage.migration_guards import FIRST_GUARDS
from wattmark.storage.migration_inclusions import INCLUSIONS
from wattmark.storage.query import query

APPLICATION_ID = 0x57544D4B
"""Marks the file as wattmark's ("WTMK") in SQLite's header."""

MIGRATIONS = (
    """
    CREATE TABLE migration(version INTEGER PRIMARY KEY, applied TEXT NOT NULL) STRICT;

    CREATE TABLE series(
      id INTEGER PRIMARY KEY,
      run_id TEXT NOT NULL, server TEXT NOT NULL, source TEXT NOT NULL, channel TEXT NOT NULL,
      quantity TEXT NOT NULL, unit TEXT NOT NULL, kind TEXT NOT NULL, range TEXT NOT NULL,
      label TEXT NOT NULL, simulated INTEGER NOT NULL,
      UNIQUE(run_id, server, source, channel, quantity, unit, kind, range, label, simulated)
    ) STRICT;

    CREATE TABLE tail(
      id INTEGER PRIMARY KEY, run_id TEXT NOT NULL,
      t0 INTEGER NOT NULL, t1 INTEGER NOT NULL, n INTEGER NOT NULL, head_crc INTEGER NOT NULL,
      blob BLOB NOT NULL, crc INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX tail_by_run ON tail(run_id);

    CREATE TABLE chunk(
      series_id INTEGER NOT NULL REFERENCES series(id), k INTEGER NOT NULL,
      n INTEGER NOT NULL, n_usable INTEGER NOT NULL, t0 INTEGER NOT NULL, t1 INTEGER NOT NULL,
      vmin REAL, vmax REAL, vsum REAL NOT NULL, crc INTEGER NOT NULL,
      PRIMARY KEY(series_id, k)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE chunk_data(
      id INTEGER PRIMARY KEY, codec INTEGER NOT NULL,
      t BLOB NOT NULL, v BLOB NOT NULL, quality BLOB, u_t BLOB, crc INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE run(
      run_id TEXT PRIMARY KEY, created_ns INTEGER NOT NULL, campaign_id TEXT,
      server TEXT NOT NULL, configuration TEXT NOT NULL, workload TEXT NOT NULL, status TEXT NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX run_by_age ON run(created_ns);
    CREATE INDEX run_by_status ON run(status);

    CREATE TABLE document(
      kind TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,
      PRIMARY KEY(kind, name)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    CREATE TABLE check_load(
      name TEXT PRIMARY KEY, meter TEXT NOT NULL, nominal_w REAL NOT NULL, target_w REAL,
      description TEXT NOT NULL, added_ns INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE check_reading(
      check_load TEXT NOT NULL REFERENCES check_load(name), at_ns INTEGER NOT NULL,
      power_w REAL NOT NULL, sd_w REAL, n INTEGER, range TEXT, operator TEXT NOT NULL, note TEXT NOT NULL,
      by_hand INTEGER NOT NULL, simulated INTEGER NOT NULL, begins_baseline INTEGER NOT NULL,
      PRIMARY KEY(check_load, at_ns)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    CREATE TABLE certificate_file(sha256 TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT, WITHOUT ROWID;

    CREATE TABLE certificate(
      revision INTEGER PRIMARY KEY, certificate_id TEXT NOT NULL, version INTEGER NOT NULL,
      accepted_ns INTEGER NOT NULL, reason TEXT NOT NULL, document TEXT NOT NULL, sha256 TEXT NOT NULL,
      file_sha256 TEXT NOT NULL REFERENCES certificate_file(sha256),
      UNIQUE(certificate_id, version)
    ) STRICT;

    CREATE TABLE certificate_override(
      revision INTEGER PRIMARY KEY, decided_ns INTEGER NOT NULL, certificate_id TEXT NOT NULL,
      signed_by TEXT NOT NULL, reason TEXT NOT NULL, accepts TEXT NOT NULL, run_id TEXT, serial TEXT
    ) STRICT;

    CREATE TABLE statement(
      run_id TEXT NOT NULL, version INTEGER NOT NULL, stated_ns INTEGER NOT NULL, shelf_revision INTEGER NOT NULL,
      as_found TEXT, signed_by TEXT, reason TEXT NOT NULL, software TEXT NOT NULL, result TEXT NOT NULL,
      PRIMARY KEY(run_id, version)
    ) STRICT, WITHOUT ROWID;

    CREATE TRIGGER certificate_file_stays BEFORE UPDATE ON certificate_file
      BEGIN SELECT raise(ABORT, 'certificate files never change'); END;
    CREATE TRIGGER certificate_stays BEFORE UPDATE ON certificate
      BEGIN SELECT raise(ABORT, 'certificates never change'); END;
    CREATE TRIGGER certificate_kept BEFORE DELETE ON certificate
      BEGIN SELECT raise(ABORT, 'certificates are kept'); END;
    CREATE TRIGGER override_stays BEFORE UPDATE ON certificate_override
      BEGIN SELECT raise(ABORT, 'overrides never change'); END;
    CREATE TRIGGER override_kept BEFORE DELETE ON certificate_override
      BEGIN SELECT raise(ABORT, 'overrides are kept'); END;
    CREATE TRIGGER statement_stays BEFORE UPDATE ON statement
      BEGIN SELECT raise(ABORT, 'stated results never change'); END;
    """,
    """
    CREATE TABLE trash(run_id TEXT PRIMARY KEY, trashed_ns INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE run_tag(run_id TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(run_id, tag)) STRICT, WITHOUT ROWID;
    CREATE TABLE run_note(run_id TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID;
    """,
    """
    CREATE TABLE sink(
      id INTEGER PRIMARY KEY, target TEXT NOT NULL UNIQUE, acknowledged INTEGER NOT NULL DEFAULT 0,
      acknowledged_ns INTEGER, refused INTEGER NOT NULL DEFAULT 0,
      problem TEXT, remedy TEXT, problem_ns INTEGER
    ) STRICT;

    CREATE TABLE unsent(
      sink_id INTEGER NOT NULL REFERENCES sink(id), series_id INTEGER NOT NULL,
      first INTEGER NOT NULL, sealed INTEGER NOT NULL,
      PRIMARY KEY(sink_id, series_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX unsent_by_series ON unsent(series_id);

    CREATE TABLE sent_live(
      sink_id INTEGER NOT NULL REFERENCES sink(id), run_id TEXT NOT NULL, tail_id INTEGER NOT NULL,
      PRIMARY KEY(sink_id, run_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE unsent_run(
      sink_id INTEGER NOT NULL REFERENCES sink(id), run_id TEXT NOT NULL, edition INTEGER NOT NULL DEFAULT 1,
      PRIMARY KEY(sink_id, run_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE refused_point(
      id INTEGER PRIMARY KEY, sink_id INTEGER NOT NULL REFERENCES sink(id), at_ns INTEGER NOT NULL,
      line TEXT NOT NULL, reason TEXT NOT NULL
    ) STRICT;

    CREATE TRIGGER series_leaves_sinks AFTER DELETE ON series BEGIN
      DELETE FROM unsent WHERE series_id = old.id;
      DELETE FROM sent_live WHERE run_id = old.run_id;
    END;
    CREATE TRIGGER run_to_sinks AFTER INSERT ON run BEGIN
      INSERT INTO unsent_run(sink_id, run_id) SELECT id, new.run_id FROM sink WHERE true
        ON CONFLICT DO UPDATE SET edition = edition + 1;
    END;
    CREATE TRIGGER statement_to_sinks AFTER INSERT ON statement BEGIN
      INSERT INTO unsent_run(sink_id, run_id) SELECT id, new.run_id FROM sink WHERE true
        ON CONFLICT DO UPDATE SET edition = edition + 1;
    END;
    CREATE TRIGGER run_leaves_sinks AFTER DELETE ON run BEGIN
      DELETE FROM unsent_run WHERE run_id = old.run_id;
    END;
    """,
    """
    CREATE TABLE access_token(
      name TEXT PRIMARY KEY, role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, created_ns INTEGER NOT NULL,
      used_ns INTEGER, revoked_ns INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE audit(
      number INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, who TEXT NOT NULL, role TEXT NOT NULL, address TEXT NOT NULL,
      action TEXT NOT NULL, target TEXT NOT NULL, status INTEGER NOT NULL, request_id TEXT NOT NULL,
      before TEXT NOT NULL, hash TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TRIGGER token_kept BEFORE DELETE ON access_token
      BEGIN SELECT raise(ABORT, 'tokens are revoked, never deleted'); END;
    CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
      BEGIN SELECT raise(ABORT, 'the audit log never changes'); END;
    CREATE TRIGGER audit_kept BEFORE DELETE ON audit
      BEGIN SELECT raise(ABORT, 'the audit log is kept'); END;
    """,
    """
    CREATE TABLE revision(number INTEGER NOT NULL) STRICT;
    INSERT INTO revision VALUES (0);
    CREATE TRIGGER run_insert_counts AFTER INSERT ON run BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER run_update_counts AFTER UPDATE ON run BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER run_delete_counts AFTER DELETE ON run BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER trash_insert_counts AFTER INSERT ON trash BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER trash_delete_counts AFTER DELETE ON trash BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER statement_insert_counts AFTER INSERT ON statement BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER statement_delete_counts AFTER DELETE ON statement BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER document_insert_counts AFTER INSERT ON document BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER document_update_counts AFTER UPDATE ON document BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER document_delete_counts AFTER DELETE ON document BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER certificate_counts AFTER INSERT ON certificate
      BEGIN UPDATE revision SET number = number + 1; END;
    CREATE TRIGGER override_counts AFTER INSERT ON certificate_override
      BEGIN UPDATE revision SET number = number + 1; END;
    """,
    """
    CREATE TABLE series_count(run_id TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO series_count SELECT run_id, count(*) FROM series GROUP BY run_id;
    CREATE TRIGGER series_comes AFTER INSERT ON series BEGIN
      INSERT INTO series_count VALUES (new.run_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
    END;
    CREATE TRIGGER series_goes AFTER DELETE ON series BEGIN
      UPDATE series_count SET n = n - 1 WHERE run_id = old.run_id;
      DELETE FROM series_count WHERE run_id = old.run_id AND n = 0;
    END;
    """,
    """
    CREATE TABLE run_row(run_id TEXT PRIMARY KEY, row TEXT NOT NULL, crc INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TRIGGER run_insert_drops_row AFTER INSERT ON run
      BEGIN DELETE FROM run_row WHERE run_id = new.run_id; END;
    CREATE TRIGGER run_update_drops_row AFTER UPDATE ON run
      BEGIN DELETE FROM run_row WHERE run_id = new.run_id; END;
    CREATE TRIGGER run_delete_drops_row AFTER DELETE ON run
      BEGIN DELETE FROM run_row WHERE run_id = old.run_id; END;
    CREATE TRIGGER statement_insert_drops_row AFTER INSERT ON statement
      BEGIN DELETE FROM run_row WHERE run_id = new.run_id; END;
    CREATE TRIGGER statement_delete_drops_row AFTER DELETE ON statement
      BEGIN DELETE FROM run_row WHERE run_id = old.run_id; END;
    """,
    """
    UPDATE tail SET blob = live_row_v2(blob), crc = live_row_crc(live_row_v2(blob)) WHERE live_row_crc(blob) = crc;
    """,
    FIRST_GUARDS,
    ALARMS,
    INCLUSIONS,
)


def version_of(connection: apsw.Connection, path: Path) -> int:
    """Tell how many steps the file has taken; 0 for an empty one. Raises `StoreError` for another program's file."""
    if not query(connection, "SELECT 1 FROM sqlite_schema LIMIT 1"):
        return 0
    if connection.pragma("application_id") != APPLICATION_ID:
        raise foreign(path)
    ((version,),) = query(connection, "SELECT max(version) FROM migration")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer wattmark (schema {version}, this one knows {len(MIGRATIONS)}).",
            "Install that version or choose another folder with --data DIR.",
        )
    return int(version)


def migrate(connection: apsw.Connection, path: Path) -> None:
    """Take the steps that the file lacks, all or none."""
    version = version_of(connection, path)
    if version == len(MIGRATIONS):
        return
    for name, function in FUNCTIONS.items():
        connection.create_scalar_function(name, function, deterministic=True)
    with connection:
        connection.pragma("application_id", APPLICATION_ID)
        for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
            query(connection, step)
            query(connection, "INSERT INTO migration VALUES (?, strftime('%FT%TZ'))", number)
