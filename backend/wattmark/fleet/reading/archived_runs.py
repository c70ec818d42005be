"""Runs of a cold archive read back: their rows, their results with records, and their samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pydantic import ValidationError

from wattmark.core.errors import InputError, NotFound, StoreError
from wattmark.core.validation import first_mistake
from wattmark.fleet.clickhouse.columns import MOST_PART
from wattmark.fleet.dossiers.dossier import Dossier, read_dossier
from wattmark.fleet.dossiers.rows import series_parts
from wattmark.fleet.parquet.layout import parse_file, place_of
from wattmark.fleet.parquet.read import batches_of, runs_of
from wattmark.fleet.parquet.target import ParquetTarget, is_marked
from wattmark.fleet.reading.lab_names import named_server
from wattmark.results.failed import failed_result
from wattmark.results.pages.row import RunRow, run_row
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord
from wattmark.runs.samples.blocks import Block
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import Samples, Series

Model = TypeVar("Model", RunRow, Result)
_SAMPLES_AT_ONCE = 65_536
_NOT_ISSUED = StoreError("The run was archived before its result was issued.", "Archive it again.")
_LOST = StoreError(
    "The archive lacks the result of the run.", "Restore its file from a copy, or archive the run again."
)
_Tags = tuple[str, str, str, int]
"""Server, source, channel and part of a series, by which the archive tells series apart."""


class _RunKey(NamedTuple):
    lab: str
    run: str


class ArchivedRuns:
    """The runs of an archive, oldest first; servers are named with their laboratory where there are several.

    Raises `InputError` naming a file that cannot be read.
    """

    def __init__(self, target: ParquetTarget) -> None:
        if not is_marked(target):
            raise InputError(
                f"{target.name} is no archive of wattmark.", "Give a folder that `wattmark archive --parquet` made."
            )
        self._target = target

    def rows(self) -> list[RunRow]:
        """Read the row of each run."""
        rows = {}
        for lab, run, created_ns, line in self._columns("result", "lab", "run", "created_ns", "line"):
            rows[_RunKey(lab, run)] = created_ns, _parsed(RunRow, run, line)
        for key, dossier in self._without_result(rows).items():
            rows[key] = dossier.record.created_ns, run_row(_without_figures(dossier))
        ordered = sorted(rows.items(), key=lambda item: (item[1][0], item[0]))
        several = self._several
        return [
            row.model_copy(
                update={"lab": key.lab, "server": named_server(row.server, key.lab) if several else row.server}
            )
            for key, (_, row) in ordered
        ]

    def results(self) -> list[tuple[RunRecord, Result]]:
        """Read the records of the runs with their results as issued; 65 kB each, all in memory."""
        results = {}
        for lab, run, document in self._columns("result", "lab", "run", "document"):
            results[_RunKey(lab, run)] = _parsed(Result, run, document)
        shown, several = [], self._several
        for key, dossier in sorted(self._dossiers().items(), key=lambda item: (item[1].record.created_ns, item[0])):
            issued = results.get(key) or _without_figures(dossier)
            result = _shown(issued, key.lab, several=several)
            shown.append((dossier.record.model_copy(update={"server": result.server}), result))
        return shown

    def result(self, run_id: str) -> Result:
        """Read the result of a run as it was issued. Raises `NotFound`, `InputError`."""
        rows = self._columns("result", "lab", "run", "document")
        documents = {lab: document for lab, run, document in rows if run == run_id}
        lab, dossier = self._dossier(run_id)
        if lab not in documents:
            return _without_figures(dossier)
        return _shown(_parsed(Result, run_id, documents[lab]), lab, several=self._several)

    def samples(self, run_id: str) -> Iterator[Block]:
        """Read the samples of a run in the order of its series. Raises `NotFound`, `InputError`."""
        lab, dossier = self._dossier(run_id)
        path = place_of(lab, dossier.record.created_ns).file("sample", run_id)
        there = path in self._target.files(path.rpartition("/")[0])
        by_tags = _read_samples(self._target.fetch(path)) if there else {}
        parts = series_parts(key for key, _ in dossier.keys)
        for number, ((key, n), part) in enumerate(zip(dossier.keys, parts, strict=True)):
            tags = key.server, key.source, key.channel, min(part, MOST_PART)
            if n and part <= MOST_PART and tags not in by_tags:
                raise InputError(
                    f"{path} in {self._target.name} lacks samples of {key.source}.",
                    "Restore it from a copy, or archive the run again.",
                )
            for samples in by_tags.pop(tags, ()):
                yield Block(Series(number, key, len(samples)), samples)

    @property
    def _several(self) -> bool:
        """Whether the archive holds runs of more than one laboratory."""
        places = (parse_file(path, "run") for path in self._target.files("run"))
        return len({place[0].lab for place in places if place is not None}) > 1

    def _columns(self, table: str, *names: str) -> Iterator[tuple[Any, ...]]:
        """Yield columns of a table row by row, without rows that were deleted."""
        for path in self._target.files(table):
            if parse_file(path, table) is None:
                continue
            for batch in batches_of(self._target.fetch(path)):
                columns = [batch[name].to_pylist() for name in ("deleted", *names)]
                yield from (row[1:] for row in zip(*columns, strict=True) if not row[0])

    def _dossiers(self) -> dict[_RunKey, Dossier]:
        rows = self._columns("run", "lab", "run", "record")
        return {_RunKey(lab, run): read_dossier(text.encode(), run) for lab, run, text in rows}

    def _without_result(self, known: Iterable[_RunKey]) -> dict[_RunKey, Dossier]:
        """Read the runs whose results were not issued; no dossier is read where there are none."""
        names = set(known)
        listed = (_RunKey(lab, run) for lab, _, runs in self._run_files() for run in runs)
        if all(key in names for key in listed):
            return {}
        return {key: dossier for key, dossier in self._dossiers().items() if key not in names}

    def _run_files(self) -> Iterator[tuple[str, Path, Iterable[str]]]:
        """Yield the files of records, each with its laboratory and its runs."""
        for path in self._target.files("run"):
            if (parsed := parse_file(path, "run")) is not None:
                file = self._target.fetch(path)
                yield parsed[0].lab, file, runs_of(file)

    def _dossier(self, run_id: str) -> tuple[str, Dossier]:
        """Read the record of a run, with its laboratory."""
        by_lab: dict[str, Dossier] = {}
        for lab, file, runs in self._run_files():
            if run_id in runs:
                for batch in batches_of(file):
                    names = batch["run"].to_pylist()
                    if run_id in names:
                        text = batch["record"].to_pylist()[names.index(run_id)]
                        by_lab[lab] = read_dossier(text.encode(), run_id)
        if not by_lab:
            raise NotFound(f"There is no run {run_id[:80]!r} in {self._target.name}.", "List its runs: runs().")
        if len(by_lab) > 1:
            raise InputError(
                f"Run {run_id[:80]!r} is there from {', '.join(by_lab)}.", "Read the data folder of that laboratory."
            )
        return next(iter(by_lab.items()))


def _without_figures(dossier: Dossier) -> Result:
    """Return what is shown of a run whose result is not there, with the reason."""
    return failed_result(dossier.record, _NOT_ISSUED if dossier.issue is None else _LOST)


def _shown(result: Result, lab: str, *, several: bool) -> Result:
    """Return a result as it is shown: with the build that computed it, and its laboratory beside others."""
    from wattmark.fleet.reading.fleet_run import as_shown  # most of the analysis; who reads rows needs none
    from wattmark.results.issued.issued_result import with_build_note

    return as_shown(result, lab) if several else with_build_note(result)


def _parsed(model: type[Model], run: str, text: str) -> Model:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise InputError(
            f"The result of run {run[:80]} in the archive cannot be read ({first_mistake(error)}).",
            "Update this wattmark, or archive the run again.",
        ) from None


def _read_samples(path: Path) -> dict[_Tags, list[Samples]]:
    """Read a file of samples, series by series."""
    by_tags: dict[_Tags, list[Samples]] = defaultdict(list)
    for batch in batches_of(path, _SAMPLES_AT_ONCE):
        numbers = {name: batch[name].to_numpy() for name in ("part", "t_ns", "value", "quality", "u_t_s")}
        texts = {name: np.asarray(batch[name].to_pylist(), object) for name in ("server", "source", "channel")}
        tags = (*texts.values(), numbers["part"])
        changes = np.flatnonzero(np.any([column[1:] != column[:-1] for column in tags], axis=0)) + 1
        for begin, end in zip([0, *changes.tolist()], [*changes.tolist(), batch.num_rows], strict=True):
            server, source, channel, part = (column[begin] for column in tags)
            columns = (numbers[name][begin:end] for name in ("t_ns", "value", "quality", "u_t_s"))
            by_tags[server, source, channel, int(part)].append(make_samples(*columns))
    return by_tags
