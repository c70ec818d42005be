"""What a failure of a server means, and what to do then."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wattmark.core.errors import StoreError
from wattmark.fleet.clickhouse.settings import PREFIX, ClickHouseSettings

_SHOWN = 200
WAIT = "Nothing is lost: it is sent when the server answers."
"""Remedy for a sink; a reader gets another one."""


class ClickHouseProblem(StoreError):  # noqa: N818 - reads better where it is caught
    """The server refuses, or does not answer; ``code`` is its own number for the cause, None without an answer."""

    def __init__(self, cause: str, remedy: str, code: int | None = None) -> None:
        super().__init__(cause, remedy)
        self.code = code


_UNKNOWN_IDENTIFIER = 47
UNKNOWN_DATABASE, UNKNOWN_TABLE = 81, 60
_LOGIN = ("does not accept the user or password", f"Correct {PREFIX}USER and {PREFIX}PASSWORD.")
_RIGHTS = (
    "does not allow this user to do that",
    "Grant SELECT and INSERT on the database. To create or change tables, run `wattmark store init` as the admin.",
)
_INIT = "Run `wattmark store init` as the admin, a user that may create tables."
_SHARD = ("has a shard or replica that does not answer", WAIT)
_KNOWN: dict[int, tuple[str, str]] = {
    **dict.fromkeys((192, 193, 194, 516), _LOGIN),
    **dict.fromkeys((164, 291, 392, 497), _RIGHTS),
    UNKNOWN_DATABASE: ("does not have this database", _INIT),
    UNKNOWN_TABLE: ("does not have the tables of wattmark", _INIT),
    159: ("was too slow", f"Raise {PREFIX}TIMEOUT_S, or lower {PREFIX}BATCH."),
    170: ("does not have this cluster", "List its clusters: SELECT DISTINCT cluster FROM system.clusters"),
    202: ("has too many queries at once", WAIT),
    225: ("has no ZooKeeper or Keeper for replicas", "Configure it, or use shards without replicas."),
    241: ("has too little memory for that", f"Raise its max_memory_usage, or lower {PREFIX}BATCH."),
    242: ("has a table that cannot be written because Keeper is not reached", WAIT),
    243: ("has no disk space left", "Free space on the server. " + WAIT),
    252: ("merges more slowly than parts arrive", WAIT),
    286: ("has another insert under way that waits for all replicas", WAIT),
    **dict.fromkeys((209, 210, 279, 285, 319, 999), _SHARD),
}
_AROUND = re.compile(
    r"^.*?DB::Exception: |,? e\.(?:what|displayText)\(\).*$|DB::Exception.*$|\s*\((?:version|for url) .*$", re.DOTALL
)
"""What servers and the client write around the cause."""
_CERTIFICATE = re.compile(r"certificate verify failed|CERTIFICATE_VERIFY_FAILED", re.IGNORECASE)
_GATEWAY = re.compile(r"\bstatus:? (5\d\d)\b")
"""An error of a proxy: one of ClickHouse has a code."""
_CODE = re.compile(r"\bCode:\s*(\d+)")


def not_clickhouse(settings: ClickHouseSettings) -> ClickHouseProblem:
    """Explain that the answer is not one of ClickHouse."""
    remedy = f"Correct {PREFIX}URL: it is the HTTP interface, usually port 8123. Does a proxy ask for a login?"
    return ClickHouseProblem(f"{settings.url} does not answer as ClickHouse does.", remedy)


def not_taken(what: str, settings: ClickHouseSettings) -> ClickHouseProblem:
    """Explain that the answer breaks a limit; ``what`` completes the sentence about the server."""
    remedy = f"Enter the final address as {PREFIX}URL; if it is right, ask for fewer runs or a shorter time."
    return ClickHouseProblem(f"ClickHouse at {settings.url} {what}.", remedy)


def explain(error: BaseException, settings: ClickHouseSettings) -> ClickHouseProblem:
    """Explain an error of the client in one line with its remedy."""
    from clickhouse_connect.driver.exceptions import DataError, ProgrammingError

    causes = list(_causes(error))
    text = str(error)
    code = getattr(error, "code", None) or _code(text)
    name = f"ClickHouse at {settings.url}"
    if code == _UNKNOWN_IDENTIFIER and "readonly" in text:
        remedy = "Update the server to a version that clickhouse-connect supports."
        return ClickHouseProblem(f"{name} is too old for this wattmark.", remedy, code)
    if code is not None:
        problem, remedy = _KNOWN.get(code, ("refuses the request", "Look at its log."))
        return ClickHouseProblem(f"{name} {problem} ({code}: {_words(text)}).", remedy, code)
    if any(_CERTIFICATE.search(str(cause)) for cause in causes):
        remedy = f"Set {PREFIX}CA_FILE to the certificate of the authority that signed it."
        return ClickHouseProblem(f"The TLS certificate of {name} is signed by an unknown authority.", remedy)
    gateway = _GATEWAY.search(text)
    unanswered = f"status {gateway[1]}" if gateway else _unanswered(causes)
    if unanswered is not None:
        return ClickHouseProblem(f"{name} does not answer: {unanswered}.", WAIT)
    if isinstance(error, ProgrammingError | DataError):  # raised before anything was sent
        return ClickHouseProblem(f"{name} cannot be sent the request: {_words(text)}.", "Update this wattmark.")
    return not_clickhouse(settings)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _code(text: str) -> int | None:
    code = _CODE.search(text)
    return int(code[1]) if code else None


def _unanswered(causes: Sequence[BaseException]) -> str | None:
    """Explain why there was no answer, in the words of the innermost network error; None: there was one."""
    from urllib3.exceptions import HTTPError
    from urllib3.exceptions import TimeoutError as TookTooLong

    for cause in reversed(causes):
        if isinstance(cause, OSError):
            return (cause.strerror or str(cause)).rstrip(".")
    if any(isinstance(cause, TookTooLong) for cause in causes):
        return "it took too long"
    return next((_words(str(cause)) for cause in causes if isinstance(cause, HTTPError)), None)


def _words(text: str) -> str:
    return _AROUND.sub("", " ".join(text.split()))[:_SHOWN].rstrip(" .,")
