"""Our simulated BMC: read by curl, its sessions, its certificate."""

from __future__ import annotations

import datetime as dt
import ipaddress
import json
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.redfish.service import RedfishService

from ..conftest import curl

pytestmark = pytest.mark.anyio


def meter_for(entry, timeout_s=5.0):
    password = Path(entry["password_file"]).read_text("utf-8")
    return create_meter(
        MeterSettings(
            "bmc",
            "redfish.bmc",
            entry["url"],
            username=entry["username"],
            password=lambda: password,
            timeout_s=timeout_s,
        )
    )


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

        meter = meter_for(running.entry)
        await meter.open()
        (power, *_) = await meter.read()
        await meter.close()

    assert metrics["PowerWatts"]["Reading"] == power.value == pytest.approx(260, abs=30)
    assert refused.startswith("HTTP/1.1 401")
    assert basic["AssetTag"] == "SIMULATED"
    assert meter.identity.simulated


async def test_sessions_are_closed_and_come_back_after_a_restart(simulated):
    async with simulated("redfish.bmc") as running:
        meter = meter_for(running.entry)
        await meter.open()
        assert running.speaker.sessions == 1
        running.speaker.forget_sessions()
        assert (await meter.read())[0].quality is Quality.GOOD
        assert running.speaker.sessions == 1
        await meter.close()
        assert running.speaker.sessions == 0


def certificate(folder: Path) -> ssl.SSLContext:
    """Make a certificate for 127.0.0.1 that vouches for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "bmc")])
    now = dt.datetime.now(dt.UTC)
    place = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - dt.timedelta(1)).not_valid_after(now + dt.timedelta(1))
        .add_extension(place, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(made.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.pem", folder / "key.pem")
    return context


async def test_tls_is_verified_unless_the_address_says_otherwise(simulated, tmp_path):
    async with simulated("redfish.bmc") as running:
        wire = RedfishService(lambda: 1e9, tmp_path / "tls", tls=certificate(tmp_path))
        running.device.speaker, plain = wire, running.device.speaker
        running.device.step(1.0)
        entry = await wire.start()
        assert entry["url"].startswith("redfish://")
        with pytest.raises(ConnectionFailed, match=r"certificate of 127.0.0.1:\d+ is not trusted.*ca=FILE"):
            await meter_for(entry).open()
        for query in (f"?ca={tmp_path}/ca.pem", "?tls=insecure"):
            meter = meter_for({**entry, "url": entry["url"] + query})
            await meter.open()
            assert (await meter.read())[0].device_time_ns == 1_000_000_000 * 10**9
            await meter.close()
        with pytest.raises(ConfigurationError, match="certificate file /nowhere cannot be read"):
            await meter_for({**entry, "url": entry["url"] + "?ca=/nowhere"}).open()
        await wire.stop()
        running.device.speaker = plain
