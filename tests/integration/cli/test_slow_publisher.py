"""A plug that publishes too rarely for the window of a plan is refused before anything gets hot; its pace is said."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt
import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedDevice, SimulatedLab

WATTMARK = Path(sys.executable).with_name("wattmark")
SPEC = {
    "servers": {"s": {"idle_w": 60.0, "dynamic_w": 60.0, "dimms": 2}},
    "devices": {"plug": {"model": "tasmota.mqtt", "measures": ["s"]}},
}
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: tasmota.mqtt, url: "{url}", user: {user}, password_file: "{password}", options: {{listen: "on"}},
     feeds: [{{server: s}}]}}
plans:
  - {{name: short, configurations: [s/c], workloads: [openssl.rsa512-sign], repeats: 1, idle_s: 0, settle_s: 0.5,
     measure_s: 30, hold_s: 0.5}}
"""


def wattmark(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(WATTMARK), *arguments], capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture
def plug() -> Iterator[SimulatedDevice]:
    """A plug that publishes every 2 s."""
    broker = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    assert broker, "mosquitto is missing: apt-get install mosquitto"
    with SimulatedLab(SPEC) as lab:
        device = lab.devices["plug"]
        assert device.url
        assert device.password_file
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        client.username_pw_set(device.username, device.password_file.read_text("utf-8"))
        client.connect("127.0.0.1", urlsplit(device.url).port or 0)
        client.loop_start()
        ended = threading.Event()

        def publish() -> None:
            while not ended.wait(2.0):
                client.publish("tele/sim-plug/SENSOR", '{"ENERGY": {"Power": 100}}')

        thread = threading.Thread(target=publish)
        thread.start()
        yield device
        ended.set()
        thread.join()
        client.disconnect()
        client.loop_stop()


def test_a_plan_with_a_meter_that_publishes_too_rarely_starts_nothing(plug: SimulatedDevice, tmp_path: Path) -> None:
    file = tmp_path / "bench.yaml"
    file.write_text(BENCH.format(url=plug.url, user=plug.username, password=plug.password_file))
    done = wattmark("run", str(file), "--data", str(tmp_path / "data"))
    assert done.returncode == 1
    assert re.search(
        r"Nothing was started: wall publishes (a reading every|no reading for) \d+(\.\d+)? s, and a window of 30 s "
        r"needs 20 readings, one every 1\.5 s\. Set TelePeriod 10 in the console",
        " ".join(done.stderr.split()),
    ), done.stderr


def test_the_pace_and_the_age_of_the_newest_reading_are_said(plug: SimulatedDevice) -> None:
    done = wattmark(
        "meter",
        "check",
        f"{plug.url}?model=tasmota.mqtt&listen=on",
        *("--user", str(plug.username), "--password-file", str(plug.password_file), "--seconds", "7"),
    )
    words = " ".join((done.stdout + done.stderr).split())
    assert re.search(r"publishes a reading every \d+(\.\d+)? s \(\d seen\), and the newest reading is", words), words
