"""Refuse YAML that is more than data or takes too long: tags, documents, aliases that expand too far, endless lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    NodeEvent,
    ScalarEvent,
)
from ruamel.yaml.parser import RoundTripParser

from wattmark.core.errors import InputError

MAX_VALUES = 50_000
"""Values after every alias is written out."""
MAX_CHARACTERS = 2_000_000
"""Characters of all values after every alias is written out: twice as many as a file may have bytes."""
MAX_DEPTH = 30
MAX_LINES = 25_000
"""The parser takes 30 us for a line, be it empty."""
MAX_ANCHORS = 1000
LONGEST_NUMBER = 400
"""Characters of a number: the largest float has 309 digits before its point."""


_Size = tuple[int, int]


@dataclass
class _Count:
    """Sizes (values, characters) of the collections that are open, of every anchor, and the number of documents."""

    name: str
    open: list[tuple[str | None, _Size]] = field(default_factory=lambda: [(None, (0, 0))])
    anchors: dict[str, _Size] = field(default_factory=dict)
    documents: int = 0
    defined: int = 0

    def refuse(self, event: Event, cause: str, remedy: str) -> InputError:
        return InputError(f"{self.name}:{event.start_mark.line + 1}: {cause}.", remedy)

    def take(self, event: Event) -> None:
        if isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self.refuse(event, "a second document begins here", "Keep one document per file, without ---.")
        elif isinstance(event, CollectionEndEvent):
            self._close(event)
        elif isinstance(event, AliasEvent):
            self._alias(event)
        elif isinstance(event, NodeEvent):
            self._node(event)

    def _node(self, event: NodeEvent) -> None:
        if event.anchor:
            self.defined += 1
            if self.defined > MAX_ANCHORS:
                raise self.refuse(event, f"more than {MAX_ANCHORS} anchors", "Write the values where they belong.")
        tag = getattr(event, "tag", None)
        if tag:
            raise self.refuse(event, f"the tag {tag} is not allowed", "Use plain values without tags.")
        if isinstance(event, CollectionStartEvent):
            self.open.append((event.anchor, (1, 0)))
            if len(self.open) > MAX_DEPTH:
                raise self.refuse(event, f"nested deeper than {MAX_DEPTH} levels", "Check the indentation.")
        elif isinstance(event, ScalarEvent):
            self._scalar(event)

    def _scalar(self, event: ScalarEvent) -> None:
        size = (1, len(event.value))
        if event.implicit[0] and size[1] > LONGEST_NUMBER and event.value[0] in "+-.0123456789":
            raise self.refuse(event, f"a number of {size[1]} characters", "Put it in quotes if it is text.")
        self._add(event, size)
        if event.anchor:
            self.anchors[event.anchor] = size

    def _alias(self, event: AliasEvent) -> None:
        if event.anchor not in self.anchors:
            raise self.refuse(
                event,
                f"*{event.anchor} refers to an anchor that is not defined before it",
                f"Define &{event.anchor} before this line.",
            )
        self._add(event, self.anchors[event.anchor])

    def _close(self, event: Event) -> None:
        anchor, size = self.open.pop()
        if anchor:
            self.anchors[anchor] = size
        self._add(event, size)

    def _add(self, event: Event, size: _Size) -> None:
        anchor, before = self.open[-1]
        values, characters = before[0] + size[0], before[1] + size[1]
        self.open[-1] = (anchor, (values, characters))
        if values > MAX_VALUES:
            raise self.refuse(event, f"more than {MAX_VALUES} values", "Use fewer aliases.")
        if characters > MAX_CHARACTERS:
            raise self.refuse(event, f"more than {MAX_CHARACTERS} characters", "Use fewer aliases of long texts.")


def limited_yaml(name: str, text: str) -> YAML:
    """Return a one-time parser of a text with its comments that refuses it at the event that breaks a limit.

    Raises `InputError`, now for too many lines, and while it parses for everything else. Nothing that an alias repeats
    is written out before all events have come.
    """
    if (lines := len(text.splitlines())) > MAX_LINES:
        raise InputError(
            f"{name}: {lines} lines; at most {MAX_LINES} are allowed.", "A bench file is a few hundred lines."
        )
    count = _Count(name)

    class Limited(RoundTripParser):
        def get_event(self) -> Any:
            event = super().get_event()
            count.take(event)
            return event

    yaml = YAML(typ="rt", pure=True)
    yaml.Parser = Limited
    return yaml
