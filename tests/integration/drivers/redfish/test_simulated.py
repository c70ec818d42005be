"""Our simulated BMC: read by curl, and by the engine with every fault that it can have."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import json
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.redfish.service import RedfishService

from ..faults import FAULT, leaves

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


async def curl(*arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--show-error", "--noproxy", "*", *arguments, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode()


async def test_curl_reads_what_the_meter_reads(simulated):
    async with simulated() as (_, entry, _):
        base = entry["url"].replace("redfish+http", "http").removesuffix("/1")
        password = Path(entry["password_file"]).read_text("utf-8")
        login = json.dumps({"UserName": entry["username"], "Password": password})
        sessions = f"{base}/redfish/v1/SessionService/Sessions"
        head = await curl("--include", "--data", login, sessions)
        token = next(line.split()[1] for line in head.splitlines() if line.startswith("X-Auth-Token"))
        metrics = json.loads(
            await curl("-H", f"X-Auth-Token: {token}", f"{base}/redfish/v1/Chassis/1/EnvironmentMetrics")
        )
        refused = await curl("--include", f"{base}/redfish/v1/Chassis")
        basic = json.loads(await curl("-u", f"wattmark:{password}", f"{base}/redfish/v1/Chassis/1"))

        meter = meter_for(entry)
        await meter.open()
        (power, *_) = await meter.read()
        await meter.close()

    assert metrics["PowerWatts"]["Reading"] == power.value == pytest.approx(260, abs=30)
    assert refused.startswith("HTTP/1.1 401")
    assert basic["AssetTag"] == "SIMULATED"
    assert meter.identity.simulated


async def test_sessions_are_closed_and_come_back_after_a_restart(simulated):
    async with simulated() as (wire, entry, _):
        meter = meter_for(entry)
        await meter.open()
        assert wire.sessions == 1
        wire.forget_sessions()
        assert (await meter.read())[0].quality is Quality.GOOD
        assert wire.sessions == 1
        await meter.close()
        assert wire.sessions == 0


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ({"kind": "delay", "seconds": 1.2}, Quality.RETRIED),
        ({"kind": "drop"}, Quality.RETRIED),
        ({"kind": "disconnect"}, Quality.RETRIED),
        ({"kind": "garbage"}, Quality.RETRIED),
        ({"kind": "http-status", "code": 500}, BadReply),
        ({"kind": "http-status", "code": 404}, BadReply),
        ({"kind": "http-status", "code": 503}, BadReply),
        ({"kind": "drop", "count": 2}, ConnectionFailed),
        ({"kind": "wrong-value", "channel": "power", "value": -1}, Quality.IMPLAUSIBLE),
        ({"kind": "wrong-value", "channel": "power"}, Quality.INVALID),
    ],
)
async def test_a_fault_is_a_flag_or_a_gap(simulated, fault, outcome):
    async with simulated() as (wire, entry, _):
        await leaves(meter_for(entry, timeout_s=0.6), wire, fault, outcome)


async def test_only_power_can_be_falsified(simulated):
    async with simulated() as (wire, _, _):
        with pytest.raises(ConfigurationError, match="It has: power"):
            wire.inject(FAULT.validate_python({"kind": "wrong-value", "channel": "fan_1", "value": 1}))


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
    async with simulated() as (_, _, device):
        wire = RedfishService(lambda: 1e9, tmp_path / "tls", tls=certificate(tmp_path))
        device.speaker, plain = wire, device.speaker
        device.step(1.0)
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
        device.speaker = plain
