"""What the service answers about archives and the runs in them."""

from __future__ import annotations

from wattmark.archives.presence import Presence
from wattmark.archives.signer import Signer
from wattmark.core.quantity import Quantity
from wattmark.core.schema import Schema
from wattmark.runs.record import RunStatus


class FoundRunOut(Schema):
    """A run stored elsewhere, with its values there; ``state`` tells whether it is also stored here."""

    run_id: str
    lab: str
    """Where it was recorded."""
    server: str
    configuration_title: str
    workload: str
    level: str
    repeat: int
    status: RunStatus
    created: str
    efficiency: Quantity | None
    power: Quantity | None
    simulated: bool
    traceable: bool
    software: str
    """Version and build that computed the figures."""
    recorded: int
    """Samples of all its series."""
    state: Presence
    tags: list[str] = []
    note: str = ""


class ArchiveOut(Schema):
    """Contents of an archive, with all hashes verified; nothing was imported."""

    lab: str
    software: str
    """Version that wrote it."""
    members: int
    """Files in it whose hashes are those that it names."""
    signer: Signer
    runs: list[FoundRunOut]
    audits: int
    """Audits of published results in it."""
    figures: int
    """Results in it that were published as figures."""
    decisions: list[str]
    """Certificates and overrides that it would bring; only an administrator may import these."""


class SharedOut(Schema):
    """Runs on the server that many appliances send to, newest first."""

    target: str | None
    """Address and database, without secrets; None: no server is named."""
    days: int
    """How far back was searched."""
    total: int
    """Finished runs of these days."""
    next: str | None
    """Run to continue after; None: these are the last ones."""
    runs: list[FoundRunOut]
