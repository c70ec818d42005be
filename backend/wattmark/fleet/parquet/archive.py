"""Add runs of a data folder to an archive, and compare its content with the folder.

Samples of a run are one file; records and results of all runs of a data folder that were made in a month are one file
of each table. The file of table `run` is written last: it says which runs the archive has, and what they consisted of.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from types import TracebackType
from typing import Any, Self

from wattmark.campaigns.lab_identity import APPLIANCE_KIND, folder_name
from wattmark.core.apart import Apart
from wattmark.core.errors import InputError, StoreError, WattmarkError
from wattmark.core.progress import note_done
from wattmark.core.version import version
from wattmark.fleet.dossiers.dossier import Dossier
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.dossiers.rows import Row, lab_of_dossier, result_columns, run_columns, version_columns
from wattmark.fleet.parquet.layout import FORMAT, LAYOUT, MARKER, VERSIONS, ParquetPlace, parse_file, place_of
from wattmark.fleet.parquet.outcome import Added, Compared
from wattmark.fleet.parquet.read import (
    Content,
    Mark,
    check_content,
    check_marks,
    check_rows,
    count_rows,
    other_rows,
    read_content,
)
from wattmark.fleet.parquet.target import ParquetTarget, failing, is_marked
from wattmark.fleet.parquet.write import row_batches, sample_batches, write_batches
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.record import RunRecord
from wattmark.runs.store import RunStore
from wattmark.runs.thinned import is_thinned

AT_A_TIME = 1000
"""Runs whose rows are in memory before they are written; what is interrupted loses at most as many."""
LeaveOut = Callable[[RunRecord, StoreError], None]


@dataclass(slots=True)
class _Month:
    """What the archive has of a month: own runs with their partition, and those of other data folders."""

    own: dict[str, tuple[ParquetPlace, Mark]] = field(default_factory=dict)
    others: set[tuple[ParquetPlace, str]] = field(default_factory=set)

    def place(self, run_id: str, expected: ParquetPlace) -> ParquetPlace | None:
        """Return where the samples of a run are; None: the archive does not have it."""
        if run_id in self.own:
            return self.own[run_id][0]
        return expected if (expected, run_id) in self.others else None


@dataclass(slots=True)
class _Changes:
    """Rows to write, by partition, and the partitions that runs leave."""

    marks: dict[ParquetPlace, dict[str, Mark]] = field(default_factory=lambda: defaultdict(dict))
    rows: dict[ParquetPlace, dict[str, list[Row]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    leaving: dict[ParquetPlace, set[str]] = field(default_factory=lambda: defaultdict(set))


class ParquetArchive:
    """An archive at a target, as one data folder adds to it. ``lab`` is the folder's own; ``now`` gives UTC [ns]."""

    def __init__(
        self, storage: Storage, results: Evaluations, target: ParquetTarget, lab: str, now: Callable[[], int]
    ) -> None:
        self._storage = storage
        self._target = target
        self._now = now
        self._folder = _owner(storage.runs, lab)
        self._dossiers = Dossiers(storage, results, lambda: lab)
        self._apart = Apart()
        self._partitions: dict[ParquetPlace, set[str]] = {}
        self._run_files: list[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._apart.__exit__(kind, error, trace)
        self._target.close()

    def add(self, runs: Sequence[RunRecord], leave_out: LeaveOut | None = None) -> Added:
        """Add runs that are new or have changed. Raises `WattmarkError`; what was complete before that stays.

        A damaged run raises `StoreError`, or goes to ``leave_out``. Samples that were thinned here since do not replace
        those in the archive.
        """
        self._claim()
        added, total = Added(), len(runs)
        for month, members in _by_month(runs):
            known = self._read_month(month)
            for first in range(0, len(members), AT_A_TIME):
                self._add(members[first : first + AT_A_TIME], known, added, leave_out, total)
        self._run_files = None
        return added

    def compare(self, runs: Sequence[RunRecord]) -> Compared:
        """Read the samples of runs back, and compare them bit for bit with those of the data folder."""
        compared = Compared()
        for month, members in _by_month(runs):
            known = self._read_month(month)
            for run in members:
                self._compare(run, known, compared)
                note_done("compared", 1, of=len(runs))
        return compared

    def _claim(self) -> None:
        """Prepare the target. Raises `InputError` where it holds something else."""
        marked = is_marked(self._target)
        if not marked and (other := self._target.anything()) is not None:
            raise InputError(
                f"{self._target.name} contains something else ({other[:100]}).",
                "Choose an empty folder or prefix, or an archive that `wattmark archive --parquet` made.",
            )
        self._target.open(self._folder)
        if not marked:
            marker = self._target.scratch / MARKER
            with failing(self._target.name):
                marker.write_text(json.dumps({"format": FORMAT, "software": version()}) + "\n")
            self._target.publish(marker, MARKER)

    def _read_month(self, month: str) -> _Month:
        known = _Month()
        if self._run_files is None:
            self._run_files = self._target.files("run")
        for path in self._run_files:
            parsed = parse_file(path, "run")
            if parsed is None or parsed[0].month != month:
                continue
            place, owner = parsed
            for run_id, mark in self._apart.read(self._target.fetch(path), check_marks).items():
                if owner == self._folder:
                    known.own[run_id] = place, Mark(*mark)
                else:
                    known.others.add((place, run_id))
        return known

    def _add(
        self, runs: Sequence[RunRecord], known: _Month, added: Added, leave_out: LeaveOut | None, total: int
    ) -> None:
        changes = _Changes()
        for run in runs:
            try:
                self._change(run, known, changes, added)
            except StoreError as error:
                if leave_out is None:
                    raise
                leave_out(run, error)
            note_done("written", 1, of=total)
        for place, marks in changes.marks.items():
            self._rewrite(place, known, marks, changes.rows[place])
        for place, run_ids in changes.leaving.items():
            self._rewrite(place, known, {}, {}, leaving=run_ids)
            for run_id in run_ids:
                self._target.remove(place.file("sample", run_id))

    def _change(self, run: RunRecord, known: _Month, changes: _Changes, added: Added) -> None:
        """Write the samples of a run where they are not there yet, and note the rows that follow."""
        dossier = self._dossiers.gather(run.run_id)
        if dossier is None:
            raise StoreError(f"Run {run.run_id} was deleted meanwhile.", "List the runs with `wattmark results`.")
        place, mark = place_of(lab_of_dossier(dossier), run.created_ns), _mark(dossier)
        before = known.own.get(run.run_id)
        if before is None and (place, run.run_id) in known.others:
            added.elsewhere.append(run.run_id)
            return
        mark = self._write_samples(run, place, mark, before, added)
        if before == (place, mark):
            added.unchanged.append(run.run_id)
            return
        (added.new if before is None else added.replaced).append(run.run_id)
        changes.marks[place][run.run_id] = mark
        for table, row in self._rows(dossier):
            changes.rows[place][table].append(row)
        if before is not None and before[0] != place:
            changes.leaving[before[0]].add(run.run_id)

    def _write_samples(
        self, run: RunRecord, place: ParquetPlace, mark: Mark, before: tuple[ParquetPlace, Mark] | None, added: Added
    ) -> Mark:
        """Write the samples unless they are there; return the mark of the stored samples."""
        path = place.file("sample", run.run_id)
        there = path in self._partition(place)
        if (
            before is not None
            and before[0] == place
            and there
            and (mark.samples == before[1].samples or is_thinned(run))
        ):
            return Mark(mark.dossier, before[1].samples)
        written, content = self._target.scratch / "samples", Content()
        batches = _counted(sample_batches(self._storage.samples, run.run_id, place.lab), content)
        with failing(self._target.name):
            with written.open("wb") as file:
                write_batches("sample", batches, file, {"layout": LAYOUT, "run": run.run_id})
            added.bytes += written.stat().st_size
        self._check_written(path, read_content(written).digest == content.digest)
        if content.n or there:
            self._target.publish(written, path)
            self._partition(place).add(path)
        added.samples += content.n
        return mark

    def _rows(self, dossier: Dossier) -> Iterator[tuple[str, Row]]:
        now = self._now()
        for issued in self._storage.issued.of(dossier.record.run_id):
            issue = issued.issue
            yield VERSIONS, version_columns(dossier, issue.version, issued.result, issue.issued_ns)
        result = result_columns(dossier, now)
        if result is not None:
            yield "result", result
        yield "run", run_columns(dossier, now)

    def _rewrite(
        self,
        place: ParquetPlace,
        known: _Month,
        marks: Mapping[str, Mark],
        rows: Mapping[str, Sequence[Row]],
        leaving: Iterable[str] = (),
    ) -> None:
        """Replace the rows of some runs in the folder's files of a partition, and remove those of runs that leave."""
        replaced = {*marks, *leaving}
        remaining = {run: mark for run, (at, mark) in known.own.items() if at == place and run not in replaced}
        runs = {**remaining, **marks}
        for table in (VERSIONS, "result", "run"):
            self._rewrite_table(table, place, runs, replaced, rows.get(table, ()))
        for run_id, mark in marks.items():
            known.own[run_id] = place, mark

    def _rewrite_table(
        self, table: str, place: ParquetPlace, runs: Mapping[str, Mark], replaced: set[str], rows: Sequence[Row]
    ) -> None:
        path = place.file(table, self._folder)
        stay: Iterable[Any] = ()
        if path in self._partition(place):
            before = self._target.fetch(path)
            self._apart.read(before, check_rows)
            stay = other_rows(before, replaced)
        written, facts = self._target.scratch / table, {"layout": LAYOUT, "table": table, "folder": self._folder}
        if table == "run":
            facts["runs"] = {run: (mark.dossier, mark.samples) for run, mark in runs.items()}
        counts: list[int] = []
        with failing(self._target.name), written.open("wb") as file:
            write_batches(table, _noted(chain(stay, row_batches(table, rows)), counts), file, facts)
        self._check_written(path, count_rows(written) == sum(counts))
        if sum(counts):
            self._target.publish(written, path)
            self._partition(place).add(path)
        else:
            self._target.remove(path)
            self._partition(place).discard(path)

    def _partition(self, place: ParquetPlace) -> set[str]:
        """List the files of a partition, of all tables."""
        if place not in self._partitions:
            folders = (place.file(table, "x").rpartition("/")[0] for table in ("sample", VERSIONS, "result", "run"))
            self._partitions[place] = {path for folder in folders for path in self._target.files(folder)}
        return self._partitions[place]

    def _check_written(self, path: str, same: bool) -> None:
        if not same:
            raise WattmarkError(
                f"{path} does not read back as it was written to {self._target.scratch}.",
                "Check that disk, and the memory of this machine.",
            )

    def _compare(self, run: RunRecord, known: _Month, compared: Compared) -> None:
        if is_thinned(run):
            compared.thinned.append(run.run_id)
            return
        dossier = self._dossiers.gather(run.run_id)
        expected = None if dossier is None else place_of(lab_of_dossier(dossier), run.created_ns)
        place = None if expected is None else known.place(run.run_id, expected)
        if place is None:
            compared.differing[run.run_id] = "it is not in the archive"
            return
        content, path = Content(), place.file("sample", run.run_id)
        for batch in sample_batches(self._storage.samples, run.run_id, place.lab):
            content.add(batch)
        there = (0, Content().digest)
        if path in self._partition(place):
            there = self._apart.read(self._target.fetch(path), check_content)
        compared.samples += there[0]
        if there == (content.n, content.digest):
            compared.same.append(run.run_id)
        else:
            counts = f"{there[0]} samples there, {content.n} here"
            compared.differing[run.run_id] = counts if there[0] != content.n else f"samples differ ({counts})"


def _owner(runs: RunStore, lab: str) -> str:
    """Name the data folder. A folder without recordings has no name; two labs may have imported the same run."""
    return folder_name(runs) if runs.documents(APPLIANCE_KIND) else f"{folder_name(runs)}-{_hash(lab)[:8]}"


def _by_month(runs: Iterable[RunRecord]) -> Iterator[tuple[str, list[RunRecord]]]:
    ordered = sorted(runs, key=lambda run: (run.created_ns, run.run_id))
    for month, members in groupby(ordered, key=lambda run: place_of("", run.created_ns).month):
        yield month, list(members)


def _mark(dossier: Dossier) -> Mark:
    series = [note.model_dump(mode="json") for note in dossier.series]
    return Mark(_hash(dossier.model_dump_json()), _hash(json.dumps(series, sort_keys=True)))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _counted(batches: Iterable[Any], content: Content) -> Iterator[Any]:
    for batch in batches:
        content.add(batch)
        yield batch


def _noted(batches: Iterable[Any], counts: list[int]) -> Iterator[Any]:
    for batch in batches:
        counts.append(batch.num_rows)
        yield batch
