"""The name under which a browser saves an answer, whatever a run or a certificate is called."""

from __future__ import annotations

import re
from urllib.parse import quote

_PLAIN = re.compile(r"[^A-Za-z0-9._+ -]")
"""A header takes no other alphabets and no line ends, and its quoted name no quotation mark."""


def attachment(name: str) -> dict[str, str]:
    """Return the header of an answer that is saved as a file (RFC 6266)."""
    plain = _PLAIN.sub("_", name)
    exact = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"
    return {"Content-Disposition": f'attachment; filename="{plain}"{exact}'}
