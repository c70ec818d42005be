"""Messages of SNMP version 2c in the restricted BER of RFC 3417, 8: definite lengths, primitive strings. Pure."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Oid = tuple[int, ...]
INTEGER, OCTET_STRING, OBJECT_NAME, SEQUENCE = 0x02, 0x04, 0x06, 0x30
COUNTER, UNSIGNED, TIME_TICKS = 0x41, 0x42, 0x43
NO_SUCH_INSTANCE, END_OF_MIB_VIEW = 0x81, 0x82
GET, GET_NEXT, RESPONSE, SET, GET_BULK = 0xA0, 0xA1, 0xA2, 0xA3, 0xA5
REPORT = 0xA8
REQUESTS = (GET, GET_NEXT, SET, GET_BULK)
VERSION_1, VERSION_2C, VERSION_3 = 0, 1, 3
MOST_ARC = 2**32 - 1
MOST_ARCS = 128
"""Of an object identifier (RFC 2578, 7.1.3)."""
USER_SECURITY, LARGEST_MESSAGE = 3, 65507
"""The security model of RFC 3414, and the largest message that fits a datagram."""
UNKNOWN_ENGINES: Oid = (1, 3, 6, 1, 6, 3, 15, 1, 1, 4, 0)
"""usmStatsUnknownEngineIDs.0."""
PROTECTED = 0x03
"""The flags of a message that is authenticated and encrypted (RFC 3412, 6.4)."""
CONSTRUCTED = 0x20
DIGEST = 12
"""Bytes of HMAC-SHA-96 (RFC 3414, 7)."""
EXPANDED = 2**20
"""Bytes of repeated password from which a key is made (RFC 3414, A.2.2)."""
DEEPEST = 6
"""Message, scoped PDU, PDU, list, binding, value: nothing of SNMP is nested deeper."""


class Ticks(NamedTuple):
    """A time since the start of the agent [10 ms]."""

    value: int


class Name(NamedTuple):
    """An object identifier as a value."""

    oid: Oid


class Mark(NamedTuple):
    """That there is no such object, or none after it."""

    tag: int


Value = int | str | bytes | Ticks | Name | Mark
Binding = tuple[Oid, Value]


@dataclass(frozen=True, slots=True)
class Request:
    """A request: GET, GETNEXT, GETBULK or SET, its identifier and the names; the numbers are those of a GETBULK."""

    kind: int
    request_id: int
    names: tuple[Oid, ...]
    bound: bytes = b""
    """The list of its bindings as it came, which an answer with an error repeats."""
    non_repeaters: int = 0
    max_repetitions: int = 0


class Secured(NamedTuple):
    """What a message of version 3 says of itself, before anything of it is believed (RFC 3412, 6; RFC 3414, 2.4)."""

    number: int
    flags: int
    engine_id: bytes
    user: bytes
    is_encrypted: bool
    digest: tuple[int, int]
    """Where its digest begins and ends in the datagram."""

    @property
    def discovers(self) -> bool:
        """Return whether it asks for the identifier of the engine, as every client does first (RFC 3414, 4)."""
        return self.flags & PROTECTED == 0 and not self.engine_id and not self.user

    @property
    def is_protected(self) -> bool:
        """Return whether it says that it is authenticated and encrypted."""
        return self.flags & PROTECTED == PROTECTED and self.is_encrypted


def version_of(datagram: bytes) -> int:
    """Read the version of a message. Raises ValueError for what is no SNMP message."""
    return _integer(datagram, *next(_message(datagram))[1:])


def secured(datagram: bytes) -> Secured:
    """Read who sends a message of version 3, and how protected.

    Raises ValueError for one that is nested deeper, or built otherwise, than SNMP allows.
    """
    parts = list(_message(datagram))
    if [tag for tag, _, _ in parts[:3]] != [INTEGER, SEQUENCE, OCTET_STRING] or len(parts) != 4:
        raise ValueError("is no message of version 3")
    # The security parameters are a sequence within a string; the last part is a sequence, or encrypted.
    waiting = [(first, last, 1) for tag, first, last in parts[1:] if tag & CONSTRUCTED or first == parts[2][1]]
    while waiting:
        start, end, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError("is nested too deep")
        inner = list(_items(datagram, start, end))
        waiting += [(first, last, depth + 1) for tag, first, last in inner if tag & CONSTRUCTED]
    header = list(_items(datagram, *parts[1][1:]))
    parameters = [list(_items(datagram, *item[1:])) for item in _items(datagram, *parts[2][1:])]
    if len(header) != 4 or [len(items) for items in parameters] != [6]:
        raise ValueError("is no message of version 3")
    flags, engine, user, digest = header[2], parameters[0][0], parameters[0][3], parameters[0][4]
    return Secured(
        _integer(datagram, *header[0][1:]),
        int.from_bytes(datagram[flags[1] : flags[2]], "big"),
        datagram[engine[1] : engine[2]],
        datagram[user[1] : user[2]],
        is_encrypted=parts[3][0] == OCTET_STRING,
        digest=digest[1:],
    )


def authentication_key(password: str, engine_id: bytes) -> bytes:
    """Make the key of a user at an engine (RFC 3414, A.2.2 and 2.6)."""
    secret = password.encode()
    repeated = secret * (EXPANDED // len(secret) + 1)
    whole = hashlib.sha1(repeated[:EXPANDED]).digest()  # noqa: S324 - the protocol has no other here
    return hashlib.sha1(whole + engine_id + whole).digest()  # noqa: S324


def is_authentic(datagram: bytes, digest: tuple[int, int], key: bytes) -> bool:
    """Return whether a message has the digest of who knows the key: of all of it, with zeros in its place (7.3.2)."""
    first, last = digest
    if last - first != DIGEST:
        return False
    unsigned = datagram[:first] + bytes(DIGEST) + datagram[last:]
    return hmac.compare_digest(hmac.digest(key, unsigned, "sha1")[:DIGEST], datagram[first:last])


def discovery_report(number: int, engine_id: bytes, boots: int, time_s: int, count: int) -> bytes:
    """Build the report that tells a client the identifier of the engine, and its time (RFC 3414, 3.2.3 and 4)."""
    header = _encoded(number) + _encoded(LARGEST_MESSAGE) + _tlv(OCTET_STRING, b"\0") + _encoded(USER_SECURITY)
    nothing = _tlv(OCTET_STRING, b"")
    engine = _tlv(OCTET_STRING, engine_id)
    parameters = _tlv(SEQUENCE, engine + _encoded(boots) + _encoded(time_s) + 3 * nothing)
    counted = _encoded(Name(UNKNOWN_ENGINES)) + _tlv(COUNTER, _number(count % 2**32))
    report = _tlv(REPORT, 3 * _encoded(0) + _tlv(SEQUENCE, _tlv(SEQUENCE, counted)))
    scoped = _tlv(SEQUENCE, engine + nothing + report)
    return _tlv(SEQUENCE, _encoded(VERSION_3) + _tlv(SEQUENCE, header) + _tlv(OCTET_STRING, parameters) + scoped)


def parse(datagram: bytes, community: bytes) -> Request | None:
    """Read a request of version 2c; None for another community. Raises ValueError for what is no such message."""
    items = list(_message(datagram))
    if len(items) != 3 or items[1][0] != OCTET_STRING:
        raise ValueError("is no message of version 2c")
    _, first, last = items[1]
    if datagram[first:last] != community:
        return None
    kind, first, last = items[2]
    fields = list(_items(datagram, first, last))
    if kind not in REQUESTS or [tag for tag, _, _ in fields] != [INTEGER, INTEGER, INTEGER, SEQUENCE]:
        raise ValueError("is no request")
    numbers = [_integer(datagram, begin, end) for _, begin, end in fields[:3]]
    _, first, last = fields[3]
    names = tuple(_bound_name(datagram, *item) for item in _items(datagram, first, last))
    return Request(kind, numbers[0], names, datagram[first:last], max(0, numbers[1]), max(0, numbers[2]))


def bound(bindings: Sequence[Binding]) -> bytes:
    """Encode the list of bindings of an answer."""
    return b"".join(_tlv(SEQUENCE, _encoded(Name(oid)) + _encoded(value)) for oid, value in bindings)


def response(community: bytes, request_id: int, bound: bytes, status: int = 0, index: int = 0) -> bytes:
    """Build the answer to a request of version 2c."""
    head = _encoded(request_id) + _encoded(status) + _encoded(index)
    pdu = _tlv(RESPONSE, head + _tlv(SEQUENCE, bound))
    return _tlv(SEQUENCE, _encoded(VERSION_2C) + _tlv(OCTET_STRING, community) + pdu)


def _message(datagram: bytes) -> Iterator[tuple[int, int, int]]:
    """Iterate over the parts of the one sequence that a message is."""
    whole = list(_items(datagram, 0, len(datagram)))
    if len(whole) != 1 or whole[0][0] != SEQUENCE:
        raise ValueError("is no sequence")
    return _items(datagram, *whole[0][1:])


def _items(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Iterate over tag, begin and end of the values in a part of a message."""
    while at < end:
        if end - at < 2 or data[at] & 0x1F == 0x1F:
            raise ValueError("ends within a value")
        tag, length, first = data[at], data[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7F
            if not 0 < size <= 4:
                raise ValueError("has a length that is not allowed")
            length, first = int.from_bytes(data[first : first + size], "big"), first + size
        at = first + length
        if at > end:
            raise ValueError("ends within a value")
        yield tag, first, at


def _integer(data: bytes, first: int, last: int) -> int:
    if not 0 < last - first <= 5:
        raise ValueError("has a number of the wrong length")
    return int.from_bytes(data[first:last], "big", signed=True)


def _bound_name(data: bytes, tag: int, first: int, last: int) -> Oid:
    """Read the name of a binding, whatever its value is."""
    parts = list(_items(data, first, last))
    if tag != SEQUENCE or len(parts) != 2 or parts[0][0] != OBJECT_NAME:
        raise ValueError("has a binding without a name")
    _, first, last = parts[0]
    arcs: list[int] = []
    arc = 0
    for byte in data[first:last]:
        arc = arc << 7 | byte & 0x7F
        if arc > MOST_ARC or len(arcs) >= MOST_ARCS:
            raise ValueError("has a name that is too long")
        if not byte & 0x80:
            arcs.append(arc)
            arc = 0
    if not arcs or data[last - 1] & 0x80:
        raise ValueError("has a name without an end")
    root = min(arcs[0] // 40, 2)
    return (root, arcs[0] - 40 * root, *arcs[1:])


def _encoded(value: Value) -> bytes:
    match value:
        case Mark():
            return bytes([value.tag, 0])
        case Name():
            first, second, *rest = value.oid
            return _tlv(OBJECT_NAME, b"".join(_arc(arc) for arc in (40 * first + second, *rest)))
        case Ticks():
            return _tlv(TIME_TICKS, _number(value.value))
        case str():
            return _tlv(OCTET_STRING, value.encode())
        case bytes():
            return _tlv(OCTET_STRING, value)
    return _tlv(INTEGER if value < 1 << 31 else UNSIGNED, _number(value))


def _number(value: int) -> bytes:
    return value.to_bytes((value + (value < 0)).bit_length() // 8 + 1, "big", signed=True)


def _arc(arc: int) -> bytes:
    digits = [arc & 0x7F]
    while arc := arc >> 7:
        digits.append(arc & 0x7F | 0x80)
    return bytes(reversed(digits))


def _tlv(tag: int, content: bytes) -> bytes:
    length = len(content)
    if length < 0x80:
        return bytes([tag, length]) + content
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + content
