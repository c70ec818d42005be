"""The quantities that the name of a column or series names, whatever its unit."""

from __future__ import annotations

import re
from unicodedata import normalize

_WORDS: dict[str, tuple[str, ...]] = {
    "power factor": ("powerfactor", "pf", "cosphi", "leistungsfaktor"),
    "apparent power": ("apparentpower", "apparent", "aprt", "scheinleistung"),
    "energy": ("energy", "energie", "aenergy", "energia"),
    "temperature": ("temperature", "temp", "temperatur"),
    "frequency": ("frequency", "freq", "frequenz"),
    "voltage": ("voltage", "volts", "volt", "spannung", "vrms", "urms"),
    "current": ("current", "amps", "ampere", "amperes", "strom", "irms"),
    "power": ("power", "watts", "watt", "wattage", "leistung", "puissance", "apower"),
}
_QUANTITIES = {word: quantity for quantity, words in _WORDS.items() for word in words}
_ENDINGS = ("leistung", "energie", "spannung", "temperatur", "frequenz")
"""Of compound words, as Wirkleistung is one."""
_IN_ONE = (
    (re.compile(r"\b(power factor|cos phi|facteur de puissance)\b"), "powerfactor"),
    (re.compile(r"\b(apparent power|aprt power|puissance apparente)\b"), "apparent"),
    (re.compile(r"\bwatt ?(hours?|hrs?|h|seconds?|secs?)\b"), "energy"),
    (re.compile(r"\b(power|energy) (?=(supply|supplies|strip|meter|plug|unit|source)\b)"), ""),
    (
        re.compile(r"\bcurrent (?=(power|wattage|watts?|energy|voltage|temperature|consumption|demand|draw|usage)\b)"),
        "",
    ),
)
"""Words that name something else together than each for itself."""
_OF = re.compile(r"\b(?:from|of|for|by|via|at|during)\b")
"""Words behind which a name says of what its quantity is."""
_BEHIND = frozenset({"avg", "average", "mean", "median", "total", "tot", "sum", "active", "real", "act", "reading"})
"""Words behind the one that says what it is."""
_UNITS = frozenset({"kw", "mw", "uw", "kwh", "wh", "mwh", "ma", "mv", "hz", "va", "kva", "pct", "percent"})
_WATTS = frozenset({"w", "kw", "mw"})


def words_of(name: str) -> list[str]:
    """Return the words of a name in small letters, without accents; "powerLimit" has two."""
    plain = normalize("NFD", name.replace("dBm", "dbm"))
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return re.sub(r"[^a-z]+", " ", re.sub(r"[\u0300-\u036f]", "", apart).lower()).split()


def named_quantities(name: str) -> tuple[str, ...]:
    """Return the quantities that a name may mean by its words: none, one, or several where the words leave it open.

    What stands last decides, as in "power supply voltage" and Tasmota's "ENERGY.Power". A "current" beside another
    quantity may say "now".
    """
    text = " ".join(words_of(name))
    for together, word in _IN_ONE:
        text = together.sub(word, text)
    before = _OF.split(text)[0].split()
    words = before if any(map(_quantity, before)) else text.split()
    named = [quantity for word in words if (quantity := _quantity(word))]
    if not named:
        joined = "".join(words)
        return next(((quantity,) for quantity, (first, *_) in _WORDS.items() if joined.startswith(first)), ())
    others = [quantity for quantity in named if quantity != "current"]
    if others and "current" in named:
        return (others[-1], "current") if named[-1] == "current" else (others[-1],)
    if named[-1] == "energy" and words[-1] in _WATTS:
        return "energy", "power"
    while words[-1] in _BEHIND | _UNITS or len(words[-1]) < 2:
        words.pop()
    group, *members = named
    if _quantity(words[-1]) or (group == "energy" and len(set(members)) == 1):
        return (named[-1],)
    return tuple(dict.fromkeys(named))


def _quantity(word: str) -> str:
    """Return the quantity of a word; empty for none."""
    return _QUANTITIES.get(word) or next((_QUANTITIES[end] for end in _ENDINGS if word.endswith(end)), "")
