"""Canonical JSON and SHA-256 of a certificate."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from datetime import date

from wattmark_calibration.certificate.record import Certificate
from wattmark_calibration.errors import Refusal, Refused

LARGEST_EXACT = 2**53


def canonical_json(certificate: Certificate) -> str:
    """Format a certificate as JSON so that equal certificates give equal text.

    Keys sorted, no spaces, None omitted, whole numbers without a fraction (in the manner of RFC 8785).
    """
    return json.dumps(_plain(certificate), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_sha256(certificate: Certificate) -> str:
    """Compute the SHA-256 of the canonical JSON in UTF-8."""
    return hashlib.sha256(canonical_json(certificate).encode()).hexdigest()


def verify_file(certificate: Certificate, content: bytes) -> None:
    """Check the bytes of the certificate's document against its recorded hash. Raises `Refused` on a mismatch.

    Raises `ValueError` when the certificate names no file: there is nothing to compare with.
    """
    if certificate.file is None:
        raise ValueError(f"Certificate {certificate.name} names no file.")
    if hashlib.sha256(content).hexdigest() != certificate.file.sha256:
        text = f"{certificate.file.name} is not the file from which certificate {certificate.name} was imported."
        raise Refused([Refusal("hash", text)])


def _plain(value: object) -> object:
    """Convert dataclasses, tuples and days to what JSON knows."""
    if is_dataclass(value):
        pairs = ((field.name, getattr(value, field.name)) for field in fields(value))
        return {name: _plain(part) for name, part in pairs if part is not None}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_EXACT:
        return int(value)
    return value
