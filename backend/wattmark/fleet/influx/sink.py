"""Send the content of the outbox, one load at a time. An acknowledged load is never waiting again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from wattmark.core.errors import StoreError
from wattmark.fleet.dossiers.dossier import Dossier
from wattmark.fleet.influx.answers import InfluxAnswer, Verdict
from wattmark.fleet.influx.lines import body, sample_lines
from wattmark.fleet.influx.result_row import result_lines
from wattmark.fleet.sending.step import SendingProblem, Step, wait_s
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.outbox.outbox_types import OutboxLoad, RefusedLine, RunToSend, SampleSlice


class Lines(Protocol):
    """What takes lines: a connection."""

    def write(self, body: bytes, lines: int) -> InfluxAnswer:
        """Post lines and judge the answer."""
        ...


class RunRecords(Protocol):
    """What knows the runs that samples belong to."""

    def gather(self, run_id: str) -> Dossier | None:
        """Collect everything about a run but its samples; None where the run is gone."""
        ...

    def lab(self, run_id: str) -> str:
        """Name the lab that recorded a run."""
        ...


class InfluxSink:
    """Drain an outbox into a server with InfluxDB's API."""

    def __init__(
        self,
        outbox: Outbox,
        server: Lines,
        records: RunRecords,
        *,
        utc_ns: Callable[[], int],
        random: Callable[[], float],
        batch: int,
        idle_s: float = 1.0,
    ) -> None:
        self._outbox = outbox
        self._server = server
        self._records = records
        self._utc_ns = utc_ns
        self._random = random
        self._batch = batch
        self._most_lines = batch
        self._idle_s = idle_s
        self._failures = 0

    def step(self, *, everything: bool = False) -> Step:  # noqa: ARG002 - it collects nothing
        """Send the next load, or the next result of a run; samples come first. Raises `StoreError` of the own disk."""
        load = self._outbox.take(self._batch)
        if load is not None:
            return self._send_load(load)
        runs = self._outbox.take_runs()
        return self._send_run(runs[0]) if runs else Step(0, self._idle_s)

    def _send_load(self, load: OutboxLoad) -> Step:
        lines = [line for sample_slice in load.slices for line in self._lines(sample_slice)]
        refused, failure = self._deliver(lines)
        if failure is not None:
            return self._failed(failure)
        self._outbox.acknowledge(load, self._utc_ns(), refused)
        return self._succeeded(load.samples - len(refused))

    def _lines(self, sample_slice: SampleSlice) -> list[str]:
        return sample_lines(sample_slice, self._records.lab(sample_slice.key.run_id))

    def _send_run(self, run: RunToSend) -> Step:
        try:
            dossier = self._records.gather(run.run_id)
        except StoreError as error:
            return self._set_aside(run, error)
        # A deleted run has nothing left to send, and is acknowledged.
        refused, failure = self._deliver([] if dossier is None else result_lines(dossier))
        if failure is not None:
            return self._failed(failure)
        self._outbox.acknowledge_runs([run], self._utc_ns(), refused)
        return self._succeeded(1)

    def _set_aside(self, run: RunToSend, error: StoreError) -> Step:
        """Skip a record that cannot be read here, so that it does not block the others."""
        self._outbox.acknowledge_runs([run], self._utc_ns(), [RefusedLine(f"record of run {run.run_id}", str(error))])
        return self._succeeded(1)

    def _deliver(self, lines: Sequence[str]) -> tuple[list[RefusedLine], InfluxAnswer | None]:
        """Send lines until each is accepted or refused for ever; else give why not, and all of them are sent again.

        Sending again is safe: a point with the same tags and stamp replaces itself. Where a single line is too large,
        it is not the line that is wrong.
        """
        refused: list[RefusedLine] = []
        waiting = list(reversed(list(_cut(lines, self._most_lines))))
        while waiting:
            part = waiting.pop()
            answer = self._server.write(body(part), len(part))
            if answer.verdict is Verdict.SPLIT and len(part) > 1:
                self._learn(answer, len(part))
                waiting += [part[len(part) // 2 :], part[: len(part) // 2]]
            elif answer.verdict in (Verdict.SPLIT, Verdict.REFUSED) and not answer.too_large:
                refused += [RefusedLine(line, answer.cause) for line in part]
            elif answer.verdict is not Verdict.ACCEPTED:
                return refused, answer
        return refused, None

    def _learn(self, answer: InfluxAnswer, lines: int) -> None:
        """Reduce the request size where it was the cause; it grows again while requests succeed."""
        if answer.too_large:
            self._most_lines = max(1, lines // 2)

    def _failed(self, answer: InfluxAnswer) -> Step:
        self._failures += 1
        self._outbox.note_problem(answer.cause, answer.remedy, self._utc_ns())
        problem = SendingProblem(answer.cause, answer.remedy, answer.retry_after_s)
        return Step(0, wait_s(self._failures, self._random, problem.retry_after_s), problem)

    def _succeeded(self, sent: int) -> Step:
        self._failures = 0
        self._most_lines = min(self._batch, 2 * self._most_lines)
        return Step(sent, 0.0)


def _cut(lines: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    for begin in range(0, len(lines), most):
        yield lines[begin : begin + most]
