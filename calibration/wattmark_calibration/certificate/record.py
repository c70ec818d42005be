"""The record of a calibration certificate."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from wattmark_calibration.certificate.checks import (
    FILE_RULES,
    IDENTIFIER,
    SHA256,
    require,
    require_day,
    require_text,
)
from wattmark_calibration.certificate.conformity import Outcome, judge_range
from wattmark_calibration.certificate.points import CalibratedRange

MOST_RANGES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterIdentity:
    """The calibrated meter. ``firmware`` None: the certificate does not state it."""

    __pydantic_config__ = FILE_RULES

    manufacturer: str
    model: str
    serial: str
    firmware: str | None = None

    def __post_init__(self) -> None:
        """Refuse a meter without a name or serial number."""
        require_text("Meter (manufacturer, model, serial, firmware)", *_texts(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Laboratory:
    """Who calibrated. ``accreditation`` is the mark with its number ("DAkkS D-K-00000-01-00"); None: not accredited."""

    __pydantic_config__ = FILE_RULES

    name: str
    accreditation: str | None = None

    def __post_init__(self) -> None:
        """Refuse a laboratory without a name."""
        require_text("Laboratory (name, accreditation)", *_texts(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """The document that the certificate was taken from, by the SHA-256 of its bytes."""

    __pydantic_config__ = FILE_RULES

    name: str
    sha256: str

    def __post_init__(self) -> None:
        """Refuse what is no file name or no hash."""
        require_text("Name of the certificate's file", self.name)
        require(
            bool(SHA256.fullmatch(self.sha256)), "The sha256 of the file must have 64 lower-case hexadecimal digits."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceStandard:
    """One link of the chain: a standard that the laboratory used, and what it is traceable to."""

    # a file may omit what is not known; what is sent has every field
    __pydantic_config__ = {**FILE_RULES, "json_schema_serialization_defaults_required": True}

    name: str
    serial: str | None = None
    certificate: str | None = None
    traceable_to: str | None = None

    def __post_init__(self) -> None:
        """Refuse a standard without a name."""
        require_text("Reference standard (name, serial, certificate, traceable_to)", *_texts(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """The owner's approval. ``accepts`` names refusals that the owner has examined and accepts ("chi-squared")."""

    __pydantic_config__ = FILE_RULES

    by: str
    on: date
    accepts: tuple[Literal["chi-squared"], ...] = ()
    note: str | None = None

    def __post_init__(self) -> None:
        """Refuse an approval without a name."""
        require_text("Approval (by, note)", self.by, self.note)
        require_day("Day of approval", self.on)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """Withdrawal by laboratory or owner: the certificate serves no measurement from ``effective`` on."""

    __pydantic_config__ = FILE_RULES

    effective: date
    by: str
    reason: str

    def __post_init__(self) -> None:
        """Refuse a revocation without a name or reason."""
        require_text("Revocation (by, reason)", self.by, self.reason)
        require_day("Day of revocation", self.effective)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedConformity:
    """What the laboratory itself says about conformity, and by which rule ("ILAC-G8, guard band w = U")."""

    __pydantic_config__ = FILE_RULES

    rule: str
    verdict: Outcome

    def __post_init__(self) -> None:
        """Refuse a verdict without a rule."""
        require_text("Rule of conformity", self.rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """One calibration of one meter.

    ``as_found`` is before any adjustment and alone can judge older results. ``as_left`` is given only when the meter
    was adjusted, and then alone serves newer ones. ``due_on`` is the owner's date: the last day of use. A change of
    any field makes a new ``version`` of the same ``id``; results name both.
    """

    __pydantic_config__ = FILE_RULES

    id: str
    number: str
    meter: MeterIdentity
    laboratory: Laboratory
    method: str
    calibrated_on: date
    due_on: date
    as_found: tuple[CalibratedRange, ...] = ()
    as_left: tuple[CalibratedRange, ...] = ()
    adjusted: bool = False
    version: int = 1
    chain: tuple[ReferenceStandard, ...] = ()
    file: SourceFile | None = None
    supersedes: str | None = None
    conformity: StatedConformity | None = None
    approval: Approval | None = None
    revocation: Revocation | None = None
    in_house: Literal[True] | None = None
    """True: the owner compared the meter with another one of his own; None: a laboratory calibrated it."""
    schema_version: Literal[1] = 1

    def __post_init__(self) -> None:
        """Refuse a certificate that contradicts itself."""
        require_text("Number of the certificate", self.number)
        require_text("Method", self.method)
        require(self.version >= 1, "Version numbers start at 1.")
        for name in (self.id, self.supersedes):
            good = name is None or IDENTIFIER.fullmatch(name)
            require(bool(good), f"Identifier {name!r}: use up to 64 of A-Z a-z 0-9 . _ + -")
        require(self.supersedes != self.id, f"Certificate {self.id} cannot supersede itself.")
        self._require_days()
        self._require_ranges()
        self._require_stated_verdict()

    @property
    def in_use(self) -> tuple[CalibratedRange, ...]:
        """Return the ranges that serve new results: as left after an adjustment, else as found."""
        return self.as_left if self.adjusted else self.as_found

    @property
    def name(self) -> str:
        """Return the certificate with its version, as results store it."""
        return f"{self.id} v{self.version}"

    @property
    def traceable(self) -> bool:
        """Return whether a chain stands behind it: a laboratory's does, an in-house one where its reference had one."""
        return not self.in_house or any(link.traceable_to for link in self.chain)

    def _require_days(self) -> None:
        require_day("Days of the certificate", self.calibrated_on, self.due_on)
        require(
            self.due_on > self.calibrated_on,
            f"Certificate {self.id} is due on {self.due_on}, not after its calibration on {self.calibrated_on}.",
        )
        approved = None if self.approval is None else self.approval.on
        revoked = None if self.revocation is None else self.revocation.effective
        for event, day in (("approved", approved), ("revoked with effect from", revoked)):
            good = day is None or day >= self.calibrated_on
            require(good, f"Certificate {self.id} is {event} {day}, before its calibration on {self.calibrated_on}.")

    def _require_ranges(self) -> None:
        require(bool(self.in_use), f"Certificate {self.id}: give as-found points, or adjusted and as-left points.")
        require(
            self.adjusted or not self.as_left,
            f"Certificate {self.id} has as-left points but states that the meter was not adjusted; then give as-found "
            "points only.",
        )
        for ranges in (self.as_found, self.as_left):
            require(len(ranges) <= MOST_RANGES, f"Certificate {self.id} has more than {MOST_RANGES} ranges.")
            names = [r.name for r in ranges]
            require(len(set(names)) == len(names), f"Certificate {self.id} names a range twice.")

    def _require_stated_verdict(self) -> None:
        """Refuse "pass" beside a point that lies beyond limit + U."""
        if self.conformity is None or self.conformity.verdict is not Outcome.PASS:
            return
        for calibrated in self.in_use:
            limits = [point.limit_w for point in calibrated.points]
            complete = all(limit is not None for limit in limits)
            require(
                not complete or judge_range(calibrated, [limit or 0.0 for limit in limits]) is not Outcome.FAIL,
                f"Certificate {self.id} states pass, but a point of range {calibrated.name} fails its limit of error.",
            )


def _texts(part: MeterIdentity | Laboratory | ReferenceStandard) -> list[str | None]:
    return [getattr(part, name) for name in part.__dataclass_fields__]
