"""Audits as they leave the service."""

from __future__ import annotations

from wattmark.audits.audit import Audit
from wattmark.core.schema import Schema


class PublishedAuditOut(Schema):
    """An audit with its differences [%]."""

    audit: Audit
    difference_pct: float | None
    """The published figure, or the rule's, against the complete window."""
    run_difference_pct: list[float | None]
    """The rule against the complete window, for each run."""
