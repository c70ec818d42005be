"""Import of digital calibration certificates (PTB DCC 3.x) for power meters."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from xml.etree.ElementTree import Element

from wattmark_calibration.certificate.checks import require
from wattmark_calibration.certificate.conformity import Outcome
from wattmark_calibration.certificate.record import (
    Certificate,
    Laboratory,
    MeterIdentity,
    ReferenceStandard,
    SourceFile,
    StatedConformity,
)
from wattmark_calibration.dcc.quantities import DCC
from wattmark_calibration.dcc.safe_xml import parse_xml
from wattmark_calibration.dcc.tables import read_tables
from wattmark_calibration.dcc.texts import english, found_text, one_line
from wattmark_calibration.errors import CertificateError

SAME_NAMES: Mapping[str, str] = MappingProxyType({})
NONE_TAKEN: Mapping[str, str] = MappingProxyType({})
_LONGEST_ID = 64
_DIGITS = 8
LONGEST_METHOD = 500


def read_dcc(
    content: bytes,
    file_name: str,
    *,
    due_on: date | None = None,
    supersedes: str | None = None,
    range_names: Mapping[str, str] = SAME_NAMES,
    taken: Mapping[str, str] = NONE_TAKEN,
) -> Certificate:
    """Read a DCC. ``due_on`` is the owner's date; None takes the customer's date that the DCC states.

    Each table of points is one range; ``range_names`` translates the DCC's names into the meter's.
    The id is the number in plain signs; ``taken`` has the numbers of known ids, and where two numbers that differ in
    other signs meet in one id, this one ends with the number's digest. Raises
    `CertificateError` with one line for XML that is malformed, hostile or no DCC 3.x, for powers that are not in
    watts, and for a certificate that contradicts itself. The XML signature is not checked. Source: PTB, DCC 3.x.
    """
    root = parse_xml(content)
    version = root.get("schemaVersion", "")
    require(
        root.tag == f"{DCC}digitalCalibrationCertificate" and version.startswith("3."),
        f"The file is not a DCC 3.x (root {root.tag[:80]}, schemaVersion {version[:20]!r}).",
    )
    admin = root.find(f"{DCC}administrativeData")
    if admin is None:
        raise CertificateError("The DCC has no administrativeData.")
    number = _needed(admin, "coreData/uniqueIdentifier")
    tables = read_tables(root, range_names)
    require(bool(tables.as_found or tables.as_left), "The DCC holds no table with reference and measured values.")
    return Certificate(
        id=_identity(number, taken),
        number=number,
        meter=_meter(admin),
        laboratory=Laboratory(
            name=_laboratory_name(admin),
            accreditation=found_text(admin, "calibrationLaboratory/calibrationLaboratoryCode"),
        ),
        method=_method(root),
        calibrated_on=_calibration_day(admin),
        due_on=due_on or _recalibration_day(admin),
        as_found=tables.as_found,
        as_left=tables.as_left,
        adjusted=tables.adjusted,
        chain=tuple(_standards(root)),
        file=SourceFile(name=file_name, sha256=hashlib.sha256(content).hexdigest()),
        supersedes=supersedes,
        conformity=_conformity(admin),
    )


def _calibration_day(admin: Element) -> date:
    """Read the last day of the calibration. Raises `CertificateError` where it ended before it began."""
    ended, began = (
        _day(_needed(admin, "coreData/endPerformanceDate")),
        found_text(admin, "coreData/beginPerformanceDate"),
    )
    require(
        began is None or _day(began) <= ended,
        f"The DCC says that the calibration began on {began} and ended on {ended}.",
    )
    return ended


def _identity(number: str, taken: Mapping[str, str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9._+-]", "-", number).lstrip("._+-")
    if plain and len(plain) <= _LONGEST_ID and taken.get(plain, number) == number:
        return plain
    digest = hashlib.sha256(number.encode()).hexdigest()[:_DIGITS]
    return f"{plain[: _LONGEST_ID - _DIGITS - 1] or 'DCC'}-{digest}"


def _meter(admin: Element) -> MeterIdentity:
    """Read the one calibrated item."""
    items = admin.findall(f"{DCC}items/{DCC}item")
    require(len(items) == 1, f"The DCC covers {len(items)} items; a certificate must be for one meter.")
    item = items[0]
    maker = item.find(f"{DCC}manufacturer/{DCC}name")
    return MeterIdentity(
        manufacturer=english(maker) or "not stated",
        model=found_text(item, "model") or english(item.find(f"{DCC}name")) or "not stated",
        serial=_serial(item),
    )


def _serial(item: Element) -> str:
    """Find the maker's serial number: the maker's identification, by refType or name if there are several."""
    identifications = item.findall(f"{DCC}identifications/{DCC}identification")
    by_maker = [i for i in identifications if found_text(i, "issuer") == "manufacturer"]
    chosen = [i for i in by_maker if _speaks_of_serial(i)] or by_maker
    values = {found_text(i, "value") for i in chosen} - {None}
    if len(values) != 1:
        raise CertificateError(f"The DCC gives {len(values)} serial numbers of the manufacturer; one is needed.")
    return str(values.pop())


def _speaks_of_serial(identification: Element) -> bool:
    kind, name = identification.get("refType", ""), english(identification.find(f"{DCC}name")) or ""
    return "serial" in (kind + name).lower()


def _laboratory_name(admin: Element) -> str:
    name = english(admin.find(f"{DCC}calibrationLaboratory/{DCC}contact/{DCC}name"))
    if name is None:
        raise CertificateError("The DCC does not name the calibration laboratory.")
    return name


def _method(root: Element) -> str:
    """Join the names and norms of the methods."""
    out = []
    for method in root.iterfind(f".//{DCC}measurementResult/{DCC}usedMethods/{DCC}usedMethod"):
        name = english(method.find(f"{DCC}name"))
        norms = [text for text in (one_line(norm.text) for norm in method.iterfind(f"{DCC}norm")) if text]
        if name:
            out.append(f"{name} ({', '.join(norms)})" if norms else name)
    return "; ".join(dict.fromkeys(out))[:LONGEST_METHOD] or "not stated"


def _standards(root: Element) -> list[ReferenceStandard]:
    """List the standards that the laboratory used: marked as such, or named by a value's meta data."""
    out = []
    named = {
        identifier
        for data in root.iter(f"{DCC}metaData")
        if "basic_normalUsed" in data.get("refType", "").split()
        for identifier in data.get("refId", "").split()
    }
    for equipment in root.iterfind(f".//{DCC}measuringEquipments/{DCC}measuringEquipment"):
        if "basic_normalUsed" in equipment.get("refType", "").split() or equipment.get("id") in named:
            path = "identifications/identification/value"
            name = english(equipment.find(f"{DCC}name")) or "not named"
            certificate = found_text(equipment, "certificate/referralID")
            out.append(ReferenceStandard(name=name, serial=found_text(equipment, path), certificate=certificate))
    return out


