"""One run: its page, its traces, its samples, and the figures of a part of it; from a data folder or from a fleet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.core.errors import EvaluationFailed, InputError
from wattmark.core.quantity import Quantity
from wattmark.results.apparent import ApparentPower, apparent_of
from wattmark.results.pages.excluded_samples import ExcludedSamplesCache
from wattmark.results.pages.run_page import RunOut, TracesOut
from wattmark.results.pages.run_view import run_view, traces_view
from wattmark.results.pages.span import SpanOut, span_of
from wattmark.results.result import Result
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.record import RunRecord
from wattmark.runs.samples.blocks import Block, blocks
from wattmark.store.sample_store import SampleStore
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord


@dataclass(frozen=True, slots=True)
class Basis:
    """Basis of the figures of a run besides its samples: that of its issued result, or the present one."""

    register: CertificateRegister
    as_found: str | None = None
    cross_calibration: CrossCalibrationRecord | None = None


class RunSource(Protocol):
    """What has runs: a data folder, or the store of a fleet."""

    def record(self, run_id: str) -> RunRecord:
        """Read the record of a run. Raises `NotFound`."""
        ...

    def known(self, run_id: str) -> RunRecord:
        """Read the record of a run, or the stand-in of a damaged one. Raises `NotFound`."""
        ...

    def result(self, run: RunRecord) -> Result:
        """Return the result of a run. Raises `StoreError` where it cannot be read or evaluated."""
        ...

    def shown(self, run: RunRecord, rule: RuleName) -> Result:
        """Return the result of a run, also where it cannot be evaluated: as failed."""
        ...

    def neighbours(self, run_id: str) -> tuple[str | None, str | None]:
        """Find the runs before and after a run in time; None where there is none."""
        ...

    def annotation(self, run_id: str) -> Annotation:
        """Read the annotations of a run."""
        ...

    def basis(self, run: RunRecord) -> Basis:
        """Return the certificates that the figures of a run use."""
        ...


class RunDetails:
    """Show single runs; safe to call from several threads where its source and its samples are."""

    def __init__(self, source: RunSource, samples: SampleStore) -> None:
        self._source = source
        self._samples = samples
        self._excluded_samples = ExcludedSamplesCache(samples)

    def run(self, run_id: str, rule: RuleName = "complete") -> RunOut:
        """Return one run in full, with its neighbours in time; a run that cannot be evaluated is shown as failed."""
        run = self._source.known(run_id)
        previous, following = self._source.neighbours(run_id)
        return run_view(run, self._source.shown(run, rule), previous, following, self._source.annotation(run_id))

    def traces(self, run_id: str, px: int, begin_s: float | None, end_s: float | None) -> TracesOut:
        """Return a run's series between two instants [Unix seconds] at screen resolution."""
        run = self._source.record(run_id)
        try:
            excluded = self._excluded_samples.of(run, self._source.result(run))
        except EvaluationFailed:
            excluded = []
        return traces_view(run, self._samples, px, *_span_ns(begin_s, end_s), excluded=excluded)

    def span(self, run_id: str, begin_s: float, end_s: float) -> SpanOut:
        """Return the figures of a run between two instants [Unix seconds], with the calibrations of its result."""
        run = self._source.record(run_id)
        begin_ns, end_ns = _part_ns(begin_s, end_s)
        basis = self._source.basis(run)
        return span_of(run, self._samples, begin_ns, end_ns, basis.register, basis.as_found, basis.cross_calibration)

    def apparent(self, run_id: str, begin_s: float, end_s: float, power: Quantity | None) -> ApparentPower:
        """Return apparent power and power factor between two instants [Unix seconds]; ``power`` is that of the span."""
        return apparent_of(self._source.record(run_id), self._samples, *_part_ns(begin_s, end_s), power)

    def samples(self, run_id: str, begin_s: float | None, end_s: float | None) -> Iterator[Block]:
        """Return the recorded samples of a run between two instants [Unix seconds], block by block."""
        series = self._samples.list_series(self._source.record(run_id).run_id)
        return blocks(self._samples, series, *_span_ns(begin_s, end_s))


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
