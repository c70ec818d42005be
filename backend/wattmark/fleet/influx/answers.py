"""Meaning of a server's answer to a write, and the reaction to it. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto


class Verdict(Enum):
    """Fate of the lines of a request."""

    ACCEPTED = auto()
    LATER = auto()
    """Nothing is wrong with the lines: send them again."""
    SPLIT = auto()
    """Too large, or some lines are wrong: send halves; a single line is refused for ever."""
    REFUSED = auto()
    """The server says that it dropped all of them for what they are."""
    NO_SUCH_PATH = auto()
    """This server does not have the path."""


@dataclass(frozen=True, slots=True)
class InfluxAnswer:
    """A verdict with its cause and remedy; ``retry_after_s`` is what the server asked for."""

    verdict: Verdict
    cause: str = ""
    remedy: str = ""
    retry_after_s: float | None = None
    too_large: bool = False


ACCEPTED = InfluxAnswer(Verdict.ACCEPTED)
_NO_CONTENT = 204
_TOO_LARGE = 413
_POINTS = (400, 422)
_DROPPED = re.compile(r"dropped[= ](\d+)")
_ABOUT_POINTS = re.compile(
    r"partial write|unable to parse|field type|dropped|outside retention|invalid (field|tag|number)"
)
_SHOWN = 300
_WAIT = "Nothing is lost: it is sent when the server answers."
_KNOWN: dict[int, tuple[Verdict, str, str]] = {
    400: (Verdict.LATER, "refuses the request", "Correct the settings WATTMARK_INFLUX_*."),
    401: (Verdict.LATER, "does not accept the token or password", "Correct WATTMARK_INFLUX_TOKEN or _USER/_PASSWORD."),
    403: (Verdict.LATER, "does not allow writing here", "Give this token or user the right to write."),
    404: (Verdict.LATER, "does not have this database or bucket", "Create it, or correct WATTMARK_INFLUX_DATABASE."),
    408: (Verdict.LATER, "was too slow", _WAIT),
    413: (Verdict.SPLIT, "finds the request too large", "Raise its limit, or lower WATTMARK_INFLUX_BATCH."),
    422: (Verdict.LATER, "refuses the request", "Correct the settings WATTMARK_INFLUX_*."),
    429: (Verdict.LATER, "asks to send less often", _WAIT),
    503: (Verdict.LATER, "is overloaded", _WAIT),
}


def judge(status: int, text: str, headers: Mapping[str, str], lines: int) -> InfluxAnswer:
    """Evaluate the answer to a write of some lines.

    Only 204 acknowledges: a login page of a proxy answers 200 too.
    """
    if status == _NO_CONTENT:
        return ACCEPTED
    message = server_message(text)
    if status == 404 and message is None:
        return InfluxAnswer(
            Verdict.NO_SUCH_PATH, "The server has no such path.", "Correct the path in WATTMARK_INFLUX_URL."
        )
    verdict, problem, remedy = _about_points(status, message, lines) or _KNOWN.get(status) or _other(status)
    detail = f" ({status}: {message})" if message else f" ({status})"
    return InfluxAnswer(
        verdict, f"The server {problem}{detail}.", remedy, _retry_after_s(headers), status == _TOO_LARGE
    )


def unanswered(reason: str) -> InfluxAnswer:
    """Return the verdict for a missing answer."""
    return InfluxAnswer(Verdict.LATER, f"The server does not answer: {reason}.", _WAIT)


def server_message(text: str) -> str | None:
    """Take InfluxDB's own words from an answer; None where it is not one of its answers."""
    try:
        document = json.loads(text)
        words = document.get("error") or document.get("message")
    except (ValueError, AttributeError, RecursionError):
        return None
    return " ".join(str(words).split())[:_SHOWN] if words else None


def _other(status: int) -> tuple[Verdict, str, str]:
    if status >= 500:
        return Verdict.LATER, "failed", "Look at its log. " + _WAIT
    return (
        Verdict.LATER,
        "does not answer as InfluxDB does",
        "Correct WATTMARK_INFLUX_URL; does a proxy ask for a login?",
    )


def _about_points(status: int, message: str | None, lines: int) -> tuple[Verdict, str, str] | None:
    """Return whether the points are at fault, by the server's own words, and not the request or the settings."""
    if status not in _POINTS or message is None or not _ABOUT_POINTS.search(message):
        return None
    dropped = _DROPPED.search(message)
    verdict = Verdict.REFUSED if dropped is not None and int(dropped[1]) >= lines else Verdict.SPLIT
    return verdict, "refuses points", "Look at the reasons: wattmark store status."


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    value = headers.get("Retry-After") or ""
    return float(value) if value.isdecimal() else None
