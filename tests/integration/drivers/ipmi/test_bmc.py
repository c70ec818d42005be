"""A real ipmitool against a real IPMI session: readings, fallbacks, refusals, restarts."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import signal
import time
from pathlib import Path

import pytest
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import Exchanged
from wattmark_drivers.factory import create_meter
from wattmark_drivers.ipmi import sdr, shell
from wattmark_drivers.reading import Kind, Quality
from wattmark_drivers.sampler import Sampler, SamplerState
from wattmark_drivers.settings import MeterSettings

from tests.open_meter import open_meter

from .conftest import SENSORS, HastyBmc

NS = 1_000_000_000


def meter(url: str, username: str = "admin", password: str = "secret1", clock: Clock | None = None):
    return create_meter(MeterSettings("bmc", "ipmi.bmc", url, username=username, password=lambda: password), clock)


class TimeOfBmc:
    """The BMC's own time for a meter: it passes while the meter sleeps, in all for so many seconds."""

    def __init__(self, bmc: HastyBmc, lasts_s: float) -> None:
        self._bmc = bmc
        self._left_s = lasts_s
        self.over = asyncio.Event()

    def utc_ns(self) -> int:
        return time.time_ns()

    def monotonic_ns(self) -> int:
        return self._bmc.passed_ns

    async def sleep(self, seconds: float) -> None:
        if self._left_s <= 0:
            self.over.set()
            await asyncio.Event().wait()
        self._left_s -= seconds
        await self._bmc.pass_s(seconds)


@pytest.fixture
async def opened(bmc):
    """Open a meter on the BMC."""
    session = meter(bmc.url())
    await session.open()
    yield session
    await session.close()


@pytest.fixture
def impatient(monkeypatch):
    """Let ipmitool send once only, so that silence costs less time."""
    monkeypatch.setattr(shell, "PATIENCE", ("-N", "1", "-R", "1"))


async def poll(session) -> dict[str, tuple[float, Quality]]:
    return {reading.channel: (reading.value, reading.quality) for reading in await session.read()}


async def test_power_by_dcmi_and_all_sensors(opened):
    assert await poll(opened) == {
        "power": (623, Quality.GOOD),
        "inlet_temp": (24, Quality.GOOD),
        "sensor_03h_29_1": (8400, Quality.GOOD),
        "psu1_input_power": (312, Quality.GOOD),
        "psu1_voltage": (230, Quality.GOOD),
        "pwr_consumption": (616, Quality.GOOD),
    }
    assert [(item.id, item.unit) for item in opened.channels] == [
        ("power", "W"), ("inlet_temp", "°C"), ("sensor_03h_29_1", "RPM"), ("psu1_input_power", "W"),
        ("psu1_voltage", "V"), ("pwr_consumption", "W"),
    ]  # fmt: skip
    assert opened.identity.indicative
    assert opened.identity.power_accuracy is None


async def test_the_bmcs_own_stamp_is_kept(opened, bmc):
    bmc.show_dcmi(500, time_s=1_795_000_000)
    before_ns = time.time_ns()
    power = (await opened.read())[0]
    assert power.device_time_ns == 1_795_000_000 * NS
    assert before_ns < power.t_ns < time.time_ns()
    assert power.u_t_ns > 0
    assert power.kind is Kind.INSTANTANEOUS


async def test_a_standing_stamp_is_stale_and_an_inactive_meter_invalid(opened, bmc):
    assert (await poll(opened))["power"] == (623, Quality.GOOD)
    await asyncio.sleep(1.6)
    assert (await poll(opened))["power"] == (623, Quality.GOOD)
    await asyncio.sleep(1.6)
    assert (await poll(opened))["power"] == (623, Quality.STALE)
    bmc.show_dcmi(623, time_s=1_795_234_340)
    assert (await poll(opened))["power"] == (623, Quality.GOOD)
    bmc.show_dcmi(0, time_s=1_795_234_341, state=0)
    assert (await poll(opened))["power"] == (0, Quality.INVALID)


async def test_sensors_are_listed_less_often_than_power_is_read(opened):
    assert len(await opened.read()) == 6
    assert [reading.channel for reading in await opened.read()] == ["power"]


async def test_an_8_bit_sensor_at_its_end_says_so(bmc):
    bmc.answer_dcmi("")
    bmc.show(5, 2000)
    await asyncio.sleep(0.3)
    session = meter(bmc.url())
    await session.open()
    try:
        # 255 x 4 W: the sensor sticks there with state ok.
        assert (await poll(session))["psu1_input_power"] == (1020, Quality.SATURATED)
    finally:
        await session.close()
        bmc.show(5, 312)
        await asyncio.sleep(0.3)


