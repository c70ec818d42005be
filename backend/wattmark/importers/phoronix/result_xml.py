"""A result file of the Phoronix Test Suite (composite.xml): its systems and results, without trusting the XML.

No document type, no entities, bounded depth, sizes and counts. Elements as in the suite's schema result-file.xsd.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from wattmark.core.errors import InputError
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken, parse_json

ROOT = "PhoronixTestSuite"
_BLOCK = 2**16
HEAD = 4096
_MOST_BYTES = 256 * 2**20
_MOST_DEPTH = 8
_MOST_TEXT = 4 * 2**20
"""Characters of one element: a sample a second of a day is half a million."""
_MOST_KEPT = 64 * 2**20
"""Characters of all elements that are kept."""
_MOST_RESULTS, _MOST_SYSTEMS = 20_000, 1_000
_REMEDY = "Give the composite.xml that the Phoronix Test Suite wrote."
_LEAVES = {
    "Generated": (
        *("Title", "LastModified", "TestClient", "Description", "Notes", "InternalTags", "ReferenceID"),
        "PreSetEnvironmentVariables",
    ),
    "System": (
        *("Identifier", "Hardware", "Software", "User", "TimeStamp", "TestClientVersion", "Notes", "JSON"),
        "CostValueForComparison",
    ),
    "Result": (
        *("Identifier", "Title", "AppVersion", "Arguments", "Description", "Scale", "Proportion", "DisplayFormat"),
        *("Annotation", "Parent", "ResultOf"),
    ),
    "Result/Data/Entry": ("Identifier", "Value", "RawString", "JSON"),
}
_NODES = frozenset({"Generated", "System", "Result", "Result/Data", "Result/Data/Entry"})
_DROPPED = frozenset({"InternalTags"})
"""Known, but of no use here."""


@dataclass(slots=True)
class XmlResult:
    """One result: a test, a sensor that was read during it, or a quotient of both."""

    line: int
    fields: dict[str, str] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    """Value of each system."""
    run_times_s: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """How long the runs of each system took [s], where the suite noted it."""

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")


@dataclass(slots=True)
class ResultFile:
    """A result file, taken apart."""

    generated: dict[str, str] = field(default_factory=dict)
    systems: dict[str, dict[str, str]] = field(default_factory=dict)
    results: list[XmlResult] = field(default_factory=list)
    note: SourceFileNote | None = None


def begins(head: bytes) -> bool:
    """Return whether a file that begins with these bytes is a result file."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and f"<{ROOT}>".encode() in head


def read_result_file(path: Path, name: str, unread: Unread) -> ResultFile:
    """Read a file. Raises `InputError` naming the line where it is no such XML, or too large."""
    reader = _Reader(name, unread)
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                size += len(block)
                if size > _MOST_BYTES:
                    raise reader.refused(f"the file is larger than {_MOST_BYTES // 2**20} MiB")
                digest.update(block)
                reader.feed(block)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.", "Restore the file.") from error
    reader.close()
    reader.file.note = SourceFileNote(file=name, bytes=size, sha256=digest.hexdigest())
    return reader.file


