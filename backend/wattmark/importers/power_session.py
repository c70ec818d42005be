"""server.json and client.json of a power session: the analyzer, when it was started, how far the clocks differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wattmark.importers.ptdaemon_identity import AnalyzerIdentity, parse_identity
from wattmark.importers.source_file import SourceFile, parse_json


@dataclass(frozen=True, slots=True)
class ClockExchange:
    """One four-stamp exchange: the meter host's clock minus the machine under test's, and the round trip [s]."""

    offset_s: float
    delay_s: float

    @property
    def usable(self) -> bool:
        """Tell whether the exchange can be true: a negative round trip proves a coarse or stepped clock."""
        return self.delay_s >= 0


@dataclass(frozen=True, slots=True)
class PowerSession:
    """What the two session files tell; empty where they are missing or say nothing."""

    identity: AnalyzerIdentity | None = None
    go_epoch_s: float | None = None
    """Unix time at which the measured pass was started."""
    session: str | None = None
    exchanges: tuple[ClockExchange, ...] = ()
    remarks: tuple[str, ...] = ()


def read_session(server: SourceFile | None, client: SourceFile | None) -> PowerSession:
    """Read the session files. A file that is no JSON is reported as a remark: the measurement does not depend on it."""
    remarks: list[str] = []
    told = _object(server, remarks)
    asked = _object(client, remarks)
    identity = next((found for reply in _replies(told, "Identify") if (found := parse_identity(reply))), None)
    session = told.get("session_name")
    return PowerSession(
        identity,
        _go_epoch(told.get("phases")),
        session if isinstance(session, str) else None,
        tuple(_exchanges(asked.get("messages"), told.get("messages"))),
        tuple(remarks),
    )


def _object(file: SourceFile | None, remarks: list[str]) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        value = parse_json(file.text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        remarks.append(f"{file.name.rpartition('/')[2]} is no JSON object and was not used.")
        return {}
    return value


def _messages(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        yield from (message for message in value if isinstance(message, dict))


def _replies(told: dict[str, Any], command: str) -> Iterator[str]:
    for message in _messages(told.get("ptd_messages")):
        if message.get("cmd") == command and isinstance(message.get("reply"), str):
            yield message["reply"]


def _go_epoch(phases: object) -> float | None:
    """Take the second stamp of the testing phase: the session answers it once the daemon measures."""
    testing = phases.get("testing") if isinstance(phases, dict) else None
    if not isinstance(testing, list) or len(testing) < 2 or not isinstance(testing[1], list) or not testing[1]:
        return None
    return _seconds(testing[1][0])


def _exchanges(asked: object, told: object) -> Iterator[ClockExchange]:
    """Pair the "time" commands of both sides in their order; offset = ((t1-t0)+(t2-t3))/2, delay = (t3-t0)-(t2-t1)."""
    client = [message for message in _messages(asked) if message.get("cmd") == "time"]
    server = [message for message in _messages(told) if message.get("cmd") == "time"]
    if len(client) != len(server):
        return
    for ours, theirs in zip(client, server, strict=True):
        t0, t3 = _seconds(ours.get("cmd_time")), _seconds(ours.get("reply_time"))
        t1, t2 = _seconds(theirs.get("cmd_time")), _seconds(theirs.get("reply_time"))
        if t0 is not None and t1 is not None and t2 is not None and t3 is not None:
            yield ClockExchange(((t1 - t0) + (t2 - t3)) / 2, (t3 - t0) - (t2 - t1))


def _seconds(value: object) -> float | None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if number and 0 < value < 1e10 else None  # type: ignore[arg-type,operator]