async def test_without_dcmi_the_sensors_give_the_power(bmc):
    bmc.answer_dcmi("")
    async with open_meter(meter(bmc.url())) as session:
        for _ in range(2):
            assert (await poll(session))["power"] == (616, Quality.GOOD)
        assert next(item.label for item in session.channels if item.id == "power") == "Pwr Consumption"


async def test_a_user_without_the_privilege_is_told_and_gets_the_sensors(bmc, caplog):
    session = meter(bmc.url("?privilege=USER"), "meter", "watts")
    with caplog.at_level(logging.WARNING):
        await session.open()
    assert "insufficient privilege level" in caplog.text
    assert "privilege=OPERATOR" in caplog.text
    assert (await poll(session))["power"] == (616, Quality.GOOD)
    await session.close()


async def test_a_reading_that_needs_more_rights_names_the_session_s(bmc, caplog):
    """Issue 18, I9."""
    session = meter(bmc.url("?privilege=USER"), "meter", "watts")
    with caplog.at_level(logging.WARNING):
        await session.open()
    assert "in a session with privilege USER: 0xd4" in caplog.text
    await session.close()


async def test_power_of_a_bmc_that_says_it_measures_none_is_taken_and_said(bmc, caplog):
    """Issue 18, I5: the state bit is off and the time 1970 (openbmc 3257: 319 W)."""
    bmc.show_dcmi(319, time_s=0, state=0)
    session = meter(bmc.url())
    with caplog.at_level(logging.WARNING):
        await session.open()
    assert "gives 319 W by DCMI but reports that its power measurement is off" in caplog.text
    assert session.channels[0].label == "Server power (DCMI, which the BMC says is switched off)"
    (power, *_) = await session.read()
    assert (power.value, power.quality, power.device_time_ns) == (319, Quality.GOOD, None)
    await asyncio.sleep(3.3)
    assert (await poll(session))["power"] == (319, Quality.GOOD), "without a time nothing tells that it is stale"
    await session.close()


async def test_zero_watts_are_no_measurement(bmc, opened):
    """Issue 18, I10: Supermicro without PMBus gives 0 W, state active."""
    bmc.show_dcmi(0, time_s=1_795_234_380)
    assert (await poll(opened))["power"] == (0, Quality.INVALID)
    session = meter(bmc.url())
    await session.open()
    assert session.channels[0].label == "Pwr Consumption", "the sensor shows watts, so it is read instead"
    assert (await poll(session))["power"] == (616, Quality.GOOD)
    bmc.show(8, 0)
    await asyncio.sleep(0.3)
    try:
        assert (await poll(session))["power"] == (0, Quality.INVALID)
    finally:
        bmc.show(8, 616)
        await session.close()
        await asyncio.sleep(0.3)


async def test_the_supplies_are_summed_where_no_sensor_is_the_server_s(supplies_bmc):
    """Issue 18, I2 and I4: two inputs, and "Power Supply 1", which is no server."""
    async with open_meter(meter(supplies_bmc.url())) as session:
        assert session.channels[0].label == "Sum of the supplies: PS1 Power In + PS2 Power In"
        assert await poll(session) == {
            "power": (292, Quality.GOOD),
            "ps1_power_in": (132, Quality.GOOD),
            "ps2_power_in": (160, Quality.GOOD),
            "power_supply_1": (36, Quality.GOOD),
        }
        supplies_bmc.show(6, 2000)
        await asyncio.sleep(0.3)
        # 255 x 4 W: the sensor of one supply is at its end, and so the sum is too low.
        assert (await poll(session))["power"] == (132 + 1020, Quality.SATURATED)
        for number in (5, 6):
            supplies_bmc.show(number, 0)
        await asyncio.sleep(0.3)
        assert (await poll(session))["power"] == (0, Quality.INVALID)


async def test_a_refused_reading_is_a_gap_with_its_reason(opened, bmc):
    bmc.answer_dcmi("code c0")
    with pytest.raises(BadReply, match=r"0xc0 \(node busy\)"):
        await opened.read()
    bmc.show_dcmi(600, time_s=1_795_234_350)
    assert (await poll(opened))["power"] == (600, Quality.GOOD)


async def test_an_answer_that_is_no_power_reading_is_a_gap(opened, bmc):
    bmc.answer_dcmi("dc 01 02")
    with pytest.raises(BadReply, match="3 bytes long instead of 18"):
        await opened.read()


@pytest.mark.parametrize(("username", "password"), [("admin", "wrong"), ("nobody", "secret1"), ("admin", "")])
async def test_wrong_credentials(bmc, username, password):
    with pytest.raises(AuthenticationFailed) as caught:
        await meter(bmc.url(), username, password).open()
    assert "there is no BMC" in str(caught.value)
    assert "password" in str(caught.value)
    assert "wrong" not in str(caught.value)


