"""A run is read once; what comes after needs no store."""

from __future__ import annotations

from collections import Counter

from wattmark.analysis.efficiency.run import analyse_run
from wattmark.results.evaluate import assemble, evaluate
from wattmark.results.loaded import load_run

from .whole_run import BEGIN_NS, NS, SECONDS, whole_run


def test_each_series_is_read_once_for_each_stretch_of_time() -> None:
    run, store = whole_run()
    reads: Counter[tuple[int, int | None, int | None]] = Counter()
    read = store.read

    def counted(series_id: int, begin_ns: int | None, end_ns: int | None) -> object:
        reads[series_id, begin_ns, end_ns] += 1
        return read(series_id, begin_ns, end_ns)

    store.read = counted
    load_run(run, store)
    assert set(reads.values()) == {1}
    over_the_load = [
        series_id
        for series_id, begin_ns, end_ns in reads
        if (begin_ns is None or begin_ns < BEGIN_NS) and (end_ns is None or end_ns > BEGIN_NS + SECONDS * NS)
    ]
    assert sorted(over_the_load) == sorted(series.id for series in store.list_series("r1"))


def test_what_was_loaded_gives_the_result_without_the_store() -> None:
    run, store = whole_run()
    loaded = load_run(run, store)
    store.rows.clear()
    assert assemble(loaded, analyse_run(loaded.input)) == evaluate(*whole_run())
