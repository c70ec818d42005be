"""Memory and power supplies as a full disclosure text words them."""

from __future__ import annotations

import re

from wattmark.comparison.published.published_result import PublishedMemory, PublishedSupplies

_MODULES = re.compile(r"([0-9]{1,4})\s*x\s*([0-9]{1,7}(?:\.[0-9]+)?)\s*(MB|GB)", re.IGNORECASE)
_SUPPLIES = re.compile(r"([0-9]{1,3})\s*x\s*([0-9]{2,5})", re.IGNORECASE)
_SPEED = r"(?:PC[2-5]L?|DDR[2-5])-[0-9]{4,5}(?:[A-Z]{1,2})?"
"""Speed as JEDEC names it: PC4-3200AA, to which -RE2 or R adds the kind."""
_KINDS = (
    ("FB-DIMM", re.compile(r"FB-?\s?DIMM|fully[ -]buffered|PC2-[0-9]{4}F", re.IGNORECASE)),
    ("LRDIMM", re.compile(r"LR-?DIMM|load[ -]reduced|PC[34]L?-[0-9]{4,5}[A-Z]{0,2}-?L\b", re.IGNORECASE)),
    ("RDIMM", re.compile(rf"\bRDIMM|(?<!un)registered|\bReg\b|{_SPEED}(?:-R(?:[A-Z][0-9])?|[RP])\b", re.IGNORECASE)),
    ("UDIMM", re.compile(rf"\bUDIMM|unbuffered|{_SPEED}(?:-[EU](?:[A-Z][0-9])?|[EU])\b", re.IGNORECASE)),
)
_SLOTS = re.compile(r"slots?:?\s+(.{1,300}?)\s+(?:are\s+|is\s+)?(?:populated|used|filled)", re.IGNORECASE)
_RANGE = re.compile(r"([A-Za-z_#]*)([0-9]+)-([0-9]+)")
_STEM = re.compile(r"(.*[A-Za-z_#])[0-9]+")
"""What "CPU1_DIMM1,2" shares."""
_MOST_MODULES = 4096
_MIB_PER_GIB = 1024.0


def read_memory(amount_gb: str, modules: str, details: str) -> PublishedMemory:
    """Read amount, modules, their kind and the slots; what a text does not tell stays None."""
    match = _MODULES.search(modules)
    count = int(match[1]) if match else None
    each = float(match[2]) / (_MIB_PER_GIB if match[3].upper() == "MB" else 1.0) if match else None
    if count is not None and not 0 < count <= _MOST_MODULES:
        count = None
    total = re.match(r"[0-9]{1,7}(?:\.[0-9]+)?", amount_gb.replace(",", "").strip())
    slots = named_slots(details)
    return PublishedMemory(
        total_gib=float(total[0]) if total else None,
        modules=count,
        module_gib=each,
        kind=next((kind for kind, pattern in _KINDS if pattern.search(details)), None),
        slots=slots if len(slots) == count else (),
        details=details,
    )


def named_slots(details: str) -> tuple[str, ...]:
    """List the slots that a text names as populated: "slots A0-1,B0-1" are A0, A1, B0 and B1."""
    match = _SLOTS.search(details)
    if match is None:
        return ()
    words = [word for word in re.split(r"[,;\s]+|\band\b", match[1]) if word and word.lower() != "and"]
    slots: list[str] = []
    for word in words:
        if span := _RANGE.fullmatch(word):
            first, last = int(span[2]), int(span[3])
            if not first < last <= first + 64:
                return ()
            slots += [f"{span[1]}{index}" for index in range(first, last + 1)]
        elif word.isdigit() and slots and (stem := _STEM.fullmatch(slots[-1])):
            slots.append(f"{stem[1]}{word}")
        elif any(letter.isdigit() for letter in word):
            slots.append(word)
        else:
            return ()
    return tuple(slots)


def read_supplies(quantity: str, details: str) -> PublishedSupplies:
    """Read how many supplies of how many watts there are; None where a text does not tell."""
    match = _SUPPLIES.search(quantity)
    return PublishedSupplies(
        count=int(match[1]) if match else None, rating_w=float(match[2]) if match else None, details=details
    )
