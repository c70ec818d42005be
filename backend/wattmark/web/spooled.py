"""Answers that are written to a file first and sent from it: what cannot be made piece by piece."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import IO, Annotated, cast

from fastapi import Depends, Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from wattmark.web.attachment import attachment
from wattmark.web.spool import Spool

_PIECE = 2**20


def _spool(request: Request) -> Spool:
    return cast("Spool", request.app.state.spool)


SpoolDep = Annotated[Spool, Depends(_spool)]


def sent(spool: Spool, write: Callable[[IO[bytes]], None], *, name: str, media_type: str, small: bool) -> Response:
    """Send a ``small`` file from memory, and any other as `spooled` does. Raises `StoreError` as that."""
    if not small:
        return spooled(spool, write, name=name, media_type=media_type)
    file = io.BytesIO()
    write(file)
    return Response(file.getvalue(), media_type=media_type, headers=attachment(name))


def spooled(spool: Spool, write: Callable[[IO[bytes]], None], *, name: str, media_type: str) -> StreamingResponse:
    """Write a file and send it under a name. Raises `StoreError` where the disk is full."""
    file = spool.open()
    try:
        with spool.explaining_errors():
            write(file)
    except BaseException:
        file.close()
        raise
    return _Sent(file, name, media_type)


class _Sent(StreamingResponse):
    """Send a file and close it, also after the client has left."""

    def __init__(self, file: IO[bytes], name: str, media_type: str) -> None:
        length = file.seek(0, 2)
        file.seek(0)
        headers = {**attachment(name), "Content-Length": str(length)}
        super().__init__(iter(partial(file.read, _PIECE), b""), media_type=media_type, headers=headers)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._file:
            await super().__call__(scope, receive, send)