async def test_a_password_that_cannot_be_had(bmc):
    def password() -> str:
        raise OSError("BMC_PASSWORD is not set")

    session = create_meter(MeterSettings("bmc", "ipmi.bmc", bmc.url(), username="admin", password=password))
    with pytest.raises(ConfigurationError, match="BMC_PASSWORD is not set"):
        await session.open()


@pytest.mark.parametrize("password", ["secret1\nsecond line", "secret1\0", "x" * 21])
async def test_a_password_that_ipmi_cannot_take_whole(bmc, password):
    with pytest.raises(ConfigurationError, match="longer than 20 bytes or more than a line"):
        await meter(bmc.url(), password=password).open()


async def test_an_unknown_cipher_suite(bmc):
    with pytest.raises(AuthenticationFailed, match="cipher suite 17"):
        await meter(bmc.url("?cipher=17")).open()


async def test_ipmitool_is_missing(bmc, monkeypatch):
    monkeypatch.setenv("PATH", str(bmc.folder))
    with pytest.raises(ConfigurationError, match="apt-get install ipmitool"):
        await meter(bmc.url()).open()


async def test_a_restarted_bmc_gets_a_new_session_after_two_failures(impatient, opened, bmc):
    bmc.stop()
    bmc.start()
    bmc.show_dcmi(700, time_s=1_795_234_360)
    with pytest.raises(BadReply, match="does not answer"):
        await opened.read()
    assert (await poll(opened))["power"] == (700, Quality.GOOD)
    assert (await poll(opened))["power"] == (700, Quality.GOOD)


async def test_another_bmc_behind_the_same_address_is_noticed_in_the_new_session(impatient, opened, bmc):
    """Row 13 of the review: a new session was opened within a read, and nobody asked with whom."""
    assert opened.identity.serial == "GUID a123456789abcdefa123456789abcdef"
    bmc.stop()
    configuration = bmc.folder / "lan.conf"
    configuration.write_text(configuration.read_text().replace("guid a123", "guid b222"))
    try:
        bmc.start()
        with pytest.raises(BadReply, match="does not answer"):
            await opened.read()
        with pytest.raises(Exchanged, match=r"^Meter bmc answered as serial GUID b222\w+, was GUID a123\w+\."):
            await opened.read()
        await opened.open()
        assert opened.identity.serial.startswith("GUID b222")
    finally:
        bmc.stop()
        configuration.write_text(configuration.read_text().replace("guid b222", "guid a123"))
        bmc.start()


async def test_a_frozen_bmc_recovers_without_a_new_session(impatient, opened, bmc):
    bmc.freeze()
    with pytest.raises(BadReply, match="does not answer"):
        await opened.read()
    bmc.thaw()
    await asyncio.sleep(0.2)
    assert (await poll(opened))["power"] == (623, Quality.GOOD)


async def test_a_killed_ipmitool_is_replaced(opened):
    os.kill(opened._shell.child.pid, signal.SIGKILL)
    assert (await poll(opened))["power"] == (623, Quality.GOOD)


async def test_an_answer_to_a_cancelled_read_is_not_taken_for_the_next(opened, bmc):
    bmc.freeze()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(opened.read(), 0.1)
    bmc.thaw()
    await asyncio.sleep(0.2)
    bmc.show_dcmi(444, time_s=1_795_234_370)
    assert (await poll(opened))["power"] == (444, Quality.GOOD)


async def test_a_sampler_reports_a_dead_bmc(impatient, bmc):
    states: asyncio.Queue[SamplerState] = asyncio.Queue()
    sampler = Sampler(meter(bmc.url()), period_s=0.1, on_readings=lambda *_: None, on_state=states.put_nowait)
    task = asyncio.create_task(sampler.run())
    assert [(await asyncio.wait_for(states.get(), 30)).state for _ in range(2)] == ["connecting", "ok"]
    bmc.stop()
    lost = await asyncio.wait_for(states.get(), 30)
    assert lost.state == "lost"
    assert "there is no BMC" in str(lost.problem)
    bmc.start()
    assert (await asyncio.wait_for(states.get(), 30)).state == "ok"
    began = time.monotonic()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert time.monotonic() - began < 15, "no waiting for a BMC that answers no more"


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


async def test_the_password_is_on_no_command_line_in_no_environment_and_in_no_file(opened, bmc):
    pid, home = opened._shell.child.pid, opened._shell.child.home
    assert b"ipmitool" in command_line(pid)
    assert b"secret1" not in command_line(pid)
    assert not [path for path in home.rglob("*") if path.is_file() and b"secret1" in path.read_bytes()]
    assert b"secret1" not in Path(f"/proc/{pid}/environ").read_bytes()


