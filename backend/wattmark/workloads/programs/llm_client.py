"""Ask the language model of an OpenAI-compatible server for text, and report what it generated and when.

Needs nothing but Python. Either a number of requests is kept under way (``--concurrency``), or requests are sent at
random instants, so many a minute on the average, whatever has become of those before (``--per-minute``: Poisson
arrivals). Instants and prompts follow from ``--seed``: nothing is downloaded, and no prompt has its answer in a cache.

Prints on standard output:

    begin AT            the window begins; AT is the monotonic clock of this machine [s]
    so far N            events with text since then, once a second
    end AT              the window ends
    generated N N ...   tokens of each step of the window, in as many lines as they need, after the requests that were
                        under way have been answered
    {...}               the rest of the report, in JSON

Tokens are those of the server's own ``usage``. Those of a request are spread evenly over the events that brought its
text, because a server may send several in one. A request that failed is a failure, and its tokens do not count.
``--ready`` waits until the server answers, and measures nothing.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import ssl
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Sequence
from typing import Any

WORDS = ("time", "year", "people", "way", "day", "man", "thing", "world", "life", "hand", "part", "place", "work")
"""Words of chat prompts: one token each in most vocabularies."""
STEPS_PER_S, MOST_STEPS = 10, 20_000
"""How finely the report tells when tokens came."""
NUMBERS_A_LINE = 100
"""Longer lines would be cut by who reads them."""
PERCENTILES = {"median": 50, "p90": 90, "p95": 95, "p99": 99, "max": 100}
LONGEST_LINE, LARGEST_PAGE = 2**20, 2**24
"""Bytes of an event, and of the list of models, beyond which a server is not listened to."""
QUOTED = 200
"""Characters of a server's own words that a failure repeats."""
PAUSE_S = 0.5
"""Between two questions to a server that refuses."""


class Failed(Exception):  # noqa: N818 - a request that failed, as the report calls it
    """A request without a whole answer; the text says why."""


class Request:
    """One request: when it was due, when its events came, and what the server counted."""

    def __init__(self, due_s: float) -> None:
        self.due_s = due_s
        self.events_s: list[float] = []
        self.prompt_tokens = self.cached_tokens = self.generated_tokens = 0
        self.counted = False
        self.ended_s = due_s
        self.failure = ""

    @property
    def per_event(self) -> float:
        """Return the tokens that an event stands for."""
        return self.generated_tokens / len(self.events_s)


