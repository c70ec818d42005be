"""The lab's control port: JSON lines on the loopback address, each with the lab's token."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wattmark_drivers.errors import DriverError
from wattmark_drivers.speakers.faults import FaultMessage
from wattmark_drivers.speakers.loopback import LOOPBACK
from wattmark_drivers.speakers.tcp_server import TcpServer

LINE_LIMIT = 4096


class Command(BaseModel):
    """One request.

    ``server`` with ``dimms`` changes its DIMM count; ``server`` alone asks for its true state;
    ``device`` with ``fault`` lets something go wrong.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    token: str
    server: str | None = None
    dimms: int | None = Field(default=None, ge=0)
    device: str | None = None
    fault: FaultMessage | None = None


class ControlServer:
    """Answers {"ok": true, ...} or {"ok": false, "error": one line}; a wrong token also ends the connection."""

    def __init__(self, token: str, obey: Callable[[Command], dict[str, Any]]) -> None:
        self._token = token
        self._obey = obey
        self._server = TcpServer(self._converse, limit=LINE_LIMIT)

    async def start(self) -> str:
        """Listen on a free port and return the address."""
        return f"{LOOPBACK}:{await self._server.start()}"

    async def stop(self) -> None:
        await self._server.stop()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            answer, trusted = self._answer(line)
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
            if not trusted:
                break

    def _answer(self, line: bytes) -> tuple[dict[str, Any], bool]:
        try:
            command = Command.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "the line"
            return _refusal(f"{place}: {first['msg']}."), False
        if not hmac.compare_digest(command.token.encode(), self._token.encode()):
            return _refusal("The token is wrong. It stands in the lab's token file."), False
        try:
            return {"ok": True, **self._obey(command)}, True
        except DriverError as error:
            return _refusal(str(error)), True


def _refusal(text: str) -> dict[str, Any]:
    return {"ok": False, "error": text}
