"""Our simulated plugs, read by curl."""

from __future__ import annotations

import json

import pytest

from ..conftest import curl


@pytest.mark.parametrize(
    ("model", "target", "login", "pointer"),
    [
        ("shelly.plusplugs", "/rpc/Switch.GetStatus?id=0", "--digest", ("apower",)),
        ("shelly.plugs", "/status", "--basic", ("meters", 0, "power")),
        ("tasmota.plug", "/cm?cmnd=Status%208", "", ("StatusSNS", "ENERGY", "Power")),
    ],
)
async def test_curl_logs_in_and_reads_what_the_meter_reads(simulated, model, target, login, pointer):
    async with simulated(model) as running:
        base = running.entry["url"].rstrip("01").rstrip("/")
        user = ("--user", f"admin:{running.password}", login) if login else ()
        more = "" if login else f"&user=admin&password={running.password}"
        answer = json.loads(await curl(*user, base + target + more))
        refused = await curl("--include", base + target)
        meter = running.meter()
        await meter.open()
        (power, *_) = await meter.read()
        await meter.close()
    for key in pointer:
        answer = answer[key]
    assert answer == power.value
    assert answer > 100
    assert refused.startswith("HTTP/1.1 401") if login else "WARNING" in refused