class Server:
    """The server: its address, the headers and bodies of requests, and how its answers are read."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        url = urllib.parse.urlsplit(arguments.url)
        self._secure, self._host, self._port, self._path = url.scheme == "https", url.hostname or "", url.port, url.path
        self._arguments = arguments
        self._chat = arguments.api == "chat"
        self._headers = {"Content-Type": "application/json"}
        if key := os.environ.get("OPENAI_API_KEY"):
            self._headers["Authorization"] = f"Bearer {key}"
        self.model = arguments.model
        self.overhead = 0
        """Tokens that the server adds to a prompt: a begin mark, or the template of a chat."""

    def get(self, path: str) -> tuple[int, bytes]:
        """Return status and body of a page."""
        connection = self._connect()
        try:
            connection.request("GET", self._path + path, headers=self._headers)
            response = connection.getresponse()
            return response.status, response.read(LARGEST_PAGE)
        finally:
            connection.close()

    def first_model(self) -> str:
        """Ask for the name of the first model. Raises Failed."""
        status, body = self.get("/v1/models")
        try:
            return str(json.loads(body)["data"][0]["id"])
        except (ValueError, LookupError, TypeError):
            raise Failed(f"/v1/models names no model (HTTP status {status}); set the parameter model") from None

    def body(self, numbers: random.Random) -> bytes:
        """Write a request with a new prompt."""
        wanted = self._arguments
        count = max(1, wanted.prompt_tokens - self.overhead)
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": wanted.output_tokens,
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if wanted.ignore_eos == "yes":
            body["ignore_eos"] = True
        if self._chat:
            body["messages"] = [{"role": "user", "content": " ".join(numbers.choice(WORDS) for _ in range(count))}]
        else:
            body["prompt"] = [numbers.randint(wanted.first_token, wanted.last_token) for _ in range(count)]
        return json.dumps(body).encode()

    def ask(self, body: bytes, due_s: float, on_event: Callable[[], None]) -> Request:
        """Send a request and read its answer to the end; one that fails says so."""
        request, connection = Request(due_s), self._connect()
        try:
            path = "/v1/chat/completions" if self._chat else "/v1/completions"
            connection.request("POST", self._path + path, body, self._headers)
            self._read(connection.getresponse(), request, on_event)
            _require_answer(request)
        except Failed as failure:
            request.failure = str(failure)
        except (OSError, http.client.HTTPException) as error:
            request.failure = f"{type(error).__name__} {error}".strip()
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            request.failure = f"the answer cannot be read: {type(error).__name__} {error}"
        finally:
            connection.close()
        request.ended_s = time.monotonic()
        return request

    def _connect(self) -> http.client.HTTPConnection:
        timeout = self._arguments.timeout
        if self._secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=context)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def _read(self, response: http.client.HTTPResponse, request: Request, on_event: Callable[[], None]) -> None:
        if response.status != http.client.OK:
            words = " ".join(response.read(4 * QUOTED).decode("utf-8", "replace").split())
            raise Failed(f"HTTP status {response.status}: {words[:QUOTED]}")
        done = False
        while line := response.readline(LONGEST_LINE):
            came_s = time.monotonic()
            if len(line) == LONGEST_LINE:
                raise Failed(f"an event of the server is longer than {LONGEST_LINE} bytes")
            if not line.startswith(b"data:"):
                continue
            text = line[len(b"data:") :].strip()
            if text == b"[DONE]":
                done = True
                continue
            event = json.loads(text)
            if "error" in event:
                raise Failed(f"the server said: {json.dumps(event['error'])[:QUOTED]}")
            if self._has_text(event):
                request.events_s.append(came_s)
                on_event()
            if usage := event.get("usage"):
                request.counted = True
                request.prompt_tokens, request.generated_tokens = usage["prompt_tokens"], usage["completion_tokens"]
                request.cached_tokens = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        if not done:
            raise Failed("the answer ended before its mark [DONE]")

    def _has_text(self, event: dict[str, Any]) -> bool:
        """Return whether an event brings what was generated; the first of a chat names a role, the last a reason."""
        for choice in event.get("choices") or ():
            if not self._chat:
                return bool(choice.get("text")) or choice.get("finish_reason") is None
            delta = choice.get("delta") or {}
            return any(delta.get(name) for name in ("content", "reasoning_content", "reasoning", "tool_calls"))
        return False


def _require_answer(request: Request) -> None:
    if not request.counted:
        raise Failed("the server states no usage; it must support stream_options with include_usage")
    if not request.events_s or request.generated_tokens <= 0:
        raise Failed("the server generated nothing")


class Load:
    """Requests under way, and those that have ended."""

    def __init__(self, server: Server, seed: int) -> None:
        self.ended: list[Request] = []
        self.events = 0
        """Events with text so far; the report does not rest on them."""
        self._server = server
        self._numbers = _numbers(str(seed))
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    def keep_under_way(self, count: int) -> None:
        """Keep a number of requests under way."""
        for _ in range(count):
            self._start(self._one_after_another)

    def send_at_random(self, per_minute: float) -> None:
        """Send requests at random instants, so many a minute on the average."""
        self._start(self._arrivals, per_minute / 60)

    def end(self, seconds: float) -> int:
        """Begin no further request, and wait for those under way; return how many have no answer after so long [s]."""
        until_s = time.monotonic() + seconds
        self._over.set()
        for thread in list(self._threads):
            thread.join(max(0.0, until_s - time.monotonic()))
        return sum(thread.is_alive() for thread in self._threads)

    def _start(self, run: Callable[..., object], *values: float) -> None:
        thread = threading.Thread(target=run, args=values, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _one_after_another(self) -> None:
        while not self._over.is_set():
            if self._one(time.monotonic()).failure:
                self._over.wait(PAUSE_S)

    def _arrivals(self, per_s: float) -> None:
        due_s = time.monotonic()
        while True:
            with self._lock:
                due_s += self._numbers.expovariate(per_s)
            if self._over.wait(max(0.0, due_s - time.monotonic())):
                return
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            self._start(self._one, due_s)

    def _one(self, due_s: float) -> Request:
        with self._lock:
            body = self._server.body(self._numbers)
        request = self._server.ask(body, due_s, self._count)
        with self._lock:
            self.ended.append(request)
        return request

    def _count(self) -> None:
        self.events += 1


def report(
    requests: Sequence[Request], begin_s: float, end_s: float, unanswered: int
) -> tuple[list[float], dict[str, Any]]:
    """Sum up the window from begin to end [s]: the generated tokens of each of its steps, and all the rest.

    ``unanswered`` requests had no answer in time.
    """

    def inside(at_s: float) -> bool:
        return begin_s < at_s <= end_s

    whole = [request for request in requests if not request.failure]
    failed = [
        request for request in requests if request.failure and request.due_s <= end_s and begin_s < request.ended_s
    ]
    prefilled = [request for request in whole if inside(request.events_s[0])]
    ended = [request for request in whole if inside(request.ended_s)]
    steps = min(MOST_STEPS, max(1, round(STEPS_PER_S * (end_s - begin_s))))
    generated = [0.0] * steps
    gaps: list[float] = []
    for request in whole:
        for number, at_s in enumerate(request.events_s):
            if inside(at_s):
                generated[min(steps - 1, int((at_s - begin_s) / (end_s - begin_s) * steps))] += request.per_event
                if number:
                    gaps.append(at_s - request.events_s[number - 1])
    times = {
        "first token": [request.events_s[0] - request.due_s for request in prefilled],
        "between tokens": gaps,
        "per output token": [
            (request.events_s[-1] - request.events_s[0]) / (request.generated_tokens - request.per_event)
            for request in ended
            if len(request.events_s) > 1
        ],
        "request": [request.ended_s - request.due_s for request in ended],
    }
    counted: dict[str, Sequence[float]] = {
        "prompt": [request.prompt_tokens for request in ended],
        "generated": [request.generated_tokens for request in ended],
        "per_event": [request.per_event for request in ended],
    }
    return generated, {
        "steps": steps,
        "generated_tokens": sum(generated),
        "prompt_tokens": sum(request.prompt_tokens for request in prefilled),
        "cached_tokens": sum(request.cached_tokens for request in prefilled),
        "due": sum(inside(request.due_s) for request in requests) + unanswered,
        "requests": len(ended),
        "failed": len(failed) + unanswered,
        "failures": [request.failure for request in failed[:3]] or ["no answer in time"] * min(unanswered, 1),
        "times_s": {name: statistics(values) for name, values in times.items() if values},
        "least_and_most": {name: [min(values), max(values)] for name, values in counted.items()} if ended else None,
    }


def statistics(values: Sequence[float]) -> dict[str, float]:
    """Return mean, percentiles (linear between ranks) and largest of some values."""
    ordered = sorted(values)
    by_name = {"mean": sum(ordered) / len(ordered)}
    for name, percent in PERCENTILES.items():
        place = percent / 100 * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        by_name[name] = ordered[low] + (place - low) * (ordered[high] - ordered[low])
    return by_name


def ready(server: Server, seconds: float) -> bool:
    """Return whether the server answers within some time [s]; one that loads its model says that it is not healthy."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        try:
            healthy = server.get("/health")[0] in (http.client.OK, http.client.NOT_FOUND)
            if healthy and server.get("/v1/models")[0] == http.client.OK:
                return True
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(PAUSE_S)
    return False


