"""Read a certificate from a file of any accepted format, recognised by its content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date

from wattmark_calibration import Certificate, CertificateError
from wattmark_calibration.dcc.reader import NONE_TAKEN, SAME_NAMES, read_dcc

from wattmark.core.errors import InputError

BOM = b"\xef\xbb\xbf"
LONGEST_MESSAGE = 500


def read_certificate(
    content: bytes,
    file_name: str,
    *,
    due_on: date | None = None,
    range_names: Mapping[str, str] = SAME_NAMES,
    taken: Mapping[str, str] = NONE_TAKEN,
) -> Certificate:
    """Read a certificate from JSON, CSV or PTB DCC XML. Raises `InputError` with one line that names the mistake.

    ``due_on`` is the owner's due date; it replaces one that the file states. ``range_names`` translates a DCC's names
    of tables into the meter's names of ranges. ``taken`` has the numbers of the ids that are known, for a DCC, which
    states a number and no id.
    """
    try:
        certificate = _read(content, file_name, due_on, range_names, taken)
        return certificate if due_on is None else replace(certificate, due_on=due_on)
    except CertificateError as error:
        message = "".join(letter if letter.isprintable() else "?" for letter in str(error)[:LONGEST_MESSAGE])
        name = "".join(letter if letter.isprintable() else "?" for letter in file_name[:80])
        raise InputError(f"{name} is not valid: {message}", "Nothing was changed. Correct the file.") from None


def range_names(pairs: Iterable[str]) -> dict[str, str]:
    """Parse "DCC-NAME=METER-NAME" pairs. Raises `InputError`."""
    split = [pair.partition("=") for pair in pairs]
    if any(not name or not meant for name, _, meant in split):
        raise InputError("The renaming of a range is not valid.", "Write DCC-NAME=METER-NAME.")
    return {name: meant for name, _, meant in split}


def _read(
    content: bytes, file_name: str, due_on: date | None, range_names: Mapping[str, str], taken: Mapping[str, str]
) -> Certificate:
    start = content.removeprefix(BOM).lstrip()[:1]
    if not start:
        raise CertificateError("The file is empty.")
    if start == b"{":
        # pydantic is imported only where a JSON certificate is read
        from wattmark_calibration.certificate.json_file import read_json

        return read_json(content)
    if start == b"<" or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return read_dcc(content, file_name, due_on=due_on, range_names=range_names, taken=taken)
    from wattmark_calibration.certificate.csv_file import read_csv

    return read_csv(content, file_name)
