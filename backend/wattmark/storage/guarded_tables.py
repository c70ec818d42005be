"""Which tables have checksums of their rows. Samples have their own; the audit log is a chain of hashes."""

from __future__ import annotations

from wattmark.storage.guarded import Guarded

RUN = Guarded(
    "run",
    ("run_id",),
    ("run_id", "created_ns", "campaign_id", "server", "configuration", "workload", "status", "record"),
    "The record of run {0}",
)
DOCUMENT = Guarded("document", ("kind", "name"), ("kind", "name", "document"), "Document {0}/{1}")
CHECK_LOAD = Guarded(
    "check_load",
    ("name",),
    ("name", "meter", "nominal_w", "target_w", "description", "added_ns"),
    "Check load {0}",
)
CHECK_READING = Guarded(
    "check_reading",
    ("check_load", "at_ns"),
    (
        *("check_load", "at_ns", "power_w", "sd_w", "n", "range", "operator", "note"),
        *("by_hand", "simulated", "begins_baseline"),
    ),
    "The reading of check load {0} at {1} ns",
)
CERTIFICATE_FILE = Guarded("certificate_file", ("sha256",), ("sha256", "content"), "The certificate file {0}")
CERTIFICATE = Guarded(
    "certificate",
    ("revision",),
    ("revision", "certificate_id", "version", "accepted_ns", "reason", "document", "sha256", "file_sha256"),
    "Entry {0} of the shelf of certificates",
)
OVERRIDE = Guarded(
    "certificate_override",
    ("revision",),
    ("revision", "decided_ns", "certificate_id", "signed_by", "reason", "accepts", "run_id", "serial"),
    "Override {0} of the shelf of certificates",
)
STATEMENT = Guarded(
    "statement",
    ("run_id", "version"),
    ("run_id", "version", "stated_ns", "shelf_revision", "as_found", "signed_by", "reason", "software"),
    "Version {1} of what was stated of run {0}",
)
STATED_RESULT = Guarded(
    "statement",
    ("run_id", "version"),
    ("run_id", "version", "result"),
    "Version {1} of the stated result of run {0}",
    "statement_result",
)
TRASH = Guarded("trash", ("run_id",), ("run_id", "trashed_ns"), "The trash's entry of run {0}")
TAG = Guarded("run_tag", ("run_id", "tag"), ("run_id", "tag"), "Tag {1} of run {0}")
NOTE = Guarded("run_note", ("run_id",), ("run_id", "note"), "The note of run {0}")
INCLUSION = Guarded(
    "run_inclusion",
    ("run_id",),
    ("run_id", "signed_by", "reason", "rules", "decided"),
    "The choice to rank run {0}",
)
SINK = Guarded(
    "sink",
    ("id",),
    ("id", "target", "acknowledged", "acknowledged_ns", "refused", "problem", "remedy", "problem_ns"),
    "The state of sink {0}",
)
UNSENT = Guarded(
    "unsent",
    ("sink_id", "series_id"),
    ("sink_id", "series_id", "first", "sealed"),
    "What sink {0} lacks of series {1}",
)
SENT_LIVE = Guarded(
    "sent_live",
    ("sink_id", "run_id"),
    ("sink_id", "run_id", "tail_id"),
    "How far sink {0} is in run {1}",
)
UNSENT_RUN = Guarded(
    "unsent_run",
    ("sink_id", "run_id"),
    ("sink_id", "run_id", "edition"),
    "Whether sink {0} lacks the record of run {1}",
)
TOKEN = Guarded(
    "access_token",
    ("name",),
    ("name", "role", "digest", "created_ns", "used_ns", "revoked_ns"),
    "Token {0}",
)
ALARM = Guarded(
    "alarm",
    ("number",),
    (
        *("number", "source", "channel", "side", "limit_at", "unit", "run_must_keep"),
        *("begin_ns", "seen_ns", "worst", "end_ns", "ended", "closed_ns"),
    ),
    "Alarm {0}",
)

GUARDED = (
    *(RUN, DOCUMENT, CHECK_LOAD, CHECK_READING, CERTIFICATE_FILE, CERTIFICATE, OVERRIDE, STATEMENT, STATED_RESULT),
    *(TRASH, TAG, NOTE, INCLUSION, SINK, UNSENT, SENT_LIVE, UNSENT_RUN, TOKEN, ALARM),
)
POSITIONS = UNSENT, SENT_LIVE, UNSENT_RUN
OUTBOX = SINK, *POSITIONS
