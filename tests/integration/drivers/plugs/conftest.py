"""A web server of Python's own that answers as a test says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings

from tests.web_peer import Handler, serving


@dataclass
class Plug:
    """Answers by target (path and query), each a body or (status, body); and what was asked."""

    port: int = 0
    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    hangs_up: bool = False
    """Whether the connection ends after each answer."""

    def meter(self, model: str, output: str = "", password: str = "") -> Meter:
        """Make a meter for this plug."""
        url = f"http://127.0.0.1:{self.port}/{output}"
        return create_meter(MeterSettings("plug", model, url, password=lambda: password, timeout_s=5.0))


@pytest.fixture
def plug() -> Iterator[Plug]:
    """Serve what the test puts in."""
    served = Plug()

    class Answering(Handler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            answer = served.answers.get(self.path, (404, "Not Found"))
            status, body = answer if isinstance(answer, tuple) else (200, answer)
            # Before the answer: a test may change it as soon as it has that.
            self.close_connection = served.hangs_up
            self.send(status, body.encode())

    with serving(Answering) as served.port:
        yield served
