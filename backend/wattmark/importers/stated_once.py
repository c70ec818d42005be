"""The verdict on logs that state nothing twice."""

from __future__ import annotations

from wattmark.runs.record import ImportedVerdict

STATED_ONCE = ImportedVerdict(
    rule="import-stated-once",
    value=None,
    limit=None,
    unit="",
    outcome="not-checked",
    text="The log states each reading once and holds no digest of itself, so a changed digit cannot be seen.",
    source="the form of the log",
)
