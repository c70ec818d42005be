"""The pages of stored runs: the list, one run whole, its traces and its samples."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations, Rule
from wattmark.results.names import group_names
from wattmark.results.pages.listing import ResultPage, ResultQuery, RunFacets, RunFacetValue, RunQuery, RunRows
from wattmark.results.pages.row import RunRow, run_row
from wattmark.results.pages.run_details import Basis, RunDetails
from wattmark.results.pages.run_page import RunOut
from wattmark.results.pages.run_view import run_view
from wattmark.results.result import Result
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.record import RunRecord


class RunPages(RunDetails):
    """List and show the runs of a data folder; safe to call from several threads."""

    def __init__(self, storage: Storage, results: Evaluations) -> None:
        super().__init__(FolderRuns(storage, results), storage.samples)
        self._storage = storage
        self._results = results

    def of_run(self, run_id: str) -> RunDetails:  # noqa: ARG002 - a fleet has a reader for each run
        """Return the pages of a run."""
        return self

    def rows(self, query: RunQuery) -> RunRows:
        """Return a page of the list of runs, one row each."""
        return RunRows.model_validate_json(self.rows_json(query))

    def rows_json(self, query: RunQuery) -> bytes:
        """Return the same as JSON, joined from the stored rows, without building ten thousand objects."""
        chosen, beside, annotations = self._chosen(query)
        page = chosen[query.offset : query.offset + query.limit]
        lines = self._storage.results.lines(page)
        lines |= {run_id: run_row(beside[run_id]).model_dump_json() for run_id in page if run_id in beside}
        damaged = [run_id for run_id in page if run_id not in lines]
        lines |= {run.run_id: run_row(result).model_dump_json() for run, result in self._results.each(damaged)}
        for run_id in annotations.keys() & lines.keys():
            words = {"tags": annotations[run_id].tags, "note": annotations[run_id].note}
            lines[run_id] = RunRow.model_validate_json(lines[run_id]).model_copy(update=words).model_dump_json()
        rows = ",".join(lines[run_id] for run_id in page if run_id in lines)
        head = f'{{"total":{self._storage.runs.count()},"matching":{len(chosen)},"rows":['
        called = group_names(self._storage.results.configurations(beside.values()))
        names = json.dumps(called, ensure_ascii=False, separators=(",", ":"))
        tail = f'],"next_offset":{json.dumps(_next(query, chosen))},"names":{names}}}'
        return f"{head}{rows}{tail}".encode()

    def facets(self, query: RunQuery) -> RunFacets:
        """Count the runs by what they can be filtered by, each value under the other filters."""
        beside, annotations = self._results.beside(), self._storage.annotations.all()
        counted = self._storage.results.counted(query, beside, annotations)
        matching = self._storage.results.chosen(query.model_copy(update={"tag": None}), beside, annotations)
        tags = Counter(tag for run_id in matching if run_id in annotations for tag in annotations[run_id].tags)
        return RunFacets(**counted, tag=[RunFacetValue(value=tag, n=tags[tag]) for tag in sorted(tags)])

    def page(self, query: ResultQuery) -> ResultPage:
        """Return a page of whole results."""
        chosen, _, _ = self._chosen(query)
        results = [result for _, result in self._results.each(chosen[query.offset : query.offset + query.limit])]
        total, following = self._storage.runs.count(), _next(query, chosen)
        return ResultPage(total=total, matching=len(chosen), results=results, next_offset=following)

    def ids(self, query: RunQuery) -> list[str]:
        """List the runs that a query selects, in its order; its page is ignored."""
        return self._chosen(query)[0]

    def _chosen(self, query: RunQuery) -> tuple[list[str], dict[str, Result], dict[str, Annotation]]:
        """Select runs by their rows; return their ids, the results that the rows lack, and the annotations."""
        beside, annotations = self._results.beside(), self._storage.annotations.all()
        chosen = self._storage.results.chosen(query, beside, annotations)
        return chosen, {run.run_id: result for run, result in beside}, annotations

    def whole(self, run_ids: Sequence[str]) -> Iterator[RunOut]:
        """Yield runs in full, one after the other, without their neighbours in time."""
        annotations = self._storage.annotations.all()
        for run, result in self._results.each(run_ids):
            yield run_view(run, result, None, None, annotations.get(run.run_id, Annotation()))


class FolderRuns:
    """The runs of a data folder, as the pages of one run ask for them."""

    def __init__(self, storage: Storage, results: Evaluations) -> None:
        self._storage = storage
        self._results = results

    def record(self, run_id: str) -> RunRecord:
        return self._results.record(run_id)

    def known(self, run_id: str) -> RunRecord:
        return self._results.known(run_id)

    def result(self, run: RunRecord) -> Result:
        return self._results.result(run)

    def shown(self, run: RunRecord, rule: Rule) -> Result:
        return self._results.shown(run, rule)

    def neighbours(self, run_id: str) -> tuple[str | None, str | None]:
        """Find the runs before and after a run in time; none for a run in the trash."""
        ids = self._storage.runs.ids()
        position = ids.index(run_id) if run_id in ids else -1
        previous = ids[position - 1] if position > 0 else None
        return previous, ids[position + 1] if 0 <= position < len(ids) - 1 else None

    def annotation(self, run_id: str) -> Annotation:
        return self._storage.annotations.all().get(run_id, Annotation())

    def basis(self, run: RunRecord) -> Basis:
        """Return the register as it stood when the result was issued; the present one where none was."""
        issue = self._storage.issued.last(run.run_id)
        register = self._results.register()
        return Basis(
            register if issue is None else register.at(issue.register_revision),
            None if issue is None else issue.as_found,
            self._results.cross_calibration(run, issue),
        )


def _next(query: RunQuery, chosen: Sequence[str]) -> int | None:
    end = query.offset + query.limit
    return end if end < len(chosen) else None
