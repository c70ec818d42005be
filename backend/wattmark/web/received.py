"""Bodies too large for memory, written to a file as they arrive."""

from __future__ import annotations

from typing import IO

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from wattmark.core.errors import InputError
from wattmark.web.spool import Spool


async def receive(request: Request, spool: Spool, file: IO[bytes], largest: int, remedy: str) -> None:
    """Write the body to a file of the spool. Raises `InputError` with the remedy above the largest size [bytes]."""
    length = 0
    async for part in request.stream():
        length += len(part)
        if length > largest:
            raise InputError(f"The file is larger than {largest // 2**30} GiB.", remedy)
        with spool.explaining_errors():
            await run_in_threadpool(file.write, part)
