"""Answers that client libraries get through urllib3: bounded in time and in bytes, unpacked ones too; no redirects."""

from __future__ import annotations

import io
import socket
import threading
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from urllib3 import HTTPConnectionPool, HTTPHeaderDict, HTTPResponse, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from wattmark.core.errors import WattmarkError

MOST_BYTES = 512 * 2**20
"""A series of twenty million samples; more is asked for in parts."""
LONGEST_S = 300.0
_PIECE = 64 * 1024


class BadAnswer(WattmarkError):  # noqa: N818
    """The server sends what is not taken; ``cause`` completes "The server ..."."""


def bound(manager: PoolManager, most_bytes: int = MOST_BYTES, longest_s: float = LONGEST_S) -> None:
    """Limit every answer through a manager; beyond the limits its calls raise `BadAnswer`."""

    class Plain(_Bounded, HTTPConnection):
        most_bytes_, longest_s_ = most_bytes, longest_s

    class Secure(_Bounded, HTTPSConnection):
        most_bytes_, longest_s_ = most_bytes, longest_s

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    manager.pool_classes_by_scheme = {"http": PlainPool, "https": SecurePool}


class _Bounded:
    """A connection that reads each answer to its end before it hands it on."""

    most_bytes_: int
    longest_s_: float
    sock: Any
    _response_options: Any

    def getresponse(self) -> Any:
        """Read the answer. Raises `BadAnswer`, and what urllib3 raises."""
        options = self._response_options
        preload = options is not None and options.preload_content
        if options is not None:
            self._response_options = options._replace(preload_content=False, decode_content=False)
        late = threading.Event()
        deadline = threading.Timer(self.longest_s_, self._hang_up, (late, self.sock))
        deadline.daemon = True
        deadline.start()
        try:
            answer: HTTPResponse = super().getresponse()  # type: ignore[misc]
            _refuse_redirect(answer)
            content = _read(answer, self.most_bytes_)
        except Exception as error:
            if late.is_set():
                raise BadAnswer(f"takes longer than {self.longest_s_:g} s for one answer") from error
            raise
        finally:
            deadline.cancel()
        if late.is_set():
            raise BadAnswer(f"takes longer than {self.longest_s_:g} s for one answer")
        return _rebuilt(answer, content, preload=preload)

    @staticmethod
    def _hang_up(late: threading.Event, sock: Any) -> None:
        late.set()
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _refuse_redirect(answer: HTTPResponse) -> None:
    if 300 <= answer.status < 400:
        place = urlsplit(answer.headers.get("location", "")).netloc.rpartition("@")[2][:100]
        whither = f" to {place}" if place.isprintable() and place else ""
        raise BadAnswer(f"redirects{whither} (status {answer.status}), which is not followed")


def _read(answer: HTTPResponse, most_bytes: int) -> io.BytesIO:
    """Read a body and unpack it, as far as both are allowed. Raises `BadAnswer`."""
    encoding = answer.headers.get("content-encoding", "identity").strip().lower()
    unpack = _Unpacking(encoding)
    content, read = io.BytesIO(), 0
    for piece in answer.stream(_PIECE, decode_content=False):
        read += len(piece)
        for part in unpack.parts(piece):
            content.write(part)
            if content.tell() > most_bytes:
                raise BadAnswer(f"sends more than {most_bytes // 2**20} MiB in one answer")
        if read > most_bytes:
            raise BadAnswer(f"sends more than {most_bytes // 2**20} MiB in one answer")
    unpack.must_be_whole()
    content.seek(0)
    return content


class _Unpacking:
    """Unpack one body in parts that are small, however much it holds."""

    def __init__(self, encoding: str) -> None:
        if encoding not in ("identity", "", "lz4"):
            raise BadAnswer(f"sends an answer that is packed as {encoding[:20]!r}, which was not asked for")
        self._packed = encoding == "lz4"
        self._frame: Any = None

    def parts(self, data: bytes) -> Any:
        """Yield what a piece of the body holds. Raises `BadAnswer` where that cannot be unpacked."""
        if not self._packed:
            yield data
            return
        from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]

        try:
            while True:
                if self._frame is None or self._frame.eof:
                    self._frame = LZ4FrameDecompressor()
                yield self._frame.decompress(data, max_length=_PIECE)
                data = (self._frame.unused_data or b"") if self._frame.eof else b""
                if not data and (self._frame.eof or self._frame.needs_input):
                    return
        except (RuntimeError, EOFError) as error:
            raise BadAnswer("sends a packed answer that is damaged") from error

    def must_be_whole(self) -> None:
        """Raise `BadAnswer` where the last part is missing."""
        if self._frame is not None and not self._frame.eof:
            raise BadAnswer("sends a packed answer that is damaged")


def _rebuilt(answer: HTTPResponse, content: io.BytesIO, *, preload: bool) -> HTTPResponse:
    headers = HTTPHeaderDict(answer.headers)
    for name in ("content-encoding", "content-length", "transfer-encoding"):
        headers.discard(name)
    return HTTPResponse(
        body=content,
        headers=headers,
        status=answer.status,
        version=answer.version,
        reason=answer.reason,
        preload_content=preload,
        original_response=answer._original_response,  # noqa: SLF001 - tells the pool that it is read to its end
        request_url=answer.url,
    )
