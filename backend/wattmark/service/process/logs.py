"""How a service writes its log: lines for people on a terminal, one JSON object a line for machines."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Literal, TextIO

from wattmark.core.request_id import request_id

Format = Literal["text", "json"]


class JsonLines(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, message, request id, fields, and the trace of an error."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if identifier := request_id():
            line["request_id"] = identifier
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def log_as_json(stream: TextIO) -> None:
    """Log all rooms to a stream as JSON, requests included; replaces the earlier configuration."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for chatty in ("asyncssh", "uvicorn", "pysnmp", "matplotlib", "fontTools", "httpx2", "httpcore", "aiohttp"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    # Both log each failed request as an error; the meter reports it once.
    logging.getLogger("kasa").setLevel(logging.CRITICAL + 1)
    logging.getLogger("pymodbus").setLevel(logging.CRITICAL + 1)
