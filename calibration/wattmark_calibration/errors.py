"""Errors and refusals of calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class CertificateError(ValueError):
    """A certificate is malformed, hostile, in a wrong unit or contradicts itself: one line, cause and remedy."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a correction is withheld: a short stable code, one sentence, and whether a person may override it."""

    code: str
    text: str
    final: bool = False


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not a fault
    """A correction cannot be given. ``refusals`` holds every reason, the message all of their sentences."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__(" ".join(refusal.text for refusal in refusals))
        self.refusals = tuple(refusals)