def measure(server: Server, wanted: argparse.Namespace) -> None:
    """Run the load and print what became of it. Raises Failed.

    A first request tells whether the server counts, and what it adds to a prompt.
    """
    if wanted.model == "auto":
        server.model = server.first_model()
    first = server.ask(server.body(_numbers(f"first of {wanted.seed}")), time.monotonic(), lambda: None)
    if first.failure:
        raise Failed(first.failure)
    server.overhead = max(0, first.prompt_tokens - wanted.prompt_tokens)
    load = Load(server, wanted.seed)
    if wanted.per_minute:
        load.send_at_random(wanted.per_minute)
    else:
        load.keep_under_way(wanted.concurrency)
    time.sleep(wanted.warm_up)
    begin_s, before = time.monotonic(), load.events
    say(f"begin {begin_s:.6f}")
    for second in range(1, wanted.seconds):
        time.sleep(max(0.0, begin_s + second - time.monotonic()))
        say(f"so far {load.events - before}")
    time.sleep(max(0.0, begin_s + wanted.seconds - time.monotonic()))
    end_s = time.monotonic()
    say(f"end {end_s:.6f}")
    unanswered = load.end(wanted.timeout)
    generated, rest = report(list(load.ended), begin_s, end_s, unanswered)
    for first in range(0, len(generated), NUMBERS_A_LINE):
        say(f"generated {' '.join(f'{tokens:.9g}' for tokens in generated[first : first + NUMBERS_A_LINE])}")
    say(json.dumps(rest))


def _numbers(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a sequence that can be repeated, no secret


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--api", choices=["completions", "chat"], default="completions")
    parser.add_argument("--model", default="auto")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--per-minute", type=float, default=0)
    parser.add_argument("--prompt-tokens", type=int, default=512)
    parser.add_argument("--output-tokens", type=int, default=128)
    parser.add_argument("--first-token", type=int, default=1000)
    parser.add_argument("--last-token", type=int, default=20000)
    parser.add_argument("--ignore-eos", choices=["yes", "no"], default="yes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--warm-up", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--ready", type=int, default=0)
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    """Run the load and return the exit status."""
    wanted = parse(words)
    server = Server(wanted)
    try:
        if not wanted.ready:
            measure(server, wanted)
        elif not ready(server, wanted.ready):
            raise Failed(f"no answer within {wanted.ready} s")
    except (Failed, OSError, http.client.HTTPException) as error:
        sys.stderr.write(f"{wanted.url}: {error}\n")
        sys.stderr.flush()
        return 1
    return 0


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))  # threads that still wait for an answer must not hold its end
