"""A language model's server that keeps time exactly and counts what it is told to: no model, only instants.

It has lanes. A request takes the free lane whose next token is due first, and brings a token at each of its ticks:
lane k of n ticks at (m + k / n) x gap. A lane never loses a tick: tokens that are overdue when its next request comes
are sent at once. So n requests under way make n / gap tokens a second, however long a client takes between two.

Run as a program it prints its address and serves until it is ended; `Script` says how it behaves.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any


@dataclass(frozen=True)
class Script:
    """How the server behaves."""

    lanes: int = 4
    gap_s: float = 0.02
    prefill_s: float = 0.0
    """From a request to its first token at the earliest [s]."""
    per_event: int = 1
    """Tokens that come in one event."""
    begin_mark: int = 0
    """Tokens that the server counts beside those of the prompt."""
    generates: int | None = None
    """Tokens of an answer; None: as many as are asked for."""
    cached: int = 0
    fails: str = ""
    """What happens to each request that fails: "status", "event", "cut", "silent", "no usage", "nothing"."""
    fails_each: int = 0
    """Every so many requests fail, beginning with the last of them; 0: none."""
    healthy_after_s: float = 0.0
    """Until then it says that it loads its model [s]."""
    ends_after_s: float | None = None
    """When the whole server dies [s]; None: never."""


@contextmanager
def serving(script: Script) -> Iterator[int]:
    """Run a stub for the length of the context; gives its port."""
    command = [sys.executable, __file__, json.dumps(asdict(script))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


class Stub:
    """The server."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._begin_s = time.monotonic()
        self._next = [script.gap_s * lane / script.lanes for lane in range(script.lanes)]
        """When each lane's next token is due [s since the begin]."""
        self._free = set(range(script.lanes))
        self._requests = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            method, path, _ = head.split(" ", 2)
            fields = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if line)
            length = int(fields.get("content-length", 0))
            body = await reader.readexactly(length)
            if method == "POST":
                await self._generate(writer, path, json.loads(body))
            else:
                self._page(writer, path)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _page(self, writer: asyncio.StreamWriter, path: str) -> None:
        if path == "/health" and time.monotonic() - self._begin_s < self._script.healthy_after_s:
            _respond(writer, HTTPStatus.SERVICE_UNAVAILABLE, {"error": {"message": "Loading model"}})
        elif path == "/v1/models":
            _respond(writer, HTTPStatus.OK, {"data": [{"id": "stub"}]})
        else:
            _respond(writer, HTTPStatus.OK, {"status": "ok"})

    async def _generate(self, writer: asyncio.StreamWriter, path: str, asked: dict[str, Any]) -> None:
        script, chat = self._script, path.endswith("/chat/completions")
        assert asked["model"] == "stub"
        assert asked["stream_options"] == {"include_usage": True}
        self._requests += 1
        fails = script.fails if script.fails_each and self._requests % script.fails_each == 0 else ""
        if fails == "status":
            _respond(writer, HTTPStatus.INTERNAL_SERVER_ERROR, {"error": {"message": "out of memory"}})
            return
        while not self._free:
            await asyncio.sleep(script.gap_s)
        lane = min(self._free, key=lambda number: self._next[number])
        self._free.remove(lane)
        try:
            await self._stream(writer, lane, asked, fails, chat=chat)
        finally:
            self._free.add(lane)

    async def _stream(
        self, writer: asyncio.StreamWriter, lane: int, asked: dict[str, Any], fails: str, *, chat: bool
    ) -> None:
        script = self._script
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        if chat:
            _event(writer, {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
        count = 0 if fails == "nothing" else script.generates or asked["max_tokens"]
        earliest_s = time.monotonic() - self._begin_s + script.prefill_s
        while script.prefill_s and self._next[lane] < earliest_s:
            self._next[lane] += script.gap_s
        for first in range(0, count, script.per_event):
            tokens = min(script.per_event, count - first)
            due_s = self._next[lane] + (tokens - 1) * script.gap_s
            self._next[lane] = due_s + script.gap_s
            await asyncio.sleep(max(0.0, self._begin_s + due_s - time.monotonic()))
            if first >= count // 2 and fails in ("cut", "event", "silent"):
                if fails == "event":
                    _event(writer, {"error": {"message": "the engine is dead"}})
                if fails == "silent":
                    await asyncio.sleep(3600)
                return
            text = {"delta": {"content": "word " * tokens}} if chat else {"text": "word " * tokens}
            _event(writer, {"choices": [{"index": 0, **text}]})
            await writer.drain()
        _event(writer, {"choices": [{"index": 0, "delta": {}, "text": "", "finish_reason": "length"}]})
        prompt = asked["messages"][0]["content"].split() if chat else asked["prompt"]
        usage = {
            "prompt_tokens": len(prompt) + script.begin_mark,
            "completion_tokens": count,
            "prompt_tokens_details": {"cached_tokens": script.cached},
        }
        if fails != "no usage":
            _event(writer, {"choices": [], "usage": usage})
        writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")


def _event(writer: asyncio.StreamWriter, event: dict[str, Any]) -> None:
    data = b"data: " + json.dumps(event).encode() + b"\n\n"
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))


def _respond(writer: asyncio.StreamWriter, status: HTTPStatus, body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    writer.write(b"HTTP/1.1 %d %s\r\nContent-Length: %d\r\n\r\n%s" % (status, status.phrase.encode(), len(data), data))


async def _serve(script: Script, port: int) -> None:
    server = await asyncio.start_server(Stub(script).answer, "127.0.0.1", port)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    async with server:
        try:
            async with asyncio.timeout(script.ends_after_s):
                await server.serve_forever()
        except TimeoutError:
            sys.stderr.write("the stub ran out of memory\n")
            sys.stderr.flush()
            os._exit(1)


if __name__ == "__main__":
    asyncio.run(_serve(Script(**json.loads(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
