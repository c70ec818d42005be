"""VictoriaMetrics as a sink: what it keeps, and the limits that the README of the room states."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import quote
from uuid import uuid4

import numpy as np
from wattmark.fleet.influx.connection import V2
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.results.data_folder import Storage

from .proxy import Fault, proxy_to
from .recorded import T0, Drain, key, ordinary, record
from .servers import Server

Make = Callable[..., InfluxSettings]


def exported(victoria: Server, run_id: str) -> tuple[list[int], list[float]]:
    """Read the samples that VictoriaMetrics has of a run: stamps [ms] and values."""
    victoria.request("/internal/force_flush")
    match = quote('{__name__="wattmark_value",run="' + run_id + '",channel="power"}')
    lines = victoria.request(f"/api/v1/export?match[]={match}&reduce_mem_usage=0").splitlines()
    series = [json.loads(line) for line in lines]
    stamps = [stamp for line in series for stamp in line["timestamps"]]
    return stamps, [value for line in series for value in line["values"]]


def test_samples_arrive_with_stamps_cut_to_milliseconds(victoria: Server, storage: Storage, settings_for: Make) -> None:
    run_id = str(uuid4())
    storage.runs.put(record(run_id))
    samples = ordinary(3000, 1)
    storage.samples.append([(storage.samples.series(key(run_id)).id, samples)])
    drain = Drain(storage, settings_for(victoria))
    assert drain.all() == []
    assert drain.connection.write_path == V2
    stamps, values = exported(victoria, run_id)
    assert stamps == (samples.t_ns // 10**6).tolist()
    np.testing.assert_allclose(values, samples.value, rtol=2e-12)


def test_what_was_sent_twice_is_there_once_where_it_removes_duplicates(
    victoria: Server, storage: Storage, settings_for: Make
) -> None:
    """The tests start it with -dedup.minScrapeInterval=1ms, as the README asks for."""
    run_id = str(uuid4())
    storage.runs.put(record(run_id))
    storage.samples.append([(storage.samples.series(key(run_id)).id, ordinary(100, 1))])
    with proxy_to(victoria.port) as proxy:
        drain = Drain(storage, settings_for(victoria).model_copy(update={"url": proxy.url}))
        proxy.script = [Fault(500, "answer lost", forward=True)] * 3
        assert len(drain.all()) == 3
    victoria.request("/internal/force_flush")
    query = quote('count_over_time(wattmark_value{run="' + run_id + '"}[1h])')
    answer = json.loads(victoria.request(f"/api/v1/query?query={query}&time={T0 // 10**9 + 60}&nocache=1"))
    assert answer["data"]["result"][0]["value"][1] == "100"
