"""A crowd of viewers of one service, in a process of its own. It prints JSON.

usage: python -m tests.benchmarks.service.crowd URL VIEWERS SECONDS [STREAMS]

Of twelve viewers eight compare, each time with another smallest difference, three ask for the results of all runs and
one for the report of all. Each asks again as soon as it is answered; who is refused waits as long as the answer says.
Streams listen to the live view beside them, each tenth of them slowly.
"""

from __future__ import annotations

import http.client
import itertools
import json
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlencode

PIECE = 2**20
FIGURES = ("efficiency", "throughput", "power")


def paths(viewer: int) -> Iterator[str]:
    """Give what a viewer asks for, again and again."""
    kind = viewer % 12
    if kind == 11:
        yield from itertools.repeat("/api/export/report.html")
    elif kind >= 8:
        yield from itertools.repeat("/api/runs")
    else:
        for turn in itertools.count():
            smallest = 1 + (viewer * 997 + turn) % 49_000 / 1000
            asked = {"workload": "rsa", "level": "all", "figure": FIGURES[turn % 3], "smallest_pct": smallest}
            yield "/api/compare?" + urlencode(asked)


class Crowd:
    """What became of the requests of all viewers."""

    def __init__(self, url: str, until: float) -> None:
        self._url = url
        self._until = until
        self._lock = threading.Lock()
        self.statuses: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.unexplained: list[str] = []
        self.cut_streams: list[str] = []

    def look(self, viewer: int) -> None:
        """Ask until the time is over."""
        for path in paths(viewer):
            left_s = self._until - time.monotonic()
            if left_s <= 0:
                return
            wait_s = self._ask(path, left_s + 1)
            time.sleep(max(0.0, min(wait_s, self._until - time.monotonic())))

    def listen(self, number: int) -> None:
        """Listen to the live view until the time is over; a slow listener takes 4 kB ten times a second."""
        slow = number % 10 == 0
        try:
            with urllib.request.urlopen(f"{self._url}/api/live/stream", timeout=30) as answer:
                while time.monotonic() < self._until and answer.read1(4096 if slow else PIECE):
                    time.sleep(0.1 if slow else 0)
        except (OSError, http.client.HTTPException) as error:
            with self._lock:
                self.cut_streams.append(repr(error))

    def _ask(self, path: str, patience_s: float) -> float:
        """Ask once; tells how long to wait before the next time [s]."""
        began, status, wait_s = time.monotonic(), "200", 0.0
        try:
            with urllib.request.urlopen(self._url + path, timeout=max(patience_s, 1)) as answer:
                while answer.read(PIECE) and time.monotonic() < self._until:
                    pass
        except urllib.error.HTTPError as error:
            status, text = str(error.code), error.read()
            wait_s = float(error.headers.get("Retry-After", 0))
            if not wait_s or b'"remedy":"' not in text:
                self.unexplained.append(f"{status} {text[:300]!r}")
        except (OSError, http.client.HTTPException):
            status = "cut off"  # at the end, when this crowd goes home
        with self._lock:
            self.statuses[status] += 1
            self.seconds.append(time.monotonic() - began)
        return wait_s


def main(url: str, viewers: str, seconds: str, streams: str = "0") -> None:
    """Look on for so long."""
    crowd = Crowd(url, time.monotonic() + float(seconds))
    threads = [threading.Thread(target=crowd.look, args=(viewer,), daemon=True) for viewer in range(int(viewers))]
    threads += [threading.Thread(target=crowd.listen, args=(number,), daemon=True) for number in range(int(streams))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    crowd.seconds.sort()
    median = crowd.seconds[len(crowd.seconds) // 2] if crowd.seconds else 0.0
    report = {"statuses": crowd.statuses, "median_s": median, "unexplained": crowd.unexplained[:5]}
    report["cut_streams"] = crowd.cut_streams[:5]
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
