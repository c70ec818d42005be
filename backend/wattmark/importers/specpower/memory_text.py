"""Memory and power supplies as a full disclosure text words them."""

from __future__ import annotations

import math
import re

from wattmark.comparison.published.published_result import PublishedMemory, PublishedSupplies
from wattmark.core.numbers import format_number

_MODULES = re.compile(r"([0-9]{1,4})\s*x\s*([0-9]{1,7}(?:\.[0-9]+)?)\s*(MB|GB)", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
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
_SAME = 1e-6
_MOST_LISTED = 200


def read_memory(amount_gb: str, modules: str, details: str) -> PublishedMemory:
    """Read amount, modules, their kind and the slots; what a text does not state stays None.

    Groups of modules are added up and held against the amount.
    """
    groups = _groups(_ASIDE.sub(" ", modules)) or _groups(modules)
    count = sum(number for number, _ in groups) or None
    if count is not None and count > _MOST_MODULES:
        groups, count = [], None
    sizes = {size for _, size in groups}
    total = re.match(r"[0-9]{1,7}(?:\.[0-9]+)?", amount_gb.replace(",", "").strip())
    total_gib = float(total[0]) if total else None
    slots = named_slots(details)
    return PublishedMemory(
        total_gib=total_gib,
        modules=count,
        module_gib=groups[0][1] if len(sizes) == 1 else None,
        mixed=_listed(groups) if len(sizes) > 1 else "",
        doubt=_doubt(groups, total_gib),
        kind=next((kind for kind, pattern in _KINDS if pattern.search(details)), None),
        slots=slots if len(slots) == count else (),
        details=details,
    )


def _groups(text: str) -> list[tuple[int, float]]:
    """List how many modules of how many GiB a text names: "2x4096 MB, 4x2048 MB"."""
    return [
        (int(count), float(size) / (_MIB_PER_GIB if unit.upper() == "MB" else 1.0))
        for count, size, unit in _MODULES.findall(text)
        if int(count)
    ]


def _listed(groups: list[tuple[int, float]]) -> str:
    return " + ".join(f"{count} × {format_number(size)} GiB" for count, size in groups)[:_MOST_LISTED]


def _doubt(groups: list[tuple[int, float]], total_gib: float | None) -> str:
    """Explain that the modules do not come to the printed amount; empty where they do, or one is not printed."""
    named_gib = sum(count * size for count, size in groups)
    if not groups or total_gib is None or math.isclose(named_gib, total_gib, rel_tol=_SAME):
        return ""
    return (
        f"The text prints {format_number(total_gib)} GB of memory, but its modules ({_listed(groups)}) come to "
        f"{format_number(named_gib)} GiB: the DIMM count is not relied on."
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
        elif word.isdecimal() and slots and (stem := _STEM.fullmatch(slots[-1])):
            slots.append(f"{stem[1]}{word}")
        elif any(letter.isdecimal() for letter in word):
            slots.append(word)
        else:
            return ()
    return tuple(slots)


def read_supplies(quantity: str, details: str) -> PublishedSupplies:
    """Read how many supplies of how many watts there are; None where a text does not say."""
    match = _SUPPLIES.search(quantity)
    return PublishedSupplies(
        count=int(match[1]) if match else None, rating_w=float(match[2]) if match else None, details=details
    )
