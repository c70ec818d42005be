"""A log written to a file, read by its kind, and its samples by source and channel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.kinds import importer_of

NOTHING_SAID = Choices()
Read = Callable[..., "ReadLog"]


@dataclass
class ReadLog:
    kind: str
    item: ImportedRun
    values: dict[tuple[str, str], list[tuple[float, float]]]
    """Samples by source and channel: UTC [s] and value."""

    def of(self, source: str, channel: str) -> list[float]:
        return [value for _, value in self.values[source, channel]]


@pytest.fixture
def read_log(tmp_path: Path) -> Read:
    """Read a text that "auto" recognises."""

    def read(text: str | bytes, choices: Choices = NOTHING_SAID, name: str = "log.txt", kind: str = "auto") -> ReadLog:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_source(path, choices, kind)

    return read


def read_source(path: Path, choices: Choices, kind: str = "auto") -> ReadLog:
    importer = importer_of(kind, path)
    (pending,) = importer.find(path, choices)
    item = pending.read()
    assert isinstance(item, ImportedRun)
    values = defaultdict(list)
    for block in item.blocks():
        for key, samples in block:
            stamps = [t_ns / 10**9 for t_ns in samples.t_ns.tolist()]
            values[key.source, key.channel] += list(zip(stamps, samples.value.tolist(), strict=True))
    return ReadLog(importer.kind, item, dict(values))
