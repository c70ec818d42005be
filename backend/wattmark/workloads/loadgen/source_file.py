"""Files of a source: read once, hashed, decoded; errors name the file, the line, what was found and what to do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wattmark.core.errors import InputError
from wattmark.runs.disclosure import SourceFileNote

_LONGEST = 240
"""Characters of a description that still read as one line."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A text file with its digest. Undecodable bytes become U+FFFD, so that a parser meets and reports them."""

    name: str
    """Path as errors and the disclosure show it."""
    data: bytes = field(repr=False)

    @property
    def text(self) -> str:
        """Decode as UTF-8."""
        return self.data.decode("utf-8", "replace")

    @property
    def sha256(self) -> str:
        """Compute the SHA-256 of the unchanged bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def sha1(self) -> str:
        """Compute the SHA-1 that MLPerf's power sessions record."""
        return hashlib.sha1(self.data, usedforsecurity=False).hexdigest()

    @property
    def note(self) -> SourceFileNote:
        """Return name, size and digest for the full disclosure."""
        return SourceFileNote(file=self.name, bytes=len(self.data), sha256=self.sha256)


def read_source(path: Path, name: str) -> SourceFile:
    """Read a file. Raises `InputError` when it is missing or unreadable."""
    try:
        return SourceFile(name, path.read_bytes())
    except OSError as error:
        raise InputError(
            f"{name} cannot be read: {error.strerror or error}.",
            "Restore the file, or import a complete result folder.",
        ) from error


def broken(name: str, line: int | None, mistake: str, remedy: str) -> InputError:
    """Build the error for a malformed file; ``mistake`` is cut to one readable line."""
    where = name if line is None else f"{name} line {line}"
    shown = "".join(c if c.isprintable() else "\ufffd" for c in mistake)
    return InputError(f"{where}: {shown[:_LONGEST]}{'…' if len(shown) > _LONGEST else ''}.", remedy)


def parse_json(text: str, parse_float: Callable[[str], Any] = float) -> Any:
    """Read a JSON document. Raises ValueError, also for one nested too deeply; lone surrogates become "?"."""
    try:
        return _storable(json.loads(text, parse_float=parse_float))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _storable(value: Any) -> Any:
    """Replace what UTF-8 cannot encode; JSON escapes such as \\ud800 can contain it."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_storable(each) for each in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(each) for key, each in value.items()}
    return value
