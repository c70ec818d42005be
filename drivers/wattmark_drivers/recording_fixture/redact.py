"""Remove everything from a dialogue that identifies the device's owner."""

from __future__ import annotations

import re
import struct
from collections import Counter
from dataclasses import dataclass, field
from ipaddress import IPv6Address

_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
PATTERNS = (
    ("mac", re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![0-9A-Fa-f])")),
    ("uuid", re.compile(r"\b[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\b")),
    ("host", re.compile(rf"(?<![\d.])(?:{_OCTET}\.){{3}}{_OCTET}(?![\d.]*\d)")),
)
KEYS = {
    "serial": "serial|serialnumber|serial_number|sn|assettag|partnumber|sku",
    "mac": "mac|macaddress|permanentmacaddress",
    "uuid": "uuid|serviceentrypointuuid",
    "host": "hostname|host|ip|ipaddress|fqdn|ssid|bssid|gateway|topic|friendlyname|devicename|src",
    "user": "user|username|login",
    "secret": "password|passwd|pass|token|key|psk|auth_key",
}
"""Names of JSON keys and of parts of a query whose text values are taken out, by kind; case does not matter."""
_VALUE = r'\s*:\s*\[?\s*)"((?:[^"\\]|\\.)*)"'
_JSON = {kind: re.compile(rf'("(?:{names})"' + _VALUE, re.IGNORECASE) for kind, names in KEYS.items()}
_COLONS = re.compile(r"(?<![0-9A-Fa-f:])[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?![0-9A-Fa-f:])")
_QUERY = {
    kind: re.compile(rf"([?&;](?:{KEYS[kind]})=)([^&\s]+)", re.IGNORECASE) for kind in ("user", "secret", "serial")
}
TELLING = 6
"""A shorter value of an identifying key ("on", "1") is removed at that key only, not everywhere."""
SHORTEST = 3
"""A shorter secret would take out half the dialogue."""


@dataclass
class Redactor:
    """Removes known words (``kinds``: word to kind) and whatever looks like an address; counts the removals."""

    kinds: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def learn(self, word: str | None, kind: str) -> None:
        """Register a word to be removed from now on."""
        if word and len(word) >= SHORTEST:
            self.kinds[word] = kind

    def learn_from(self, text: str) -> None:
        """Learn the values of identifying keys, because devices repeat them (a name that ends in the MAC address)."""
        for kind, pattern in _JSON.items():
            for match in pattern.finditer(text):
                if len(match[2]) >= TELLING:
                    self.learn(match[2], kind)

    def text(self, text: str) -> str:
        for kind, pattern in _JSON.items():
            text = pattern.sub(lambda match, kind=kind: self._put(kind, match[1] + '"', '"'), text)  # type: ignore[misc]
        for kind, pattern in _QUERY.items():
            text = pattern.sub(lambda match, kind=kind: self._put(kind, match[1], ""), text)  # type: ignore[misc]
        for word in sorted(self.kinds, key=len, reverse=True):
            kind = self.kinds[word]
            text = re.sub(re.escape(word), lambda _, kind=kind: self._put(kind, "", ""), text, flags=re.IGNORECASE)  # type: ignore[misc]
        for kind, pattern in PATTERNS:
            text = pattern.sub(lambda _, kind=kind: self._put(kind, "", ""), text)  # type: ignore[misc]
        return _COLONS.sub(self._put_colons, text)

    def data(self, data: bytes) -> bytes:
        """Redact bytes that are not text: known words in them and the numbers that registers hold become zeros."""
        for word in self.kinds:
            for pattern in _encodings(word):
                if pattern in data:
                    self.counts[self.kinds[word]] += data.count(pattern)
                    data = data.replace(pattern, bytes(len(pattern)))
        return data

    def _put_colons(self, match: re.Match[str]) -> str:
        return self._put("host", "", "") if _is_ipv6(match[0]) else match[0]

    def _put(self, kind: str, before: str, after: str) -> str:
        self.counts[kind] += 1
        return f"{before}<{kind}>{after}"


def _is_ipv6(text: str) -> bool:
    try:
        return not IPv6Address(text).is_unspecified
    except ValueError:
        return False


def as_text(data: bytes) -> str | None:
    """Read bytes as text where all of it is printable; None otherwise."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if all(char.isprintable() or char in "\r\n\t" for char in text) else None


def _encodings(word: str) -> list[bytes]:
    """List how a word, or the number that it is, may lie in a frame."""
    encodings = [word.encode()]
    if word.isascii() and word.isdecimal():
        number = int(word)
        for code in ("I", "Q"):
            if number < 1 << 8 * struct.calcsize(code) and number >= 1 << 16:
                packed = struct.pack(f">{code}", number)
                words = [packed[i : i + 2] for i in range(0, len(packed), 2)]
                encodings += [packed, b"".join(reversed(words))]
    return [encoding for encoding in encodings if len(encoding) >= SHORTEST]
