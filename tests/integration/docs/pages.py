"""The pages of the documentation, taken apart: fenced blocks with their attributes, inline code, links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "backend/docs"
FENCE = re.compile(r"^( *)```(.*)$")
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes stand behind the language: ``not-run="why"``, ``exit=0,1``, ``stays`` (left running), ``file=NAME``.
    """

    page: Path
    line: int
    language: str
    attributes: dict[str, str]
    lines: tuple[str, ...]

    @property
    def where(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def commands(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each line after ``$``, with the lines of output that are shown below it."""
        command, shown = "", []
        for line in self.lines:
            if line.startswith("$ "):
                if command:
                    yield command, tuple(shown)
                command, shown = line[2:], []
            elif line.strip():
                shown.append(line)
        if command:
            yield command, tuple(shown)


def all_pages() -> list[Path]:
    """README.md, docker/README.md and all under backend/docs but the pages that only arrange others on the site."""
    arranged = {DOCS / "index.md", *(DOCS / "rooms").iterdir()}
    return [ROOT / "README.md", ROOT / "docker/README.md", *sorted(set(DOCS.rglob("*.md")) - arranged)]


def blocks(page: Path) -> Iterator[Block]:
    """Every fenced block of a page."""
    lines: list[str] | None = None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if fence and lines is None:
            indent, (language, *rest) = len(fence[1]), shlex.split(fence[2]) or [""]
            attributes = dict(word.partition("=")[::2] for word in rest)
            begin, lines = number, []
        elif fence and lines is not None:
            yield Block(page, begin, language, attributes, tuple(lines))
            lines = None
        elif lines is not None:
            lines.append(line[indent:] if not line[:indent].strip() else line)
    assert lines is None, f"{page}: a fence is not closed"


def is_typed(page: Path) -> bool:
    """Whether a page has commands that a test types."""
    return any(block.language == "console" and "not-run" not in block.attributes for block in blocks(page))


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.M | re.S)
