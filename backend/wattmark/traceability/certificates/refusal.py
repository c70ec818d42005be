"""Why a certificate serves no measurement, as it is stored and sent."""

from __future__ import annotations

from wattmark.core.schema import Record


class RefusalRecord(Record):
    """Why a certificate cannot be used: a stable code and one sentence."""

    code: str
    text: str
