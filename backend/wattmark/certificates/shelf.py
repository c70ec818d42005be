"""The shelf: every certificate that was ever accepted, in order, and which one serves a measurement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from wattmark_calibration import Certificate, Override, Status, canonical_sha256, status
from wattmark_calibration.certificate.status import utc_day

Rank = tuple[bool, bool, bool, bool, str, int]


@dataclass(frozen=True, slots=True)
class Accepted:
    """One version of a certificate as it was accepted; ``sha256`` is the canonical hash noted then."""

    revision: int
    accepted_ns: int
    reason: str
    certificate: Certificate
    sha256: str

    @property
    def intact(self) -> bool:
        """Tell whether the certificate is still the one that was accepted."""
        return canonical_sha256(self.certificate) == self.sha256

    @property
    def name(self) -> str:
        """Name the certificate with its version."""
        return self.certificate.name


@dataclass(frozen=True, slots=True)
class Lost:
    """A version that was accepted and can no longer be read; ``serial`` of its meter is None where that is lost too."""

    revision: int
    certificate_id: str
    version: int
    sha256: str
    serial: str | None
    problem: str

    @property
    def text(self) -> str:
        """Say what happened and what helps."""
        return (
            f"Certificate {self.certificate_id} v{self.version} can no longer be read ({self.problem.rstrip('.')}). "
            "Restore the data folder from a backup, or add a later certificate of the meter."
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """An override: who accepts which refusals of a certificate, and why.

    ``run_id`` None: for every run. ``serial`` names the meter where it is not the certificate's own. A later decision
    for the same certificate, run and meter replaces it; one that accepts nothing withdraws it.
    """

    revision: int
    decided_ns: int
    certificate_id: str
    by: str
    reason: str
    accepts: frozenset[str]
    run_id: str | None = None
    serial: str | None = None

    @property
    def scope(self) -> tuple[str, str | None, str | None]:
        """Name what the decision is about."""
        return self.certificate_id, self.run_id, self.serial


@dataclass(frozen=True)
class Shelf:
    """All accepted versions and all decisions, in order of their revision. Never changes; a store makes a new one."""

    entries: tuple[Accepted, ...] = ()
    decisions: tuple[Decision, ...] = ()
    lost: tuple[Lost, ...] = ()

    @cached_property
    def revision(self) -> int:
        """Give the number of the last change; 0 for an empty shelf."""
        numbers = [one.revision for one in self.entries] + [one.revision for one in self.decisions]
        return max(numbers + [one.revision for one in self.lost], default=0)

    def at(self, revision: int) -> Shelf:
        """Give the shelf as it stood after a change."""
        if revision >= self.revision:
            return self
        return Shelf(
            tuple(one for one in self.entries if one.revision <= revision),
            tuple(one for one in self.decisions if one.revision <= revision),
            tuple(one for one in self.lost if one.revision <= revision),
        )

    @cached_property
    def latest(self) -> tuple[Accepted, ...]:
        """List every certificate in its latest version, in order of acceptance."""
        return tuple({one.certificate.id: one for one in self.entries}.values())

    @cached_property
    def known(self) -> tuple[Certificate, ...]:
        """List the certificates in their latest versions."""
        return tuple(one.certificate for one in self.latest)

    @cached_property
    def in_force(self) -> tuple[Decision, ...]:
        """List the overrides that hold: the last one of each scope, where it accepts anything."""
        return tuple(one for one in {one.scope: one for one in self.decisions}.values() if one.accepts)

    def get(self, certificate_id: str) -> Accepted | None:
        """Find the latest version of a certificate; None where there is none."""
        return next((one for one in self.latest if one.certificate.id == certificate_id), None)

    def versions(self, certificate_id: str) -> list[Accepted]:
        """List the versions of a certificate, oldest first."""
        return [one for one in self.entries if one.certificate.id == certificate_id]

    def override(self, certificate_id: str, serial: str, run_id: str | None = None) -> Override | None:
        """Give the override for a meter and run, the narrowest that holds; None where nobody decided."""
        mine = [
            one
            for one in self.in_force
            if one.certificate_id == certificate_id and one.run_id in (None, run_id) and one.serial in (None, serial)
        ]
        narrow = max(mine, key=lambda one: (one.run_id is not None, one.serial is not None), default=None)
        return None if narrow is None else Override(narrow.by, narrow.reason, narrow.accepts)

    def choose(
        self, serial: str, range_name: str | None, as_of: datetime, run_id: str | None = None
    ) -> Accepted | None:
        """Choose the certificate that is to answer for a meter's range at an instant; None: the meter has none.

        One that serves comes first, the latest calibration before older ones. Where none serves, the nearest is
        given, so that its refusal can be told. ``range_name`` None: the meter has one range without a name, which a
        certificate of a single range covers.
        """
        mine = [one for one in self.latest if self._is_for(one.certificate, serial, run_id)]
        return max(mine, key=lambda one: self._rank(one, serial, range_name, as_of, run_id), default=None)

    def lost_instead(self, serial: str, chosen: Accepted | None) -> Lost | None:
        """Find an unreadable certificate of a meter that is newer than the one chosen: who knows what it says?"""
        mine = [one for one in self.lost if one.serial == serial and (chosen is None or one.revision > chosen.revision)]
        return max(mine, key=lambda one: one.revision, default=None)

    def before(self, one: Accepted) -> Certificate | None:
        """Find the calibration of the same meter before this one, not revoked; None where there is none."""
        mine = one.certificate
        earlier = [
            other
            for other in self.known
            if other.meter.serial == mine.meter.serial
            and other.id != mine.id
            and other.calibrated_on < mine.calibrated_on
            and other.revocation is None
        ]
        return max(earlier, key=lambda other: other.calibrated_on, default=None)

    def _is_for(self, certificate: Certificate, serial: str, run_id: str | None) -> bool:
        """Tell whether a certificate is for a meter, by its serial number or by a person's decision."""
        if certificate.meter.serial == serial:
            return True
        return any(
            one.certificate_id == certificate.id
            and one.serial == serial
            and one.run_id in (None, run_id)
            and "serial" in one.accepts
            for one in self.in_force
        )

    def _rank(self, one: Accepted, serial: str, range_name: str | None, as_of: datetime, run_id: str | None) -> Rank:
        certificate = one.certificate
        standing = status(certificate, as_of, self.known)
        override = self.override(certificate.id, serial, run_id)
        accepted = override is not None and standing.value.replace(" ", "-") in override.accepts
        covers = range_in_use(certificate, range_name) is not None
        begun = certificate.calibrated_on <= utc_day(as_of)
        return (
            covers and (standing.serves or accepted),
            covers and begun and standing is not Status.SUPERSEDED,
            begun,
            covers,
            certificate.calibrated_on.isoformat(),
            one.revision,
        )


def range_in_use(certificate: Certificate, range_name: str | None, *, as_found: bool = False) -> str | None:
    """Give the certificate's name of a meter's range; None where it is not calibrated.

    A meter with a single range that has no name (None) is covered by a certificate of a single range.
    """
    names = [one.name for one in (certificate.as_found if as_found else certificate.in_use)]
    if range_name is None:
        return names[0] if len(names) == 1 else None
    return range_name if range_name in names else None
