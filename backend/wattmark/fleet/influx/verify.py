"""Sum InfluxDB's samples of a run, to compare them with the local recording."""

from __future__ import annotations

from collections import defaultdict
from typing import Protocol

from wattmark.fleet.influx.groups import Group
from wattmark.fleet.influx.lines import stored_tag
from wattmark.fleet.influx.questions import totals
from wattmark.fleet.sending.compared import ComparedSeries, Place, Total, compare_totals, recorded_totals
from wattmark.store.sample_store import SampleStore


class AskedForGroups(Protocol):
    """What answers questions whose rows are grouped: a connection."""

    def groups(self, influxql: str) -> list[Group]:
        """Return the first row of each group. Raises `StoreError`."""
        ...


def verify_run(run_id: str, samples: SampleStore, server: AskedForGroups) -> list[ComparedSeries]:
    """Compare all series of a run, those that only one side has included. Raises `StoreError`."""
    return compare_totals(recorded_totals(run_id, samples, stored_tag), _received(run_id, server))


def _received(run_id: str, server: AskedForGroups) -> dict[Place, list[Total]]:
    totals_by_place: defaultdict[Place, list[Total]] = defaultdict(list)
    for tags, row in server.groups(totals(run_id)):
        n, total, n_other = (row[name] or 0 for name in ("n", "total", "n_other"))
        place = tags["server"], tags["source"], tags["channel"]
        totals_by_place[place].append(Total(int(n), int(n_other), float(total)))
    return totals_by_place
