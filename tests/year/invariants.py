"""The invariants that must hold whatever happens, judged by what an observer has seen and by the planted truth."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import numpy as np
from wattmark.core.errors import WattmarkError
from wattmark.results.data_folder import Storage
from wattmark.results.state import run_state
from wattmark.runs.record import RunStatus
from wattmark.service.service import Service

from tests.year.watch import LOOK_S, Watch
from tests.year.world import DIMMS

FLEET_PATIENCE_S = 900.0
"""Simulated time within which everything has reached the fleet's store, when nothing is in its way."""
FAR = 4.0
"""A ranked figure farther from the truth than so many half-widths of its interval is wrong, and not by chance."""


def judge(watch: Watch) -> None:
    """Note what is broken of all that a campaign leaves behind in the service and its store."""
    service = watch.world.service
    if service is None:
        return
    for rule in (_rows, _runs, _places, _samples, _notes, _figures):
        for sentence in rule(watch, service):
            watch.break_(sentence)


def _rows(_: Watch, service: Service) -> Iterator[str]:
    """Each row of the run table has a result or a reason."""
    for row in service.campaigns.status.runs:
        if row.state == "failed" and not row.reason:
            yield f"row {row.order} failed without a reason"
        if row.state == "complete" and row.efficiency is None and not (row.reason or row.judged):
            yield f"row {row.order} is complete with neither result nor reason"


def _runs(_: Watch, service: Service) -> Iterator[str]:
    """No run is left running, and each that failed says why."""
    for record in _storage(service).runs.all():
        if record.status is RunStatus.RUNNING:
            yield f"run {record.run_id} is still running after its campaign"
        if record.status is RunStatus.FAILED and not record.reason:
            yield f"run {record.run_id} failed without a reason"


def _places(_: Watch, service: Service) -> Iterator[str]:
    """Nobody holds a place in the reader when nobody asks."""
    for kind, lane in service.reader.lanes.items() if service.reader is not None else ():
        if lane.answering or lane.waiting:
            yield f"{lane.answering} places for {kind} are taken and {lane.waiting} waited for by nobody"


def _samples(watch: Watch, service: Service) -> Iterator[str]:
    """What the store has acknowledged is there, once."""
    for series, acknowledged in watch.samples.items():
        try:
            stored = _storage(service).samples.read(series)
        except WattmarkError as error:
            yield f"series {series} cannot be read: {error}"
            continue
        if len(stored) < acknowledged:
            yield f"series {series}: {acknowledged} samples acknowledged, {len(stored)} stored"
        doubled = len(stored) - len(np.unique(np.stack([stored.t_ns, stored.value.view(np.int64)], 1), axis=0))
        if doubled and not watch.world.clock.steps:  # a clock that is set back gives two samples one stamp
            yield f"series {series}: {doubled} samples are stored twice"


def _notes(watch: Watch, service: Service) -> Iterator[str]:
    """Notes and tags that were acknowledged are there."""
    for run, note in watch.notes.items():
        stored = service.annotations.of(run).note
        if stored != note:
            yield f"note of {run}: acknowledged {note!r}, stored {stored!r}"
    for run, tags in watch.tags.items():
        missing = tags - set(service.annotations.of(run).tags)
        if missing:
            yield f"tags of {run} were acknowledged and are not stored: {', '.join(sorted(missing))}"


def _figures(watch: Watch, service: Service) -> Iterator[str]:
    """A ranked figure is near the truth; how often its interval holds it is counted over all schedules."""
    model = watch.world.machine.server.model
    for record, result in service.results.measured("scripted"):
        figure = result.efficiency
        if figure is None or figure.U95 is None or "efficiency" not in run_state(result).ranked:
            continue
        truth = watch.world.lab.units_per_s / model.wall_power_w(1.0, DIMMS[record.configuration])
        watch.ranked.append((figure.value, figure.U95, truth))
        if abs(figure.value - truth) > FAR * figure.U95:
            yield (
                f"run {record.run_id} is ranked with {figure.value:.6g} ± {figure.U95:.2g}, "
                f"and the truth is {truth:.6g}"
            )


async def fleet_has_all(watch: Watch) -> None:
    """Wait until the fleet's store has every sample of this appliance, once; note what it has not."""
    service, loop = watch.world.service, watch.world.loop
    if not watch.world.lab.sends or service is None:
        return
    until_s = loop.time() + FLEET_PATIENCE_S
    while (differing := _differing(watch, service)) and loop.time() < until_s:
        await asyncio.sleep(LOOK_S)
    for run, (here, there) in differing.items():
        watch.break_(f"run {run}: {here} samples here, {there} at the fleet's store")


def _differing(watch: Watch, service: Service) -> dict[str, tuple[int, int]]:
    """Return the number of samples here and there of each run where they are not the same."""
    storage, here = _storage(service), Counter[str]()
    for record in storage.runs.all():
        for series in storage.samples.list_series(record.run_id):
            here[record.run_id] += len(storage.samples.read(series.id))
    there = watch.world.fleet.samples_by_run()
    return {run: (here[run], there[run]) for run in {**here, **there} if here[run] != there[run]}


def _storage(service: Service) -> Storage:
    return service._storage
