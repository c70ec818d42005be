"""A load is bound by what had nothing left."""

from __future__ import annotations

import pytest
from wattmark.analysis.efficiency.bottleneck import Utilisation, bottleneck


@pytest.mark.parametrize(
    ("seen", "expected", "resource", "outcome", "words"),
    [
        (Utilisation(cpu_pct=99.2), "cpu", "cpu", "pass", "The CPUs were 99 % busy: that limited the load."),
        (Utilisation(cpu_pct=97.0), "memory", "memory", "pass", "waiting for memory"),
        (Utilisation(12.0, 40.0, {"sda": 98.0, "sdb": 3.0}), "disk", "disk", "pass", "disk sda was 98 % busy"),
        (Utilisation(30.0, 60.0, {}, {"eth0": 94.0}), "network", "network", "pass", "network eth0 was 94 % busy"),
        (Utilisation(26.0, 99.9), "cpu", "one core", "pass", "One core was 100 % busy, all together 26 %"),
        (
            Utilisation(61.0, 70.0, {"sda": 5.0}),
            "cpu",
            "nothing",
            "fail",
            "Not at full load: CPUs 61 %, disks 5 % busy",
        ),
        (Utilisation(20.0), "requests", "nothing", "not-checked", "The request rate limited the load"),
        (Utilisation(20.0), "gpu", "nothing", "not-checked", "what limited the load is not known: CPUs 20 % busy."),
        (Utilisation(97.0), "gpu", "cpu", "pass", "The CPUs were 97 % busy: that limited the load."),
        (Utilisation(), "cpu", None, "not-checked", "was not recorded"),
    ],
)
def test_the_resource_that_had_nothing_left(
    seen: Utilisation, expected: str, resource: str | None, outcome: str, words: str
) -> None:
    limit = bottleneck(seen, expected)
    assert (limit.resource, limit.verdict.outcome) == (resource, outcome)
    assert words in limit.verdict.text


def test_what_is_throttled_looks_fully_used() -> None:
    limit = bottleneck(Utilisation(100.0), "cpu", throttled=True)
    assert (limit.resource, limit.verdict.outcome) == ("throttling", "not-checked")
    assert "rule thermal-limit" in limit.verdict.text
    assert bottleneck(Utilisation(), "cpu", throttled=True).resource is None
