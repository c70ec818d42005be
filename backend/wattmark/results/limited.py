"""What limited the load of a run, from what the host's channels showed in the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wattmark_drivers.reading import UNUSABLE

from wattmark.analysis.bottleneck import RULE, Bottleneck, Utilisation, bottleneck
from wattmark.analysis.verdict import not_applicable
from wattmark.analysis.window import Window
from wattmark.results.series import UTILISATION, is_host, merge
from wattmark.runs.record import RunRecord
from wattmark.storage.sample_store import Samples, SampleStore, Series

BUSIEST = "cpu_busiest_core"
THROTTLED = "cpu_throttle_events"
DISKS, LINKS = "disk_utilisation", "network_utilisation"
SUFFIX = "_utilisation"


def limited(run: RunRecord, series: Sequence[Series], store: SampleStore, window: Window | None) -> Bottleneck | None:
    """Name what limited the load over the window; None where nothing was asked for, or nothing was recorded."""
    workload = run.disclosure.get("workload")
    idle = (run.disclosure.get("task") or {}).get("task") == "idle"
    if window is None or idle or not isinstance(workload, dict):
        return None
    seen = utilisation_of_host(series, store, window)
    if seen.cpu_pct is None:
        return None
    held_back = bottleneck(seen, str(workload.get("limited_by", "cpu")))
    if held_back.resource == "nothing" and run.full_load_limit_pct is None:
        text = f"{held_back.verdict.text} This level is not meant to be full load."
        return replace(held_back, verdict=not_applicable(RULE, held_back.verdict.limit, "%", text))
    return held_back


def utilisation_of_host(series: Sequence[Series], store: SampleStore, window: Window) -> Utilisation:
    """Gather mean utilisations [%] and throttle events of the window, (begin, end] in UTC nanoseconds."""
    host = [one for one in series if is_host(one.key.source)]

    def mean(channel: str) -> float | None:
        samples = _samples(channel, host, store, window)
        return float(samples.value.mean()) if len(samples) else None

    def means(quantity: str) -> dict[str, float]:
        channels = dict.fromkeys(one.key.channel for one in host if one.key.quantity == quantity)
        found = {channel.removesuffix(SUFFIX): mean(channel) for channel in channels}
        return {name: value for name, value in found.items() if value is not None}

    events = _samples(THROTTLED, host, store, window)
    return Utilisation(
        cpu_pct=mean(UTILISATION),
        busiest_core_pct=mean(BUSIEST),
        disks=means(DISKS),
        links=means(LINKS),
        throttle_events=float(events.value[-1] - events.value[0]) if len(events) > 1 else None,
    )


def _samples(channel: str, host: Sequence[Series], store: SampleStore, window: Window) -> Samples:
    mine = [one for one in host if one.key.channel == channel]
    samples = merge([store.read(one.id, window.begin_ns + 1, window.end_ns) for one in mine])
    good = (samples.quality & UNUSABLE) == 0
    return Samples(samples.t_ns[good], samples.value[good], samples.quality[good], samples.u_t_s[good])
