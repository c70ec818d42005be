"""A Redfish service from the examples that DMTF publishes, on Python's own web server."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings

from tests.web_peer import Handler, serving

EXAMPLES = json.loads(Path(__file__).with_name("rackmount.json").read_text("utf-8"))
USER, PASSWORD = "admin", "secret1"


@dataclass
class Service:
    """What the service holds, how it answers, and what it was asked.

    ``answers`` overrides: (status, body, headers); ``passing`` does so once, ``session_answer`` for each new session.
    """

    port: int = 0
    documents: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(EXAMPLES))
    answers: dict[str, tuple[int, bytes, dict[str, str]]] = field(default_factory=dict)
    passing: dict[str, tuple[int, bytes, dict[str, str]]] = field(default_factory=dict)
    session_answer: tuple[int, bytes, dict[str, str]] | None = None
    tokens: set[str] = field(default_factory=set)
    closed: int = 0
    with_sessions: bool = True
    open_to_all: bool = False
    asked: list[str] = field(default_factory=list)

    def at(self, path: str) -> Any:
        """Find a document, with or without a slash at the end of its path."""
        return self.documents.get(path, self.documents.get(path.rstrip("/")))

    def meter(self, chassis: str = "", *, user: str | None = USER, password: str = PASSWORD, query: str = "") -> Meter:
        """Make a meter for this service."""
        url = f"redfish+http://127.0.0.1:{self.port}/{chassis}{query}"
        return create_meter(
            MeterSettings("bmc", "redfish.bmc", url, username=user, password=lambda: password, timeout_s=5.0)
        )


class Answering(Handler):
    service: Service

    def do_GET(self) -> None:
        self.service.asked.append(self.path)
        if self.path in self.service.passing:
            self.send(*self.service.passing.pop(self.path))
        elif self.path in self.service.answers:
            self.send(*self.service.answers[self.path])
        elif self.path != "/redfish/v1/" and not self.knows():
            self.send(401, b'{"error": {"@Message.ExtendedInfo": [{"Message": "Log in."}]}}', {})
        elif (document := self.service.at(self.path)) is not None:
            self.send(200, json.dumps(document).encode(), {"ETag": '"1"'})
        else:
            self.send(404, b"{}", {})

    def do_POST(self) -> None:
        body = json.loads(self.body())
        if self.service.session_answer is not None:
            self.send(*self.service.session_answer)
        elif not self.service.with_sessions:
            self.send(404, b"{}", {})
        elif body == {"UserName": USER, "Password": PASSWORD}:
            token = f"t{len(self.service.tokens) + self.service.closed}"
            self.service.tokens.add(token)
            location = f"https://elsewhere.example{self.path}/{token}"
            self.send(201, b"{}", {"X-Auth-Token": token, "Location": location})
        else:
            self.send(401, b"{}", {})

    def do_DELETE(self) -> None:
        token = self.path.rpartition("/")[2]
        self.service.closed += token in self.service.tokens
        self.service.tokens.discard(token)
        self.send(204, b"", {})

    def knows(self) -> bool:
        # Basic YWRtaW46c2VjcmV0MQ== is admin:secret1 (RFC 7617).
        basic = self.headers.get("Authorization") == "Basic YWRtaW46c2VjcmV0MQ=="
        return self.service.open_to_all or basic or self.headers.get("X-Auth-Token") in self.service.tokens


@pytest.fixture
def service() -> Iterator[Service]:
    """Serve the examples."""
    served = Service()
    with serving(Answering, service=served) as served.port:
        yield served
