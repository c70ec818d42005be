"""Refuse YAML that is more than data: tags, several documents, and aliases that blow up when written out."""

from __future__ import annotations

from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    NodeEvent,
)

from wattmark.errors import InputError

MAX_VALUES = 50_000
"""Values after every alias is written out."""
MAX_DEPTH = 30


@dataclass
class _Count:
    """Sizes of the collections that are open, of every anchor, and the number of documents."""

    name: str
    open: list[tuple[str | None, int]] = field(default_factory=lambda: [(None, 0)])
    anchors: dict[str, int] = field(default_factory=dict)
    documents: int = 0

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
        tag = getattr(event, "tag", None)
        if tag:
            raise self.refuse(event, f"the tag {tag} is not allowed", "Write plain values without tags.")
        if isinstance(event, CollectionStartEvent):
            self.open.append((event.anchor, 1))
            if len(self.open) > MAX_DEPTH:
                raise self.refuse(event, f"nested deeper than {MAX_DEPTH} levels", "Check the indentation.")
        else:
            self._add(event, 1)
            if event.anchor:
                self.anchors[event.anchor] = 1

    def _alias(self, event: AliasEvent) -> None:
        if event.anchor not in self.anchors:
            raise self.refuse(event, f"*{event.anchor} names no finished anchor", f"Write &{event.anchor} before it.")
        self._add(event, self.anchors[event.anchor])

    def _close(self, event: Event) -> None:
        anchor, size = self.open.pop()
        if anchor:
            self.anchors[anchor] = size
        self._add(event, size)

    def _add(self, event: Event, size: int) -> None:
        anchor, total = self.open[-1]
        self.open[-1] = (anchor, total + size)
        if total + size > MAX_VALUES:
            raise self.refuse(event, f"more than {MAX_VALUES} values", "Use fewer aliases.")


def check_events(name: str, text: str) -> None:
    """Walk the parser's events without building anything. Raises `InputError` or the parser's own errors."""
    count = _Count(name)
    for event in YAML(typ="rt", pure=True).parse(text):
        count.take(event)
