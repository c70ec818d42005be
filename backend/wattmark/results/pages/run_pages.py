"""The pages of stored runs: the list, one run whole, its traces and its samples."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from wattmark.core.errors import EvaluationFailed, InputError
from wattmark.core.quantity import Quantity
from wattmark.results.apparent import ApparentPower, apparent_of
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations, Rule
from wattmark.results.names import group_names
from wattmark.results.pages.excluded_samples import ExcludedSamplesCache
from wattmark.results.pages.listing import ResultPage, ResultQuery, RunQuery, RunRows
from wattmark.results.pages.row import RunRow, run_row
from wattmark.results.pages.run_page import RunOut, TracesOut
from wattmark.results.pages.run_view import run_view, traces_view
from wattmark.results.pages.span import SpanOut, span_of
from wattmark.results.result import Result
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.samples.blocks import Block, blocks


class RunPages:
    """List and show stored runs; safe to call from several threads."""

    def __init__(self, storage: Storage, results: Evaluations) -> None:
        self._storage = storage
        self._results = results
        self._excluded_samples = ExcludedSamplesCache(storage.samples)

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

    def run(self, run_id: str, rule: Rule = "complete") -> RunOut:
        """Return one run in full, with its neighbours in time; a run that cannot be evaluated is shown as failed."""
        ids = self._storage.runs.ids()
        run = self._results.known(run_id)
        position = ids.index(run_id) if run_id in ids else -1
        previous = ids[position - 1] if position > 0 else None
        following = ids[position + 1] if 0 <= position < len(ids) - 1 else None
        annotation = self._storage.annotations.all().get(run_id, Annotation())
        return run_view(run, self._results.shown(run, rule), previous, following, annotation)

    def whole(self, run_ids: Sequence[str]) -> Iterator[RunOut]:
        """Yield runs in full, one after the other, without their neighbours in time."""
        annotations = self._storage.annotations.all()
        for run, result in self._results.each(run_ids):
            yield run_view(run, result, None, None, annotations.get(run.run_id, Annotation()))

    def traces(self, run_id: str, px: int, begin_s: float | None, end_s: float | None) -> TracesOut:
        """Return a run's series between two instants [Unix seconds] at screen resolution."""
        run = self._results.record(run_id)
        try:
            excluded = self._excluded_samples.of(run, self._results.result(run))
        except EvaluationFailed:
            excluded = []
        return traces_view(run, self._storage.samples, px, *_span_ns(begin_s, end_s), excluded=excluded)

    def span(self, run_id: str, begin_s: float, end_s: float) -> SpanOut:
        """Return the figures of a run between two instants [Unix seconds], with the calibrations of its result."""
        run, issue = self._results.record(run_id), self._storage.issued.last(run_id)
        begin_ns, end_ns = _part_ns(begin_s, end_s)
        register = self._results.register()
        return span_of(
            run,
            self._storage.samples,
            begin_ns,
            end_ns,
            register if issue is None else register.at(issue.register_revision),
            None if issue is None else issue.as_found,
            self._results.cross_calibration(run, issue),
        )

    def apparent(self, run_id: str, begin_s: float, end_s: float, power: Quantity | None) -> ApparentPower:
        """Return apparent power and power factor between two instants [Unix seconds]; ``power`` is that of the span."""
        run = self._results.record(run_id)
        return apparent_of(run, self._storage.samples, *_part_ns(begin_s, end_s), power)

    def samples(self, run_id: str, begin_s: float | None, end_s: float | None) -> Iterator[Block]:
        """Return the recorded samples of a run between two instants [Unix seconds], block by block."""
        samples = self._storage.samples
        return blocks(samples, samples.list_series(self._results.record(run_id).run_id), *_span_ns(begin_s, end_s))


def _next(query: RunQuery, chosen: Sequence[str]) -> int | None:
    end = query.offset + query.limit
    return end if end < len(chosen) else None


def _span_ns(begin_s: float | None, end_s: float | None) -> tuple[int | None, int | None]:
    if begin_s is not None and end_s is not None:
        return _part_ns(begin_s, end_s)
    return None if begin_s is None else _ns(begin_s), None if end_s is None else _ns(end_s)


def _part_ns(begin_s: float, end_s: float) -> tuple[int, int]:
    if end_s <= begin_s:
        raise InputError("The end of the time range is not after its start.", "Set end_s to more than begin_s.")
    return _ns(begin_s), _ns(end_s)


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)
