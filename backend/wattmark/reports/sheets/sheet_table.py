"""Sheets as tables: a form has a row per entry, the others a row per run or phase; what is missing is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wattmark.core.numbers import format_number, format_uncertain
from wattmark.reports.sheets.phase_values import PHASE_VALUES
from wattmark.reports.sheets.sheet import SheetEntry, SheetLayout, SheetName, sheet_layout
from wattmark.reports.sheets.sheet_run import SheetAnswer, SheetRun, State
from wattmark.reports.sheets.values import VALUES
from wattmark.results.tables.marks import joined_marks, mark_notes, result_marks
from wattmark.tables.table import Cell, Column, LayoutColumn, Table

MISSING, GIVEN, OPTIONAL = "missing", "given", "optional"
SIMULATED = ("Measured power", "The power of this run is simulated.")
_FORM = (
    Column("part", "Part"),
    Column("entry", "Entry"),
    Column("value", "Value"),
    Column("number", "Number", kind="number", for_people=False),
    Column("number_U95", "U95", kind="number", for_people=False),
    Column("unit", "Unit", for_people=False),
    Column("levels", "Needed for level"),
    Column("state", "State"),
    Column("remark", "What is missing"),
    Column("marks", "Marks", for_people=False),
    Column("key", "Key", for_people=False),
    Column("run_id", "Run"),
)


@dataclass(frozen=True, slots=True)
class Filled:
    """An entry with its answer, what it lacks (empty: nothing), and why or what to do."""

    entry: SheetEntry
    answer: SheetAnswer
    lacks: str = ""
    advice: str = ""

    @property
    def text(self) -> str:
        """Write the answer as people read it."""
        value, unit = self.answer.value, self.answer.unit or str(self.entry.unit or "")
        if isinstance(value, str) or value is None:
            return f"{value or ''} {self.answer.unit}".strip()
        measured = self.entry.plus_minus or self.answer.U95 is not None
        return format_uncertain(value, self.answer.U95, unit) if measured else format_number(value, 6, unit)


def sheet_table(name: SheetName, runs: Iterable[SheetRun]) -> Table:
    """Build a sheet of some runs. Entries that it needs and that a run does not have are named, with the remedy."""
    layout = sheet_layout(name)
    return _form(name, layout, runs) if layout.shape == "form" else _rows(name, layout, runs)


def fill(entry: SheetEntry, of: SheetRun, state: State | None = None) -> Filled:
    """Answer an entry for a run, or for a state of the machine in it, with what it lacks."""
    phase = None if state is None else of.phase(state)
    if entry.value == "state":
        answer = SheetAnswer(state)
    elif entry.value not in PHASE_VALUES:
        answer = VALUES[entry.value](of)
    elif phase is None:
        answer = SheetAnswer(why=f"The run has no {'idle' if state == 'idle' else 'measure'} phase.")
    else:
        answer = PHASE_VALUES[entry.value](of, phase)
    return Filled(entry, answer, *_lack(entry, answer))


def _lack(entry: SheetEntry, answer: SheetAnswer) -> tuple[str, str]:
    """Describe what an entry lacks to be complete, and why or what to do; empty where it lacks nothing."""
    value, title = answer.value, entry.title
    unit = f" {entry.unit}" if isinstance(entry.unit, str) and entry.unit else ""
    advice = " ".join(part for part in (answer.why, entry.remedy) if part)
    if value is None:
        return title, advice
    if entry.plus_minus and answer.U95 is None:
        return f"± of {title[0].lower()}{title[1:]}", advice
    if isinstance(value, str):
        return "", ""
    if entry.at_least is not None and value < entry.at_least:
        is_short = f"{title} of at least {entry.at_least:g}{unit} (it is {format_number(value, 4)}{unit})"
        return is_short, entry.remedy
    if entry.at_most is not None and value > entry.at_most:
        is_large = f"{title} of at most {entry.at_most:g}{unit} (it is {format_number(value, 4)}{unit})"
        return is_large, entry.remedy
    return "", ""


def _form(name: SheetName, layout: SheetLayout, runs: Iterable[SheetRun]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for of in runs:
        filled = [fill(entry, of) for entry in layout.entries]
        marks = result_marks(of.result)
        rows += [_form_row(each, of.run.run_id, joined_marks(marks)) for each in filled]
        notes += [*_by_level(filled), *_simulated(of), *mark_notes(marks)]
    whole = tuple(LayoutColumn(key) for key in ("part", "entry", "levels", "state", "value", "remark"))
    notes = list(dict.fromkeys(notes))
    return Table(
        name,
        layout.title,
        _FORM,
        tuple(rows),
        footnotes=(*notes, f"Entries: {layout.source}."),
        layout=(*whole, LayoutColumn("run_id", if_varies=True)),
        statements=(*notes, f"Entries: {layout.source}."),
    )


def _form_row(filled: Filled, run_id: str, marks: str | None) -> tuple[Cell, ...]:
    entry, answer = filled.entry, filled.answer
    number = answer.value if isinstance(answer.value, (int, float)) else None
    state = GIVEN if not filled.lacks else MISSING if entry.levels else OPTIONAL
    return (
        entry.part,
        entry.title,
        filled.text or (MISSING if entry.levels else None),
        number,
        None if number is None else answer.U95,
        answer.unit or str(entry.unit or "") or None,
        ", ".join(f"L{level}" for level in entry.levels) or None,
        state,
        f"{filled.lacks}: {filled.advice}" if filled.lacks and filled.lacks != entry.title else filled.advice or None,
        marks,
        entry.key,
        run_id,
    )


def _by_level(filled: Sequence[Filled]) -> list[str]:
    """List what each quality level still needs; a higher level lists only what it needs beyond the one below."""
    notes: list[str] = []
    named: set[str] = set()
    for level in (1, 2, 3):
        needed = [each for each in filled if level in each.entry.levels]
        lacking = [each.entry.title for each in needed if each.lacks]
        new = [title for title in lacking if title not in named]
        named.update(new)
        if not lacking:
            notes.append(f"Level {level}: all {len(needed)} entries are given.")
            continue
        names = "; ".join(new) or "those above"
        also = f"; beyond those of level {level - 1}" if level > 1 and new else ""
        counted = f"{len(lacking)} of {len(needed)} entries are missing"
        notes.append(f"Level {level} is incomplete: {counted}{also}: {names}.")
    return notes


def _simulated(of: SheetRun) -> list[str]:
    return [f"Missing: {SIMULATED[0]}. {SIMULATED[1]}"] if of.result.simulated else []


def _rows(name: SheetName, layout: SheetLayout, runs: Iterable[SheetRun]) -> Table:
    columns = [column for entry in layout.entries for column in _columns(entry)]
    columns += [Column("missing", "Missing"), Column("marks", "Marks", for_people=False), Column("run_id", "Run")]
    rows: list[tuple[Cell, ...]] = []
    row_notes: list[tuple[str, ...]] = []
    for of in runs:
        for state in _states(layout):
            filled = [fill(entry, of, state) for entry in layout.entries]
            lacking = [each for each in filled if each.lacks and each.entry.needed in (True, state)]
            gone = [(each.lacks, each.advice) for each in lacking]
            gone += [SIMULATED] if of.result.simulated else []
            cells = [cell for each in filled for cell in _cells(each)]
            marks = result_marks(of.result)
            rows.append((*cells, "; ".join(name for name, _ in gone) or None, joined_marks(marks), of.run.run_id))
            row_notes.append((*(f"Missing: {name}. {advice}" for name, advice in gone), *mark_notes(marks)))
    incomplete = sum(row[-3] is not None for row in rows)
    headline = (
        f"{incomplete} of {len(rows)} rows are incomplete; the notes name what is missing."
        if incomplete
        else f"All {len(rows)} rows are complete."
    )
    shown = tuple(
        LayoutColumn(entry.key, if_varies=entry.once, always=bool(entry.needed))
        for entry in layout.entries
        if entry.people
    )
    source = f"Entries: {layout.source}."
    return Table(
        name,
        layout.title,
        tuple(columns),
        tuple(rows),
        footnotes=(headline, *dict.fromkeys(note for notes in row_notes for note in notes), source),
        layout=(*shown, LayoutColumn("run_id")),
        statements=(headline, source),
        row_notes=tuple(row_notes),
    )


def _states(layout: SheetLayout) -> tuple[State | None, ...]:
    """List the states of the machine that a run has a row for; None: one row for all of it."""
    return (None,) if layout.per == "run" else ("idle", "loaded")


def _columns(entry: SheetEntry) -> list[Column]:
    own = Column(
        entry.key,
        entry.title,
        entry.unit if isinstance(entry.unit, str) else "",
        entry.kind,
        expanded_u=f"{entry.key}_U95" if entry.plus_minus else None,
        unit_from=f"{entry.key}_unit" if entry.unit is True else None,
        for_people=entry.people,
        digits=entry.digits,
    )
    unit = [Column(f"{entry.key}_unit", "Unit", for_people=False)] if entry.unit is True else []
    half = [Column(f"{entry.key}_U95", f"U95({entry.title.lower()})", own.unit, "number", for_people=False)]
    return [own, *unit, *(half if entry.plus_minus else [])]


def _cells(filled: Filled) -> list[Cell]:
    entry, answer = filled.entry, filled.answer
    value = answer.value
    if entry.kind in ("number", "integer") and isinstance(value, str):
        value = None
    return [
        value,
        *([answer.unit or None] if entry.unit is True else []),
        *([answer.U95] if entry.plus_minus else []),
    ]
