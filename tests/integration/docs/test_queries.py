"""The queries of the guide give what the guide prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import clickhouse_connect
import pytest

from .cold_labs import make_archive
from .pages import DOCS, Block, blocks

PAGE = DOCS / "guide/archive-queries.md"
LANGUAGES = ("python", "sql", "text")
OF_DUCKDB = ("->>", "unnest")
"""What other dialects write otherwise."""


@pytest.fixture
def clickhouse(tmp_path: Path) -> Iterator[Any]:
    """The current engine in this process, with the files of the archive as tables."""
    client = clickhouse_connect.get_client(interface="chdb")
    client.command("CREATE DATABASE cold_archive")
    for name in ("result", "sample"):
        files = f"file('{tmp_path}/cold/{name}/*/*/*.parquet', Parquet)"
        client.command(f"CREATE VIEW cold_archive.{name} AS SELECT * FROM {files}")
    yield client
    client.command("DROP DATABASE cold_archive")
    client.close()


def test_every_query_of_the_page_is_answered_as_it_shows(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_archive(tmp_path)
    clickhouse = request.getfixturevalue("clickhouse")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = [block for block in blocks(PAGE) if block.language in LANGUAGES]
    compared, twice = 0, 0
    for block, following in pairwise([*shown, None]):
        if block.language == "text":
            continue
        answer = asked(block, names)
        if following is not None and following.language == "text":
            assert cells(answer) == cells("\n".join(following.lines)), f"{following.where}: the answer is\n{answer}"
            compared += 1
            if block.language == "sql" and not any(word in "".join(block.lines) for word in OF_DUCKDB):
                in_clickhouse = cells(table(*answered(clickhouse, "\n".join(block.lines))))
                assert in_clickhouse == cells(answer), block.where
                twice += 1
    assert compared == sum(block.language == "text" for block in shown) > 5
    assert twice == 3


def asked(block: Block, names: dict[str, Any]) -> str:
    """Run a block, and write its answer as the page does: names of the columns, then a line for each row."""
    text = "\n".join(block.lines)
    if block.language == "python":
        with redirect_stdout(StringIO()) as out:
            exec(compile(text, block.where, "exec"), names)
        return out.getvalue()
    done = names["db"].execute(text)
    return table([column[0] for column in done.description], done.fetchall())


def answered(clickhouse: Any, text: str) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
    """Ask ClickHouse a statement; it looks for the tables in the archive."""
    done = clickhouse.query(re.sub(r"\b(FROM|JOIN) (result|sample)\b", r"\1 cold_archive.\2 AS \2", text))
    return done.column_names, done.result_rows


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    texts = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in texts)


def cells(text: str) -> list[list[str]]:
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if line.strip()]
