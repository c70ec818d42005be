"""Hints about ranges of a new certificate that the meter's model does not have, with the nearest names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from wattmark_calibration import Certificate
from wattmark_calibration.certificate.record import MeterIdentity
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.declaration import Declaration

from wattmark.runs.record import MeterRecord

_VOLTS = re.compile(r"(\d+(?:\.\d+)?) *V\b", re.IGNORECASE)
_AMPERES = re.compile(r"(\d+(?:\.\d+)?) *(m?)A\b", re.IGNORECASE)
_PLAIN = re.compile(r"[^a-z0-9.]+")
CLOSE = 0.4


def range_hints(certificate: Certificate, meters: Iterable[MeterRecord]) -> list[str]:
    """List the ranges of a certificate that never serve because the meter's model names its ranges otherwise.

    The model is that of a known meter with the serial number, else the one of the catalogue with the certificate's
    model name; the list is empty where neither exists.
    """
    model = _model(certificate.meter, meters)
    if model is None:
        return []
    names = dict.fromkeys(calibrated.name for calibrated in (*certificate.in_use, *certificate.as_found))
    if not model.ranges and not model.protocol.range_form:
        several = len(certificate.in_use) > 1
        text = (
            f"A meter of the model {model.id} reports no ranges, so only a certificate with a single range can be used "
            "for it."
        )
        return [text] if several else []
    return [_hint(name, model) for name in names if model.range(name) is None]


def _model(meter: MeterIdentity, meters: Iterable[MeterRecord]) -> Declaration | None:
    catalogue = load_catalogue()
    used = next(
        (record.model for record in meters if record.serial == meter.serial and record.model in catalogue), None
    )
    if used is not None:
        return catalogue[used]
    same_model = [declaration for declaration in catalogue.values() if _plain(declaration.model) == _plain(meter.model)]
    return same_model[0] if len(same_model) == 1 else None


def _hint(name: str, model: Declaration) -> str:
    near = _nearest(name, model)
    meant = f"the nearest {'is' if len(near) == 1 else 'are'} {', '.join(near)}" if near else _allowed(model)
    remedy = f"--range '{name}={near[0] if near else 'NAME'}'"
    fault = f"The model {model.id} has no range {name}, so the certificate is never used for it"
    return f"{fault}; {meant}. Rename it in the file, a DCC by {remedy}."


def _nearest(name: str, model: Declaration) -> Sequence[str]:
    """Find the model's range with the same volts and amperes, else the most similar names."""
    volts, amperes = _VOLTS.search(name), _AMPERES.search(name)
    if volts and amperes:
        current_a = float(amperes[1]) / (1000 if amperes[2] else 1)
        composed = f"{float(volts[1]):g}V-{current_a:g}A"
        if model.range(composed) is not None:
            return [composed]
    plain = {_plain(declared.id): declared.id for declared in model.ranges}
    return [plain[near] for near in get_close_matches(_plain(name), plain, 3, CLOSE)]


def _allowed(model: Declaration) -> str:
    return f"it has {', '.join(declared.id for declared in model.ranges) or model.protocol.range_form}"


def _plain(text: str) -> str:
    return _PLAIN.sub("", text.lower())
