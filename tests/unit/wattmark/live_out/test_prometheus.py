"""/metrics with the watts of the meters, as Prometheus' own parser reads it."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families
from wattmark.service.figures import publish_meters
from wattmark.service.metrics.figures import Figures
from wattmark_drivers.reading import Quality

from .conftest import Lab

OF_METERS = ("wattmark_power", "wattmark_energy", "wattmark_reading", "wattmark_excluded")
Series = dict[tuple[str, frozenset[tuple[str, str]]], float]


def series(lab: Lab) -> Series:
    figures = Figures()
    publish_meters(figures, lab.live_out)
    families = text_string_to_metric_families(figures.text().decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
        if sample.name.startswith(OF_METERS)
    }


def key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


def test_every_figure_with_its_unit_and_labels(lab: Lab) -> None:
    """Base units and suffixes as prometheus.io/docs/practices/naming asks for: watts, joules, seconds, _total."""
    lab.add(simulated=True)
    lab.seconds(230.0, 231.5)
    place = {"meter": "wall", "server": "r1", "role": "wall", "simulated": "true"}
    assert series(lab) == {
        key("wattmark_power_watts", **place, quality="good"): 231.5,
        key("wattmark_energy_joules_total", **place): pytest.approx(231.5),
        key("wattmark_reading_age_seconds", meter="wall"): 0.0,
        key("wattmark_excluded_readings_total", meter="wall"): 0.0,
    }


def test_a_stale_meter_keeps_its_counter_and_its_age_alone(lab: Lab) -> None:
    lab.add()
    lab.seconds(230.0, 231.5)
    lab.clock.pass_s(60.0)
    names = {name for name, _ in series(lab)}
    assert "wattmark_power_watts" not in names
    assert series(lab)[key("wattmark_reading_age_seconds", meter="wall")] == pytest.approx(60.0)


def test_a_meter_of_several_servers_and_one_of_none_are_named(lab: Lab) -> None:
    lab.add("rack", server=None, shared=("r1", "r2"))
    lab.add("room", server=None)
    for name in ("rack", "room"):
        lab.seconds(100.0, name=name)
    shown = {dict(labels)["meter"]: dict(labels)["server"] for name, labels in series(lab) if "watts" in name}
    assert shown == {"rack": "r1,r2", "room": ""}


def test_there_are_four_series_a_meter_however_long_it_runs(lab: Lab) -> None:
    for place in range(10):
        lab.add(f"pdu-{place}")
    for second in range(50):
        lab.clock.pass_s(1.0)
        for place in range(10):
            lab.read(100.0 + second, f"pdu-{place}", quality=Quality.RETRIED if second % 2 else Quality.GOOD)
    assert len(series(lab)) == 4 * 10


def test_nothing_is_there_until_the_bench_asks_for_it() -> None:
    lab = Lab(outputs="{}")
    lab.add()
    lab.seconds(230.0)
    assert series(lab) == {}
