"""CSV files as a kind of source: every mapping is an importer of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from wattmark.core.errors import InputError, UnknownSource
from wattmark.importers.csv_mapping.csv_reader import CsvReader
from wattmark.importers.csv_mapping.header import has_header
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.results_table import read_table
from wattmark.importers.importer import Choices, ImportedFigures, ImportedRun, Importer, Pending
from wattmark.importers.logs.log_format import LogGrammar
from wattmark.importers.logs.log_import import log_run, read_log
from wattmark.importers.logs.read_log import ReadLog
from wattmark.importers.source_tree import files_of
from wattmark.importers.unread import Unread
from wattmark.importers.zones import read_zone

KIND = "csv"
_ENDINGS = frozenset({".csv", ".tsv", ".txt", ".log", ".dat"})
_MOST_FILES = 10_000
_TAKES = "a CSV file, or a folder of them"


def csv_importer(mapping: CsvMapping) -> Importer:
    """Build the importer of a mapping."""
    return Importer(
        kind=KIND,
        title=f"CSV by the mapping {mapping.name}",
        takes=_TAKES,
        time_zone="asked for" if mapping.needs_zone else "not needed",
        recognises=partial(_recognises, mapping),
        find=partial(_find, mapping),
        is_log=mapping.time is not None,
        zone=None if mapping.time is None else read_zone(mapping.zone),
    )


def _recognises(mapping: CsvMapping, path: Path) -> bool:
    files = [path] if path.is_file() else _files(path)[:_MOST_FILES]
    return any(has_header(mapping, file) for file in files)


def _find(mapping: CsvMapping, path: Path, choices: Choices) -> list[Pending]:
    every = [path] if path.is_file() else _files(path)
    if len(every) > _MOST_FILES:
        raise InputError(f"{path.name} holds more than {_MOST_FILES} files.", "Import its folders one by one.")
    files = [file for file in every if file == path or has_header(mapping, file)]
    if not files:
        raise InputError(
            f"{path.name} holds no file with the columns of the mapping {mapping.name!r}.",
            "Give one of its files, or choose another mapping.",
        )
    if mapping.holds != "table of results":
        return [Pending(_name(file, path), file.stem, partial(csv_run, file, mapping, choices)) for file in files]
    return [pending for file in files for pending in _results(file, _name(file, path), mapping)]


def read_csv(path: Path, mapping: CsvMapping, choices: Choices) -> ReadLog:
    """Read a log to its end by a mapping. Raises `InputError` with what is wrong and what to do."""
    return read_log(_grammar(mapping), path.name, [(path, path.name)], _zoned(mapping, choices))


def csv_run(path: Path, mapping: CsvMapping, choices: Choices) -> ImportedRun:
    """Read a log as a run by a mapping. Raises `InputError` with what is wrong and what to do."""
    return log_run(_grammar(mapping), path.name, [(path, path.name)], _zoned(mapping, choices))


def _grammar(mapping: CsvMapping) -> LogGrammar:
    return LogGrammar(kind=KIND, title="CSV", takes=_TAKES, reader=partial(CsvReader, mapping))


def _zoned(mapping: CsvMapping, choices: Choices) -> Choices:
    return replace(choices, zone=choices.zone or read_zone(mapping.zone))


def _results(file: Path, name: str, mapping: CsvMapping) -> list[Pending]:
    """List the results of a table; what was not understood comes with the first of them."""
    try:
        table = read_table(file, mapping)
    except InputError as error:
        return [Pending(name, file.stem, partial(_refuse, error))]
    items = [ImportedFigures(item.result, item.notes, Unread()) for item in table.results]
    items[0].unread.extend(table.unread)
    return [Pending(name, item.result.title, partial(_same, item)) for item in items]


def _same(item: ImportedFigures) -> ImportedFigures:
    return item


def _refuse(error: InputError) -> ImportedFigures:
    raise error


def _files(folder: Path) -> list[Path]:
    return [file for file in files_of(folder) if file.suffix.lower() in _ENDINGS and file.is_file()]


def _name(file: Path, path: Path) -> str:
    return path.name if file == path else str(file.relative_to(path))


def _unmapped(path: Path, _: Choices) -> list[Pending]:
    raise UnknownSource(
        f"No mapping says what the columns of {path.name} are.",
        "Drop the file on Archives to make one, or name one with --mapping; `wattmark mapping list` shows those kept.",
    )


CSV = Importer(
    kind=KIND,
    title="CSV by a mapping of its columns",
    takes="a CSV file, or a folder of them; a mapping says what the columns are",
    time_zone="asked for",
    recognises=lambda _: False,
    find=_unmapped,
)
"""A CSV file for which no mapping was chosen."""


def importer_of_csv(path: Path, mappings: Sequence[CsvMapping]) -> Importer:
    """Choose the mapping that recognises a file. Raises `InputError` where none or more than one does."""
    fitting = [mapping for mapping in mappings if csv_importer(mapping).recognises(path)]
    if len(fitting) > 1:
        names = ", ".join(mapping.name for mapping in fitting)
        raise InputError(f"{len(fitting)} mappings fit the columns of {path.name}.", f"Choose one of: {names}.")
    return csv_importer(fitting[0]) if fitting else CSV
