"""What an agent answers to GET, GETNEXT and GETBULK (RFC 3416, 4.2). Pure."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence

from wattmark_drivers.speakers.snmp.message import (
    END_OF_MIB_VIEW,
    GET_BULK,
    GET_NEXT,
    NO_SUCH_INSTANCE,
    Binding,
    Mark,
    Oid,
    Request,
    Value,
)

NOT_WRITABLE = 17
"""Error status (RFC 3416, 3)."""
MOST_ROUNDS = 50
MOST_BINDINGS = 200
"""Of one answer; a GETBULK may be answered with fewer than it asks for (RFC 3416, 4.2.3)."""
LookUp = Callable[[Oid], Value | None]


def answers(request: Request, ordered: Sequence[Oid], look_up: LookUp) -> list[Binding]:
    """Answer a request that reads, with the values that ``look_up`` finds; ``ordered`` names all objects that exist."""
    names = list(request.names)
    if request.kind not in (GET_NEXT, GET_BULK):
        return [_valued(name, look_up) for name in names]

    def following(name: Oid) -> Binding:
        place = bisect.bisect_right(ordered, name)
        return _valued(ordered[place], look_up) if place < len(ordered) else (name, Mark(END_OF_MIB_VIEW))

    if request.kind == GET_NEXT:
        return [following(name) for name in names]
    bindings = [following(name) for name in names[: request.non_repeaters]]
    row = names[request.non_repeaters :]
    for _ in range(min(request.max_repetitions, MOST_ROUNDS) if row else 0):
        if len(bindings) + len(row) > MOST_BINDINGS:
            break
        rows = [following(name) for name in row]
        bindings += rows
        row = [name for name, _ in rows]
    return bindings


def _valued(name: Oid, look_up: LookUp) -> Binding:
    value = look_up(name)
    return name, Mark(NO_SUCH_INSTANCE) if value is None else value