async def test_closing_ends_the_session_the_process_and_its_folder(opened):
    pid, home = opened._shell.child.pid, opened._shell.child.home
    await opened.close()
    assert not Path(f"/proc/{pid}").exists()
    assert not home.exists()
    with pytest.raises(ConnectionFailed, match="not open"):
        await opened.read()


async def test_a_bmc_that_never_heard_of_dcmi_gives_its_sensor(plain_bmc):
    async with open_meter(meter(plain_bmc.url())) as session:
        assert session.channels[0].id == "power"
        assert (await poll(session))["power"] == (616, Quality.GOOD)
        assert {name for name, _ in (await poll(session)).items()} >= {"inlet_temp", "psu1_input_power"}


async def test_a_session_that_idled_for_two_minutes_is_opened_anew(impatient, hasty_bmc, monkeypatch):
    monkeypatch.setattr(shell, "IDLE_S", 3600)
    async with open_meter(meter(hasty_bmc.url())) as session:
        assert (await poll(session))["power"] == (623, Quality.GOOD)
        pid = session._shell.child.pid
        await hasty_bmc.pass_s(120)
        with pytest.raises(BadReply, match="does not answer"):
            await session.read()
        hasty_bmc.show_dcmi(640, time_s=1_795_234_400)
        assert (await poll(session))["power"] == (640, Quality.GOOD)
        assert session._shell.child.pid != pid


async def test_signs_of_life_carry_a_session_over_two_idle_minutes(impatient, hasty_bmc):
    """The meter sleeps on the BMC's time, so that no sign of life is late on a busy machine."""
    clock = TimeOfBmc(hasty_bmc, 120)
    async with open_meter(meter(hasty_bmc.url(), clock=clock)) as session:
        assert (await poll(session))["power"] == (623, Quality.GOOD)
        pid = session._shell.child.pid
        await clock.over.wait()
        assert (await poll(session))["power"][0] == 623
        assert session._shell.child.pid == pid


async def test_a_password_changed_while_the_bmc_was_away_is_named(impatient, opened, bmc):
    bmc.stop()
    changed = bmc.folder / "lan.conf"
    before = changed.read_text()
    changed.write_text(before.replace("secret1", "secret2"))
    try:
        bmc.start()
        with pytest.raises(BadReply):
            await opened.read()
        with pytest.raises(AuthenticationFailed, match="rejects the user or the password"):
            await opened.read()
    finally:
        changed.write_text(before)
        bmc.stop()


async def test_an_idle_session_is_kept_alive(bmc, monkeypatch):
    monkeypatch.setattr(shell, "IDLE_S", 0.2)
    async with open_meter(meter(bmc.url())) as session:
        await session.read()
        asked_ns = session._shell._asked_ns
        await asyncio.sleep(0.7)
        assert session._shell._asked_ns > asked_ns
        assert not math.isnan((await poll(session))["power"][0])


async def test_sensors_that_all_fall_silent_get_a_new_session(impatient, plain_bmc):
    """ipmitool goes on to list the sensors of a BMC that restarted, each without a reading."""
    async with open_meter(meter(plain_bmc.url())) as session:
        plain_bmc.stop()
        plain_bmc.start()
        assert (await poll(session))["power"] == (616, Quality.GOOD)


async def test_a_number_that_belongs_to_another_sensor_since_a_restart_is_not_read_as_the_first(impatient, plain_bmc):
    """After an update, number 8 is a temperature: its 24 degrees are no 24 W."""
    async with open_meter(meter(plain_bmc.url())) as session:
        assert (await poll(session))["power"] == (616, Quality.GOOD)
        others = [sensor for sensor in SENSORS if sensor[0] != 8]
        plain_bmc.show(8, 24)
        plain_bmc.restart_with([*others, (8, "CPU Temp", "Temperature", 0x01, "degrees_C", 1, "system_board")])
        with pytest.raises(ConnectionFailed, match="other sensors than before: CPU Temp in place of Pwr Consumption"):
            await session.read()
        await session.open()
        assert (await poll(session))["power"] == (312, Quality.GOOD), (
            "the sum of the supplies, now the best that it has"
        )


async def test_a_bmc_without_sensors_of_supplies_states_none(opened, monkeypatch):
    """Beside the polls; that ipmitool lists sensors by the number of their type is seen with the fan's."""
    await opened.read()
    assert await opened.supplies() == {}
    monkeypatch.setattr(sdr, "SUPPLIES_COMMAND", "sdr type 0x04")
    monkeypatch.setattr(sdr, "parse_supplies", lambda text: {"rows": str(text.count("| 29."))})
    assert await opened.supplies() == {"rows": "1"}
