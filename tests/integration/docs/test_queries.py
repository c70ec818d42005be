"""The queries of the guide give what the guide prints."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from .cold_labs import make_archive
from .pages import DOCS, Block, blocks

PAGE = DOCS / "guide/archive-queries.md"
LANGUAGES = ("python", "sql", "text")


def test_every_query_of_the_page_is_answered_as_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_archive(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = [block for block in blocks(PAGE) if block.language in LANGUAGES]
    compared = 0
    for block, following in pairwise([*shown, None]):
        if block.language == "text":
            continue
        answer = asked(block, names)
        if following is not None and following.language == "text":
            assert cells(answer) == cells("\n".join(following.lines)), f"{following.where}: the answer is\n{answer}"
            compared += 1
    assert compared == sum(block.language == "text" for block in shown) > 5


def asked(block: Block, names: dict[str, Any]) -> str:
    """Run a block, and write its answer as the page does: names of the columns, then a line for each row."""
    text = "\n".join(block.lines)
    if block.language == "python":
        with redirect_stdout(StringIO()) as out:
            exec(compile(text, block.where, "exec"), names)
        return out.getvalue()
    done = names["db"].execute(text)
    header = tuple(column[0] for column in done.description)
    rows = [header, *done.fetchall()]
    widths = [max(len(str(row[k])) for row in rows) for k in range(len(header))]
    return "\n".join("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def cells(text: str) -> list[list[str]]:
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if line.strip()]
