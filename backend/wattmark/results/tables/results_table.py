"""The table of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wattmark.results.disagreement import disagreement
from wattmark.results.overrides import accepted_texts, with_runs
from wattmark.results.plus_minus import plus_minus_text
from wattmark.results.ranking_bars import inclusion_text, not_ranked_text
from wattmark.results.result import Result
from wattmark.results.state import run_state
from wattmark.results.tables.marks import (
    explain,
    mark_notes,
    result_marks,
)
from wattmark.results.tables.methods import METHODS
from wattmark.results.tables.result_columns import RESULT, RESULT_LAYOUT
from wattmark.tables.table import Cell, Table


def results_table(results: Iterable[Result]) -> Table:
    """Build the table of runs: the columns that scripts rely on, then the finer ones.

    Of each result only its cells, 2 kB, and its footnotes stay in memory.
    """
    rows: list[tuple[Cell, ...]] = []
    marks: set[str] = set()
    disagreeing: list[tuple[str, list[str]]] = []
    accepted: list[tuple[str, list[str]]] = []
    chosen: list[tuple[str, list[str]]] = []
    once: dict[Cell, Cell] = {}
    row_notes: list[tuple[str, ...]] = []
    for result in results:
        cells = (take(result) for _, take in RESULT)
        rows.append(tuple(once.setdefault(cell, cell) if isinstance(cell, str) else cell for cell in cells))
        marks.update(result_marks(result))
        row_notes.append(tuple(str(once.setdefault(note, note)) for note in _result_notes(result)))
        if (text := disagreement(result)) is not None:
            disagreeing.append((result.run_id, [text]))
        if texts := accepted_texts(result):
            accepted.append((result.run_id, texts))
        if (choice := inclusion_text(result)) is not None:
            chosen.append((result.run_id, [choice]))
    footnotes = (*explain(marks), *with_runs(disagreeing), *with_runs(accepted), *with_runs(chosen))
    columns = tuple(column for column, _ in RESULT)
    notes = tuple(row_notes)
    return Table("results", "Results", columns, tuple(rows), footnotes, METHODS, row_notes=notes, layout=RESULT_LAYOUT)


def _result_notes(result: Result) -> Iterator[str]:
    """Yield what must be known about a run that is printed: marks, state, why not ranked, whose choice, why no ±."""
    yield from mark_notes(result_marks(result))
    state = run_state(result)
    if state.key not in ("sound", "unchecked", "override"):
        yield f"{state.words}."
    if (why := not_ranked_text(result)) is not None:
        yield f"Not ranked {why}." if why.startswith("by ") else f"Not ranked: {why}."
    if (choice := inclusion_text(result)) is not None:
        yield f"{choice}."
    if (text := disagreement(result)) is not None:
        yield text
    yield from accepted_texts(result)
    if (text := plus_minus_text(result)) is not None:
        yield text
