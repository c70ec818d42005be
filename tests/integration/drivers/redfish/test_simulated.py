"""Our simulated BMC: read by curl, its sessions, its certificate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.reading import Quality
from wattmark_drivers.speakers.redfish.service import RedfishService

from tests.open_meter import open_meter
from tests.web_peer import self_signed, server_tls

from ..conftest import Running, curl


async def test_curl_reads_what_the_meter_reads(simulated):
    async with simulated("redfish.bmc") as running:
        base = running.entry["url"].replace("redfish+http", "http").removesuffix("/1")
        password = Path(running.entry["password_file"]).read_text("utf-8")
        login = json.dumps({"UserName": running.entry["username"], "Password": password})
        sessions = f"{base}/redfish/v1/SessionService/Sessions"
        head = await curl("--include", "--data", login, sessions)
        token = next(line.split()[1] for line in head.splitlines() if line.startswith("X-Auth-Token"))
        metrics = json.loads(
            await curl("-H", f"X-Auth-Token: {token}", f"{base}/redfish/v1/Chassis/1/EnvironmentMetrics")
        )
        refused = await curl("--include", f"{base}/redfish/v1/Chassis")
        basic = json.loads(await curl("-u", f"wattmark:{password}", f"{base}/redfish/v1/Chassis/1"))

        async with open_meter(running.meter()) as meter:
            (power, *_) = await meter.read()

    assert metrics["PowerWatts"]["Reading"] == power.value == pytest.approx(260, abs=30)
    assert refused.startswith("HTTP/1.1 401")
    assert basic["AssetTag"] == "SIMULATED"
    assert meter.identity.simulated


async def test_sessions_are_closed_and_come_back_after_a_restart(simulated):
    async with simulated("redfish.bmc") as running:
        async with open_meter(running.meter()) as meter:
            assert running.speaker.sessions == 1
            running.speaker.forget_sessions()
            assert (await meter.read())[0].quality is Quality.GOOD
            assert running.speaker.sessions == 1
        assert running.speaker.sessions == 0


async def test_tls_is_verified_unless_the_address_says_otherwise(simulated, tmp_path):
    async with simulated("redfish.bmc") as running:
        wire = RedfishService(lambda: 1e9, tmp_path / "tls", tls=server_tls(*self_signed(tmp_path)))
        running.device.speaker, plain = wire, running.device.speaker
        running.device.step(1.0)
        secured = Running("redfish.bmc", running.device, wire, await wire.start())
        assert secured.entry["url"].startswith("redfish://")
        with pytest.raises(ConnectionFailed, match=r"certificate of 127.0.0.1:\d+ is not trusted.*ca=FILE"):
            await secured.meter().open()
        for query in (f"?ca={tmp_path}/ca.pem", "?tls=insecure"):
            async with open_meter(secured.meter(query)) as meter:
                assert (await meter.read())[0].device_time_ns == 1_000_000_000 * 10**9
        with pytest.raises(ConfigurationError, match="certificate file /nowhere cannot be read"):
            await secured.meter("?ca=/nowhere").open()
        await wire.stop()
        running.device.speaker = plain
