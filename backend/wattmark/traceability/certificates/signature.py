"""Check that decisions carry a name and a reason."""

from __future__ import annotations

from wattmark_calibration import CertificateError
from wattmark_calibration.certificate.checks import require_text

from wattmark.core.errors import InputError


def require_signature(by: str, reason: str) -> None:
    """Refuse a decision without a signature or an explanation. Raises `InputError`."""
    try:
        require_text("Name and reason of a decision", by, reason)
    except CertificateError as error:
        raise InputError(str(error), "Give your name (by) and the reason (reason).") from None
