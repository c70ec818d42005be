"""The memory slots of a board as a drawing: channels as columns, slots as bays, empty bays dashed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from wattmark.core.numbers import format_number

BAY_WIDTH, BAY_HEIGHT, GAP, HEAD = 104, 20, 6, 16
_NUMBERS = re.compile(r"\d+|\D+")
_LAST_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True)
class Board:
    """A configuration with its slots, as its record lists them, and what distinguishes it from others."""

    title: str
    modules: tuple[Mapping[str, Any], ...] = ()
    note: str = ""


def populated(modules: Sequence[Mapping[str, Any]]) -> str:
    """Describe a population: "4 of 8 slots: 4 x RDIMM 16 GiB, 3200 MT/s"; empty without slots."""
    if not modules:
        return ""
    kinds: dict[str, int] = {}
    for module in modules:
        if module.get("type"):
            words = _module(module)
            kinds[words] = kinds.get(words, 0) + 1
    listed = "; ".join(f"{count} x {words}" for words, count in kinds.items())
    return f"{sum(kinds.values())} of {len(modules)} slots{f': {listed}' if listed else ''}"


def draw_board(board: Board) -> Markup:
    """Draw the slots of a board as SVG; empty without slots. Names and types are escaped."""
    channels: dict[str, list[Mapping[str, Any]]] = {}
    for module in sorted(board.modules, key=lambda m: _natural(str(m.get("slot", "")))):
        channels.setdefault(str(module.get("channel") or ""), []).append(module)
    if not channels:
        return Markup()
    columns = sorted(channels.items(), key=lambda item: _natural(item[0]))
    deepest = max(len(bays) for bays in channels.values())
    width = len(columns) * (BAY_WIDTH + GAP) - GAP
    height = HEAD + deepest * (BAY_HEIGHT + 3)
    label = f"{board.title}: {populated(board.modules)}"
    parts = [
        Markup(
            '<svg class="slots" role="img" viewBox="0 0 {w} {h}" width="{w}" height="{h}"><title>{t}</title>'
        ).format(w=width, h=height, t=label)
    ]
    for i, (channel, bays) in enumerate(columns):
        x = i * (BAY_WIDTH + GAP)
        parts.append(Markup('<text class="channel" x="{x}" y="11">{c}</text>').format(x=x, c=channel))
        parts += [_bay(x, HEAD + j * (BAY_HEIGHT + 3), bay, channel) for j, bay in enumerate(bays)]
    return Markup("").join([*parts, Markup("</svg>")])


def _bay(x: int, y: int, bay: Mapping[str, Any], channel: str) -> Markup:
    """Draw one slot; in its channel's column the number of the slot is enough."""
    slot = str(bay.get("slot", ""))
    number = _LAST_NUMBER.search(slot)
    fitted = bool(bay.get("type"))
    words = f"{_capacity(bay)} {bay['type']}".strip() if fitted else ""
    name = number[0] if number and channel else slot
    return Markup(
        '<rect class="bay{kind}" x="{x}" y="{y}" width="{w}" height="{h}" rx="2"/>'
        '<text class="slot" x="{tx}" y="{ty}">{name}</text><text class="module" x="{mx}" y="{ty}">{words}</text>'
    ).format(
        kind="" if fitted else " empty",
        x=f"{x + 0.5:g}", y=f"{y + 0.5:g}", w=BAY_WIDTH - 1, h=BAY_HEIGHT - 1,
        tx=x + 5, ty=y + 14, mx=x + 5 + 7 * max(1, len(name)) + 3, name=escape(name), words=escape(words),
    )  # fmt: skip


def _module(module: Mapping[str, Any]) -> str:
    speed = module.get("speed_mts")
    kind = f"{module['type']} {_capacity(module)}".strip()
    return f"{kind}, {speed} MT/s" if speed else kind


def _capacity(module: Mapping[str, Any]) -> str:
    capacity = module.get("capacity_gib")
    return format_number(float(capacity), 6, "GiB") if isinstance(capacity, int | float) else ""


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts 2 before 10."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _NUMBERS.findall(text)]
