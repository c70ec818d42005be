"""The layout of a full disclosure text: centred headings, right-aligned keys with values, tables with bars, notes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote

MARK = "SPECpower_ssj2008"
LONGEST = 4096
MOST_LINES = 5000
_KEY = re.compile(r" *(\S.{0,39}?):(?:  (.*)|\s*)")
_KEY_WIDTH = 33
_VALUE_AT = 35
_OVERALL = re.compile(rf"{MARK} = ([0-9][0-9,.]*) overall ssj_ops/watt")
_WITHHELD = {
    "NC": "SPEC found the result not compliant with its rules and withdrew the figures (NC).",
    "Invalid": "The text calls its own result invalid.",
}
"""By what stands in the place of the overall figure."""
_NOTE_HEADINGS = ("Notes", "Settings")
_SKIPPED = ("Copyright (C)", "http://www.spec.org", "Reporter Version:", "http://spec.org")
_MOST_NOTE = 4000


@dataclass(slots=True)
class Fdr:
    """A text taken apart. Sections repeat their headings in front: "Set: 'sut' / HARDWARE"."""

    title: str = ""
    printed_overall: str | None = None
    sections: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    rows: dict[str, list[tuple[int, list[str]]]] = field(default_factory=dict)
    """Cells of the tables by section, with the number of the line."""
    remarks: list[str] = field(default_factory=list)
    """Lines between title and first section that are neither, such as why a result is not compliant."""

    @property
    def withheld(self) -> str:
        """Return why the text has no overall figure, as a sentence after a space; empty where it does not say."""
        remark = next(iter(self.remarks), "").removeprefix(f"{MARK} = ").removesuffix(" overall ssj_ops/watt")
        return f" {_WITHHELD.get(remark, f'The text says: {remark[:160]}.')}" if remark else ""

    def value(self, key: str, *headings: str) -> str:
        """Return a value of the first section whose heading holds every word; empty where there is none."""
        for name, entries in self.sections.items():
            if all(heading in name for heading in headings) and key in entries:
                return entries[key]
        return ""


def read_fdr(file: TextLines, unread: Unread) -> tuple[Fdr, SourceFileNote]:
    """Take a text apart; lines in no known form are counted. Raises `InputError` for a file that cannot be read."""
    reader = _Reader(file.name, unread)
    for number, line in file:
        if number > MOST_LINES:
            unread.add(file.name, number, line, f"a full disclosure text has at most {MOST_LINES} lines")
            continue
        reader.take(number, line.expandtabs().rstrip())
    return reader.fdr, file.note


class _Reader:
    def __init__(self, name: str, unread: Unread) -> None:
        self.fdr = Fdr()
        self._name = name
        self._unread = unread
        self._heading = ""
        self._sub = ""
        self._key: str | None = None
        self._partial: tuple[str, str] | None = None
        self._blank = 0
        self._named = False

    def take(self, number: int, line: str) -> None:
        if not line:
            self._blank += 1
            self._key = None
            return
        blank, self._blank = self._blank, 0
        if any(word in line for word in _SKIPPED) or line.strip() == MARK or set(line) <= set("-| "):
            return
        if match := _OVERALL.fullmatch(line.strip()):
            self.fdr.printed_overall = self.fdr.printed_overall or match[1]
            self._named = True
        elif not self._named and not self._heading and ":  " not in line and "|" not in line:
            self._before_key(line.strip())
        elif "|" in line or line.lstrip().startswith(("sum of ssj_ops", "ssj_ops@calibrated")):
            self._row(number, line)
        elif self._is_heading(line, blank):
            self._enter(line.strip())
        elif self._heading.endswith(_NOTE_HEADINGS):
            self._note(line)
        elif not self._pair(line) and not self._reference(line):
            self._unread.add(self._name, number, line, "it is neither a heading, a row, nor a key with a value")

    def _before_key(self, text: str) -> None:
        if text.startswith(MARK):
            self.fdr.remarks.append(text)
            self._named = True
        else:
            self.fdr.title = f"{self.fdr.title} {text}".strip()

    def _row(self, number: int, line: str) -> None:
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 1:
            name, _, value = cells[0].partition("=")
            cells = [name.strip(), value.strip()]
        self.fdr.rows.setdefault(self._heading, []).append((number, cells))

    @staticmethod
    def _is_heading(line: str, blank: int) -> bool:
        """A heading is alone on its line, centred on a page of 79 columns, and holds no key."""
        text = line.strip()
        left = len(line) - len(line.lstrip())
        centred = abs(left - (79 - len(text)) // 2) <= 1
        return blank > 0 and centred and left >= 4 and (":  " not in line)

    def _enter(self, text: str) -> None:
        if text.isupper() and not text.startswith("SET:"):
            self._sub = text
        else:
            self._heading, self._sub = text, ""

    def _note(self, line: str) -> None:
        earlier = self.fdr.notes.get(self._heading, "")
        if len(earlier) < _MOST_NOTE:
            self.fdr.notes[self._heading] = f"{earlier} {line.strip()}".strip()[:_MOST_NOTE]

    def _pair(self, line: str) -> bool:
        """Read a key with its value, a further line of either, or the first line of a key that is wrapped."""
        left, right = line[:_KEY_WIDTH].strip(), line[_VALUE_AT:].strip()
        if self._partial is not None and left.endswith(":"):
            key, value = self._partial
            self._partial = None
            self._put(f"{key} {left[:-1]}", f"{value} {right}".strip())
            return True
        if self._partial is not None:
            self._partial = (f"{self._partial[0]} {left}".strip(), f"{self._partial[1]} {right}".strip())
            return True
        if match := _KEY.fullmatch(line):
            self._put(match[1].strip(), (match[2] or "").strip())
            return True
        if not line[: _VALUE_AT - 9].strip() and self._key is not None:
            entries = self.fdr.sections[self._section]
            entries[self._key] = f"{entries[self._key]} {line.strip()}".strip()[:_MOST_NOTE]
            return True
        if left and line[_KEY_WIDTH:_VALUE_AT].strip() == "" and self._sub:
            self._partial = (left, right)
            return True
        return False

    @staticmethod
    def _reference(line: str) -> bool:
        """Return whether a line points to a report of its own, which is no part of this text."""
        return line.startswith(("See the ", "(power_ssj2008", "details.")) or line.endswith("additional details.")

    @property
    def _section(self) -> str:
        return f"{self._heading} / {self._sub}" if self._sub else self._heading or "Result"

    def _put(self, key: str, value: str) -> None:
        entries = self.fdr.sections.setdefault(self._section, {})
        self._key = key
        entries.setdefault(key, value)
