"""server.json and client.json of a power session: the analyzer, when it was started, how far the clocks differ, which
ranges were set, and the digests of the files that it left behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wattmark.importers.ptdaemon.ptdaemon_identity import AnalyzerIdentity, parse_identity
from wattmark.runs.disclosure import ComparedClocks
from wattmark.workloads.loadgen.source_file import SourceFile, parse_json


@dataclass(frozen=True, slots=True)
class PowerSession:
    """Content of the two session files; empty where they are missing or say nothing."""

    identity: AnalyzerIdentity | None = None
    go_epoch_s: float | None = None
    """Unix time at which the measured pass was started."""
    session: str | None = None
    exchanges: tuple[ComparedClocks, ...] = ()
    remarks: tuple[str, ...] = ()
    server: bool = False
    """There is a server.json that can be read."""
    client: bool = False
    names: dict[str, str] = field(default_factory=dict)
    """Name of the session as each of the two files states it, by file."""
    ids: dict[str, str] = field(default_factory=dict)
    """The two identifiers of the session as each of the files states them, by file."""
    digests: dict[str, frozenset[str]] = field(default_factory=dict)
    """SHA-1 of the files of the result as both sides of the session recorded them, by path ("run_1/spl.txt")."""
    phase_difference_s: float | None = None
    """Largest difference of a phase boundary between the two files; None where they do not list the same phases."""
    settle_s: float | None = None
    """Shorter of the pauses that the session made before and after the load of the measured pass."""
    volt_range: str | None = None
    """Range asked for before the measured pass: volts, or "Auto"."""
    amp_range: str | None = None

    @property
    def clock_difference_s(self) -> float | None:
        """Return the largest difference of the clocks that a usable exchange shows [s]; None: not compared."""
        return max((abs(exchange.offset_s) for exchange in self.exchanges if exchange.usable), default=None)


def read_session(server: SourceFile | None, client: SourceFile | None) -> PowerSession:
    """Read the session files. A file that is not JSON gives a remark: the measurement does not depend on it."""
    remarks: list[str] = []
    server_log = _object(server, remarks)
    asked = _object(client, remarks)
    identity = next((parsed for reply in _replies(server_log, "Identify") if (parsed := parse_identity(reply))), None)
    session = server_log.get("session_name")
    volts, amps = _ranges(server_log)
    sides = {"server.json": server_log, "client.json": asked}
    return PowerSession(
        identity,
        _go_epoch(server_log.get("phases")),
        session if isinstance(session, str) else None,
        tuple(_exchanges(asked.get("messages"), server_log.get("messages"))),
        tuple(remarks),
        server=bool(server_log),
        client=bool(asked),
        names={file: side["session_name"] for file, side in sides.items() if isinstance(side.get("session_name"), str)},
        ids={file: _ids(side["uuid"]) for file, side in sides.items() if isinstance(side.get("uuid"), dict)},
        digests=_digests(asked.get("results"), server_log.get("results")),
        phase_difference_s=_phase_difference_s(server_log.get("phases"), asked.get("phases")),
        settle_s=_settle_s(server_log.get("phases")),
        volt_range=volts,
        amp_range=amps,
    )


def _object(file: SourceFile | None, remarks: list[str]) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        value = parse_json(file.text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        remarks.append(f"{file.name.rpartition('/')[2]} is not a JSON object and was not used.")
        return {}
    return value


def _ids(value: dict[str, Any]) -> str:
    return " and ".join(str(value.get(side)).lower() for side in ("client", "server"))


def _digests(*sides: object) -> dict[str, frozenset[str]]:
    """Collect what each side recorded; a file that the sides record differently has more than one digest."""
    recorded: dict[str, set[str]] = {}
    for side in sides:
        for path, digest in side.items() if isinstance(side, dict) else ():
            if isinstance(digest, str):
                recorded.setdefault(path, set()).add(digest.lower())
    return {path: frozenset(digests) for path, digests in recorded.items()}


def _ranges(server_log: dict[str, Any]) -> tuple[str | None, str | None]:
    """Return the last ranges that were set before the last measurement began; the ones after it restore the old."""
    asked = [str(message.get("cmd")) for message in _messages(server_log.get("ptd_messages"))]
    last_go = max((i for i, command in enumerate(asked) if command.startswith("Go,")), default=len(asked))
    set_to: dict[str, str] = {}
    for command in asked[:last_go]:
        parts = command.split(",")
        if len(parts) > 2 and parts[0].upper() == "SR":
            set_to[parts[1].upper()] = parts[2].strip()
    return set_to.get("V"), set_to.get("A")


def _stamps(phases: object, mode: str) -> list[float]:
    """List the Unix times of the phases of a pass; empty where one of them is none."""
    boundaries = phases.get(mode) if isinstance(phases, dict) else None
    if not isinstance(boundaries, list):
        return []
    seconds = [_seconds(pair[0]) if isinstance(pair, list) and pair else None for pair in boundaries]
    stamps = [second for second in seconds if second is not None]
    return stamps if len(stamps) == len(seconds) else []


def _phase_difference_s(server_phases: object, asked: object) -> float | None:
    pairs = [(_stamps(server_phases, mode), _stamps(asked, mode)) for mode in ("ranging", "testing")]
    if any(not ours or len(ours) != len(server_stamps) for ours, server_stamps in pairs):
        return None
    return max(abs(a - b) for ours, server_stamps in pairs for a, b in zip(ours, server_stamps, strict=True))


def _settle_s(phases: object) -> float | None:
    """Return the shorter of start and stop of the measured pass: the session waits in both (begin, end of each) [s]."""
    stamps = _stamps(phases, "testing")
    return min(stamps[1] - stamps[0], stamps[3] - stamps[2]) if len(stamps) == 4 else None


def _messages(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        yield from (message for message in value if isinstance(message, dict))


def _replies(server_log: dict[str, Any], command: str) -> Iterator[str]:
    for message in _messages(server_log.get("ptd_messages")):
        if message.get("cmd") == command and isinstance(message.get("reply"), str):
            yield message["reply"]


def _go_epoch(phases: object) -> float | None:
    """Return the second stamp of the testing phase: the session answers it once the daemon measures."""
    testing = phases.get("testing") if isinstance(phases, dict) else None
    if not isinstance(testing, list) or len(testing) < 2 or not isinstance(testing[1], list) or not testing[1]:
        return None
    return _seconds(testing[1][0])


def _exchanges(asked: object, server_messages: object) -> Iterator[ComparedClocks]:
    """Pair the "time" commands of both sides in their order; offset = ((t1-t0)+(t2-t3))/2, delay = (t3-t0)-(t2-t1)."""
    client = [message for message in _messages(asked) if message.get("cmd") == "time"]
    server = [message for message in _messages(server_messages) if message.get("cmd") == "time"]
    if len(client) != len(server):
        return
    for ours, reply in zip(client, server, strict=True):
        t0, t3 = _seconds(ours.get("cmd_time")), _seconds(ours.get("reply_time"))
        t1, t2 = _seconds(reply.get("cmd_time")), _seconds(reply.get("reply_time"))
        if t0 is not None and t1 is not None and t2 is not None and t3 is not None:
            offset_s, delay_s = ((t1 - t0) + (t2 - t3)) / 2, (t3 - t0) - (t2 - t1)
            yield ComparedClocks(offset_s=offset_s, delay_s=delay_s, usable=delay_s >= 0)


def _seconds(value: object) -> float | None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if number and 0 < value < 1e10 else None  # type: ignore[arg-type,operator]
