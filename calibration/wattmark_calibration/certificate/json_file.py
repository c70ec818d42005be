"""Certificates as JSON files: reading, writing and their JSON Schema."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from wattmark_calibration.certificate.canonical import canonical_json
from wattmark_calibration.certificate.record import Certificate
from wattmark_calibration.errors import CertificateError

LARGEST_FILE = 4 * 1024 * 1024
DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""Dialect that pydantic writes."""


def read_json(content: bytes) -> Certificate:
    """Read a certificate from JSON. Raises `CertificateError`, in one line, for anything else."""
    if len(content) > LARGEST_FILE:
        raise CertificateError(f"The file has {len(content)} bytes; a certificate has at most {LARGEST_FILE}.")
    try:
        tree = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_no_constant)
        return _adapter().validate_json(json.dumps(tree), strict=True)
    except ValidationError as error:
        raise CertificateError(_one_line(error)) from None
    except CertificateError:
        raise
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"The file is not JSON: {error}.") from None


def write_json(certificate: Certificate) -> str:
    """Format a certificate as JSON for people: sorted, indented, ending with a line feed."""
    return json.dumps(json.loads(canonical_json(certificate)), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a certificate."""
    return {"$schema": DIALECT, **_adapter().json_schema(), "title": "wattmark calibration certificate"}


@cache
def _adapter() -> TypeAdapter[Certificate]:
    """Build the validator once, and only where files are read."""
    return TypeAdapter(Certificate)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that repeats a key: which one counts would be a guess."""
    seen: dict[str, object] = {}
    for name, value in pairs:
        if name in seen:
            raise CertificateError(f"The key {name[:80]!r} occurs twice in one object; remove one.")
        seen[name] = value
    return seen


def _no_constant(word: str) -> float:
    raise CertificateError(f"{word} is not a valid JSON number; omit the field if the certificate does not state it.")


def _one_line(error: ValidationError) -> str:
    """Return the first mistake with its place, and how many follow."""
    first, *rest = error.errors(include_url=False, include_context=False, include_input=False)
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    more = f" ({len(rest)} more)" if rest else ""
    return f"{place}: {message}{more}" if place else f"{message}{more}"
