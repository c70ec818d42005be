"""The certificate register: all accepted certificates in order, and the choice of the one that serves a measurement."""

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
        """Return whether the certificate is still the one that was accepted."""
        return canonical_sha256(self.certificate) == self.sha256

    @property
    def name(self) -> str:
        """Return the certificate with its version."""
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
        """Explain what happened and what to do."""
        return (
            f"Certificate {self.certificate_id} v{self.version} can no longer be read ({self.problem.rstrip('.')}). "
            "Restore the data folder from a backup, or add a later certificate of the meter."
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """An override: who accepts which refusals of a certificate, and why.

    ``run_id`` None: for every run. ``serial`` names the meter where it is not the certificate's own. A later decision
    for the same certificate, run and meter replaces it; one that accepts no refusal withdraws it.
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
        """Return certificate id, run id and serial number that the decision is about."""
        return self.certificate_id, self.run_id, self.serial


@dataclass(frozen=True)
class CertificateRegister:
    """All accepted versions and all decisions, in order of their revision. Immutable; a store builds a new one."""

    entries: tuple[Accepted, ...] = ()
    decisions: tuple[Decision, ...] = ()
    lost: tuple[Lost, ...] = ()

    @cached_property
    def revision(self) -> int:
        """Return the number of the last change; 0 for an empty register."""
        numbers = [entry.revision for entry in self.entries] + [entry.revision for entry in self.decisions]
        return max(numbers + [entry.revision for entry in self.lost], default=0)

    def at(self, revision: int) -> CertificateRegister:
        """Return the register as it stood after a change."""
        if revision >= self.revision:
            return self
        return CertificateRegister(
            tuple(entry for entry in self.entries if entry.revision <= revision),
            tuple(decision for decision in self.decisions if decision.revision <= revision),
            tuple(entry for entry in self.lost if entry.revision <= revision),
        )

    @cached_property
    def latest(self) -> tuple[Accepted, ...]:
        """List every certificate in its latest version, in order of acceptance."""
        return tuple({entry.certificate.id: entry for entry in self.entries}.values())

    @cached_property
    def known(self) -> tuple[Certificate, ...]:
        """List the certificates in their latest versions."""
        return tuple(entry.certificate for entry in self.latest)

    @cached_property
    def in_force(self) -> tuple[Decision, ...]:
        """List the overrides in force: the last one of each scope, unless it withdraws the override."""
        return tuple(
            decision
            for decision in {decision.scope: decision for decision in self.decisions}.values()
            if decision.accepts
        )

    def get(self, certificate_id: str) -> Accepted | None:
        """Find the latest version of a certificate; None where there is none."""
        return next((entry for entry in self.latest if entry.certificate.id == certificate_id), None)

    def versions(self, certificate_id: str) -> list[Accepted]:
        """List the versions of a certificate, oldest first."""
        return [entry for entry in self.entries if entry.certificate.id == certificate_id]

    def override(self, certificate_id: str, serial: str, run_id: str | None = None) -> Override | None:
        """Return the override of a certificate for a meter and run, the most specific one; None where there is none."""
        decisions = [
            decision
            for decision in self.in_force
            if decision.certificate_id == certificate_id
            and decision.run_id in (None, run_id)
            and decision.serial in (None, serial)
        ]
        narrow = max(
            decisions, key=lambda decision: (decision.run_id is not None, decision.serial is not None), default=None
        )
        return None if narrow is None else Override(narrow.by, narrow.reason, narrow.accepts)

    def choose(
        self, serial: str, range_name: str | None, as_of: datetime, run_id: str | None = None
    ) -> Accepted | None:
        """Choose the certificate of a meter's range at an instant; None: the meter has none.

        One that serves comes first, the latest calibration before older ones. Where none serves, the closest one is
        returned, so that its refusal can be shown. ``range_name`` None: the meter has one range without a name, which a
        certificate of a single range covers.
        """
        candidates = [entry for entry in self.latest if self._is_for(entry.certificate, serial, run_id)]
        return max(candidates, key=lambda entry: self._rank(entry, serial, range_name, as_of, run_id), default=None)

    def lost_instead(self, serial: str, chosen: Accepted | None) -> Lost | None:
        """Find an unreadable certificate of a meter that is newer than the chosen one; None where there is none."""
        newer = [
            entry
            for entry in self.lost
            if entry.serial == serial and (chosen is None or entry.revision > chosen.revision)
        ]
        return max(newer, key=lambda entry: entry.revision, default=None)

    def before(self, entry: Accepted) -> Certificate | None:
        """Find the previous calibration of the same meter that is not revoked; None where there is none."""
        certificate = entry.certificate
        earlier = [
            other
            for other in self.known
            if other.meter.serial == certificate.meter.serial
            and other.id != certificate.id
            and other.calibrated_on < certificate.calibrated_on
            and other.revocation is None
        ]
        return max(earlier, key=lambda other: other.calibrated_on, default=None)

    def _is_for(self, certificate: Certificate, serial: str, run_id: str | None) -> bool:
        """Return whether a certificate is for a meter, by its serial number or by an override."""
        if certificate.meter.serial == serial:
            return True
        return any(
            decision.certificate_id == certificate.id
            and decision.serial == serial
            and decision.run_id in (None, run_id)
            and "serial" in decision.accepts
            for decision in self.in_force
        )

    def _rank(self, entry: Accepted, serial: str, range_name: str | None, as_of: datetime, run_id: str | None) -> Rank:
        certificate = entry.certificate
        status_now = status(certificate, as_of, self.known)
        override = self.override(certificate.id, serial, run_id)
        accepted = override is not None and status_now.value.replace(" ", "-") in override.accepts
        covers = range_in_use(certificate, range_name) is not None
        begun = certificate.calibrated_on <= utc_day(as_of)
        # compared in this order: one that serves wins; the others only decide which refusal is shown
        return (
            covers and (status_now.serves or accepted),
            covers and begun and status_now is not Status.SUPERSEDED,
            begun,
            covers,
            certificate.calibrated_on.isoformat(),
            entry.revision,
        )


def range_in_use(certificate: Certificate, range_name: str | None, *, as_found: bool = False) -> str | None:
    """Return the certificate's name of a meter's range; None where it is not calibrated.

    A meter with a single range that has no name (None) is covered by a certificate of a single range.
    """
    names = [calibrated.name for calibrated in (certificate.as_found if as_found else certificate.in_use)]
    if range_name is None:
        return names[0] if len(names) == 1 else None
    return range_name if range_name in names else None