def _statement(admin: Element, kind: str) -> Element | None:
    """Find a statement by its refType."""
    for statement in admin.iterfind(f"{DCC}statements/{DCC}statement"):
        if kind in statement.get("refType", "").split():
            return statement
    return None


def _recalibration_day(admin: Element) -> date:
    statement = _statement(admin, "basic_recalibration")
    day = found_text(statement, "date") if statement is not None else None
    if day is None:
        raise CertificateError("The DCC states no recalibration date. Enter the due date that you set.")
    return _day(day)


def _conformity(admin: Element) -> StatedConformity | None:
    """Read the laboratory's own verdict; None where it states none, or one outside ILAC-G8's four."""
    statement = _statement(admin, "basic_conformity")
    word = found_text(statement, "conformity") if statement is not None else None
    words = {"pass": Outcome.PASS, "conditionalPass": Outcome.CONDITIONAL_PASS}
    words |= {"conditionalFail": Outcome.CONDITIONAL_FAIL, "fail": Outcome.FAIL}
    if statement is None or word not in words:
        return None
    rule = found_text(statement, "norm") or english(statement.find(f"{DCC}declaration")) or "as stated in the DCC"
    return StatedConformity(rule=rule, verdict=words[word])


def _needed(admin: Element, path: str) -> str:
    text = found_text(admin, path)
    if text is None:
        raise CertificateError(f"The DCC has no {path}.")
    return text


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CertificateError(f"{text[:40]!r} in the DCC is not a date.") from None