class _Reader:
    def __init__(self, name: str, unread: Unread) -> None:
        self.file = ResultFile()
        self._name = name
        self._unread = unread
        self._path: list[str] = []
        self._skipped = 0
        """Depth of an element that is not understood, within which nothing is read."""
        self._text: list[str] = []
        self._length = self._kept = 0
        self._system: dict[str, str] = {}
        self._entry: dict[str, str] = {}
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._doctype

    def feed(self, block: bytes) -> None:
        self._parse(block, last=False)

    def close(self) -> None:
        self._parse(b"", last=True)

    def refused(self, mistake: str) -> InputError:
        return broken(self._name, self._parser.CurrentLineNumber, mistake, _REMEDY)

    def _parse(self, block: bytes, *, last: bool) -> None:
        try:
            self._parser.Parse(block, last)
        except expat.ExpatError as error:
            raise self.refused(f"it is not XML ({expat.ErrorString(error.code)})") from None
        except (ValueError, LookupError) as error:  # an encoding that Python does not know
            raise self.refused(f"it is not XML ({error})") from None

    def _doctype(self, *_: object) -> None:
        raise self.refused("it declares a document type or an entity, which a result file never does")

    def _start(self, tag: str, _: dict[str, str]) -> None:
        depth = len(self._path)
        if depth >= _MOST_DEPTH:
            raise self.refused(f"elements are nested more than {_MOST_DEPTH} deep")
        if depth == 0 and tag != ROOT:
            raise self.refused(f"its root is {tag[:40]!r}, not {ROOT!r}")
        self._path.append(tag)
        self._text, self._length = [], 0
        if self._skipped or depth == 0:
            self._skipped += bool(self._skipped)
            return
        parent, place = "/".join(self._path[1:-1]), "/".join(self._path[1:])
        if place in _NODES:
            self._open(place)
        elif tag not in _LEAVES.get(parent, ()):
            self._skipped = 1
            text = f"<{tag}> in <{self._path[-2]}>"
            self._unread.add(self._name, self._parser.CurrentLineNumber, text, "the element is not known")

    def _open(self, place: str) -> None:
        if place == "System":
            self._system = {}
        elif place == "Result":
            self.file.results.append(XmlResult(self._parser.CurrentLineNumber))
        elif place == "Result/Data/Entry":
            self._entry = {}
        if len(self.file.results) > _MOST_RESULTS or len(self.file.systems) > _MOST_SYSTEMS:
            raise self.refused(f"it holds more than {_MOST_RESULTS} results or {_MOST_SYSTEMS} systems")

    def _characters(self, text: str) -> None:
        if self._skipped:
            return
        self._length += len(text)
        if self._length > _MOST_TEXT:
            raise self.refused(f"an element holds more than {_MOST_TEXT} characters")
        self._text.append(text)

    def _end(self, tag: str) -> None:
        place, parent = "/".join(self._path[1:]), "/".join(self._path[1:-1])
        self._path.pop()
        if self._skipped:
            self._skipped -= 1
        elif place == "System":
            self._close_system()
        elif place == "Result/Data/Entry":
            self._close_entry()
        elif parent in _LEAVES and tag not in _DROPPED:
            self._keep(parent, tag, "".join(self._text).strip())
        self._text, self._length = [], 0

    def _close_system(self) -> None:
        name = self._system.get("Identifier", "")
        if name in self.file.systems and self.file.systems[name] != self._system:
            self._unread.add(
                self._name, self._parser.CurrentLineNumber, name, "another system of this name stands before"
            )
        self.file.systems.setdefault(name, self._system)

    def _close_entry(self) -> None:
        result, system, value = self.file.results[-1], self._entry.get("Identifier", ""), self._entry.get("Value", "")
        if system in result.entries:
            text = f"{result['Title']}: {value}"
            self._unread.add(
                self._name, self._parser.CurrentLineNumber, text, "another value of this system stands before"
            )
            return
        result.entries[system] = value
        if times_s := _run_times_s(self._entry.get("JSON", "")):
            result.run_times_s[system] = times_s

    def _keep(self, parent: str, tag: str, text: str) -> None:
        self._kept += len(text)
        if self._kept > _MOST_KEPT:
            raise self.refused(f"its elements hold more than {_MOST_KEPT} characters")
        if parent == "Result":
            self.file.results[-1].fields[tag] = text
        else:
            {"Generated": self.file.generated, "System": self._system}.get(parent, self._entry)[tag] = text


def _run_times_s(text: str) -> tuple[float, ...]:
    """Read how long the runs took, as the suite notes it beside a value [s]; empty where it does not."""
    try:
        noted = parse_json(text)
        stated = noted.get("test-run-times") if isinstance(noted, dict) else None
        return tuple(float(part) for part in stated.split(":") if part) if isinstance(stated, str) else ()
    except ValueError:
        return ()
