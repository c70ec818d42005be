"""What every store of certificates and of stated results can do. Nothing in them is ever overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from wattmark_calibration import Certificate

from wattmark.certificates.shelf import Shelf
from wattmark.runs.result import Result


@dataclass(frozen=True, slots=True)
class Stated:
    """What a version of a result rests on: the shelf's revision, and the certificate whose as-found points judge it."""

    version: int
    stated_ns: int
    shelf_revision: int
    as_found: str | None = None
    by: str | None = None
    reason: str = ""
    software: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """A stated version with the result as it was then."""

    stated: Stated
    result: Result


class CertificateStore(Protocol):
    """Keep certificates and overrides durably, in the order in which they came."""

    def shelf(self) -> Shelf:
        """Read everything."""
        ...

    def revision(self) -> int:
        """Give the number of the last change."""
        ...

    def add(self, certificate: Certificate, content: bytes, accepted_ns: int, reason: str) -> None:
        """Add a version with the bytes it was read from; durable when it returns. Raises `Conflict` if it exists."""
        ...

    def add_decision(
        self,
        certificate_id: str,
        by: str,
        reason: str,
        accepts: frozenset[str],
        decided_ns: int,
        *,
        run_id: str | None = None,
        serial: str | None = None,
    ) -> None:
        """Add an override; durable when it returns."""
        ...

    def content(self, certificate_id: str, version: int) -> bytes | None:
        """Read the bytes that a version was read from; None where it is not there."""
        ...


class StatementStore(Protocol):
    """Keep the stated versions of results."""

    def add(self, stated: Stated, result: Result) -> None:
        """Add a version; durable when it returns. Raises `Conflict` where this version exists."""
        ...

    def of(self, run_id: str) -> list[Statement]:
        """Read all versions of a result, oldest first."""
        ...

    def last(self, run_id: str) -> Stated | None:
        """Read what the latest version of a result rests on; None where it was never stated."""
        ...

    def in_force(self) -> dict[str, Stated]:
        """Read what the latest version of every stated result rests on, by run."""
        ...

    def latest(self, run_ids: Sequence[str]) -> Iterable[Result]:
        """Read the latest stated results of some runs."""
        ...

    def delete(self, run_id: str) -> None:
        """Delete the versions of a run that is deleted with its samples."""
        ...
