"""What is on disk of an alarm after each of its transitions; every instant is read off the readings by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.alarms.in_window import run_alarms, sources_about
from wattmark.alarms.log import EVERY_S, AlarmLog
from wattmark.alarms.service import AlarmService
from wattmark.alarms.store import KEPT_ALARMS
from wattmark.alarms.views import alarm_page, ending
from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.yaml_source import YamlSource
from wattmark.results.data_folder import LAYOUT, Storage, open_storage
from wattmark.runs.alarms import Alarm, AlarmEnd
from wattmark.store.verify import verify
from wattmark_drivers.reading import Kind, Reading

from tests.set_clock import SetClock
from tests.stored_run import S

BENCH = """\
schema: wattmark-bench/1
lab: Lab
servers:
  - id: s1
    access: {{local: true}}
    configurations: [{{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}]
  - id: s2
    access: {{local: true}}
    configurations: [{{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}]
meters:
  - {{id: wall, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1/1", feeds: [{{server: s1}}], alarms: [{rules}]}}
  - {{id: wall2, model: eastron.sdm120, url: "modbus-tcp://192.0.2.2/1", feeds: [{{server: s2}}]}}
  - {{id: room, model: eastron.sdm120, url: "modbus-tcp://192.0.2.3/1"}}
bmcs:
  - {{id: bmc, server: s1, host: 192.0.2.4, user: reader, password_env: SECRET}}
"""
OVER_300 = "{channel: power, high: 300, hysteresis: 10, run_must_keep: true}"


def alarm_from(*values: object) -> Alarm:
    """An alarm by its values in the order of its fields."""
    return Alarm.model_validate(dict(zip(Alarm.model_fields, values, strict=False)))


def bench(rules: str = OVER_300) -> Bench:
    return parse_bench(YamlSource("bench.yaml", BENCH.format(rules=rules)), Path("bench.yaml"))


class Service:
    """The alarm rooms of one start of a service; readings come with their stamps [s]."""

    def __init__(self, storage: Storage, clock: SetClock) -> None:
        self.bench = bench()
        self.simulated = False
        self.clock = clock
        self.storage = storage
        self.log = AlarmLog(storage.alarms, clock)
        self.log.close_left()
        self.room = AlarmService(lambda: self.bench, self.log, lambda _: self.simulated)

    def read(self, at_s: float, value: float) -> None:
        self.clock.now_ns = round(at_s * S)
        self.room.take("wall", [Reading("power", value, "W", round(at_s * S), 0, Kind.AVERAGED)])

    def written(self) -> list[Alarm]:
        """What another process would read now."""
        self.storage.database.write(lambda _: None)
        return self.storage.alarms.before(None, 100)


@pytest.fixture
def service(storage: Storage) -> Service:
    return Service(storage, SetClock(1000 * S))


def test_the_mark_of_a_simulated_meter_is_kept(service: Service) -> None:
    service.simulated = True
    service.read(1000, 301)
    assert [alarm.simulated for alarm in service.written()] == [True]


def test_the_begin_is_written_at_once(service: Service) -> None:
    service.read(1000, 299)
    service.read(1001, 301)
    assert service.written() == [alarm_from(1, "wall", "power", "high", 300.0, "W", True, 1001 * S, 1001 * S, 301.0)]


def test_the_extreme_follows_within_seconds_and_the_end_at_once(service: Service) -> None:
    service.read(1001, 301)
    service.read(1002, 350)
    assert [(alarm.worst, alarm.seen_ns) for alarm in service.written()] == [(301.0, 1001 * S)]
    service.read(1001 + EVERY_S, 310)
    service.read(1002 + EVERY_S, 310)
    assert [(alarm.worst, alarm.seen_ns) for alarm in service.written()] == [(350.0, 1002 * S)], (
        "what waited when it was due"
    )
    service.read(1020, 295)
    service.read(1021, 290)
    (alarm,) = service.written()
    assert (alarm.worst, alarm.end_ns, alarm.ended, alarm.closed_ns) == (350.0, 1021 * S, AlarmEnd.BACK, 1021 * S)
    assert ending(alarm) == "ended 1970-01-01 00:17:01"


def test_a_change_of_the_limit_closes_the_alarm_without_an_end(service: Service) -> None:
    service.read(1001, 301)
    service.bench = bench("{channel: power, high: 500}")
    service.read(1002, 301)
    (alarm,) = service.written()
    assert (alarm.end_ns, alarm.ended, alarm.closed_ns) == (None, AlarmEnd.LIMIT_CHANGED, 1002 * S)
    assert ending(alarm) == "end not known: the limit was changed 1970-01-01 00:16:42"


def test_a_stop_closes_the_alarm_without_an_end(service: Service) -> None:
    service.read(1001, 301)
    service.read(1003, 320)
    service.clock.now_ns = 1004 * S
    service.room.stop()
    (alarm,) = service.written()
    assert (alarm.worst, alarm.seen_ns, alarm.end_ns) == (320.0, 1003 * S, None)
    assert ending(alarm) == "end not known: the service stopped 1970-01-01 00:16:44"


def test_the_next_start_closes_what_a_dead_service_left_and_counts_on(service: Service, storage: Storage) -> None:
    service.read(1001, 301)
    service.read(1002, 100)
    service.read(1003, 302)
    service.written()
    after = Service(storage, SetClock(2000 * S))
    after.read(2001, 303)
    newest, left, over = after.written()
    assert (newest.number, newest.begin_ns, newest.ended) == (3, 2001 * S, None)
    assert (left.end_ns, left.ended, left.seen_ns, left.closed_ns) == (None, AlarmEnd.SERVICE_DIED, 1003 * S, 2000 * S)
    assert ending(left) == "end not known: the service crashed after 1970-01-01 00:16:43"
    assert over.ended is AlarmEnd.BACK


def test_an_end_is_written_where_the_wall_clock_was_set_back(service: Service) -> None:
    service.read(1001, 301)
    service.read(900, 200)
    (alarm,) = service.written()
    assert (alarm.end_ns, alarm.ended) == (900 * S, AlarmEnd.BACK)


def test_what_cannot_be_written_waits_in_its_newest_state(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    write = service.storage.database.write
    refuse = "CREATE TEMP TRIGGER refuse BEFORE INSERT ON main.alarm BEGIN SELECT raise(ABORT, 'no room'); END"
    write(lambda connection: connection.execute(refuse).get)
    service.read(1001, 301)
    assert service.written() == []
    assert "Alarms cannot be saved" in caplog.text
    service.read(1002, 340)
    write(lambda connection: connection.execute("DROP TRIGGER refuse").get)
    service.read(1003, 305)
    assert service.written() == [], "not tried again at every reading"
    service.read(1001 + EVERY_S, 305)
    assert [(alarm.begin_ns, alarm.worst, alarm.seen_ns) for alarm in service.written()] == [
        (1001 * S, 340.0, 1003 * S)
    ]


def test_a_state_that_arrives_late_changes_nothing(storage: Storage) -> None:
    begun = alarm_from(1, "wall", "power", "high", 300.0, "W", False, 5 * S, 5 * S, 301.0)
    over = alarm_from(
        *(1, "wall", "power", "high", 300.0, "W", False, 5 * S, 9 * S, 330.0, 9 * S, AlarmEnd.BACK, 9 * S)
    )
    for state in (begun, over, begun):
        storage.alarms.put([state]).result()
    assert storage.alarms.before(None, 9) == [over]


def test_old_alarms_make_room_but_not_one_that_goes_on(storage: Storage) -> None:
    def alarm(number: int, *, over: bool = True) -> Alarm:
        t_ns = number * S
        end = (t_ns, AlarmEnd.BACK, t_ns) if over else ()
        return alarm_from(number, "wall", "power", "high", 300.0, "W", False, t_ns, t_ns, 301.0, *end)

    storage.alarms.put([alarm(1, over=False), *map(alarm, range(2, KEPT_ALARMS + 4))]).result()
    numbers = [alarm.number for alarm in storage.alarms.before(None, KEPT_ALARMS + 10)]
    assert numbers == [*range(KEPT_ALARMS + 3, 3, -1), 1]
    assert verify(storage.database.path, LAYOUT) == []


def test_pages_follow_one_another(service: Service) -> None:
    for at_s in range(1001, 1006):
        service.read(at_s, 301)
        service.read(at_s + 0.5, 100)
    service.written()
    first = alarm_page(service.storage.alarms.before(None, 3), 2)
    second = alarm_page(service.storage.alarms.before(4, 3), 2)
    last = alarm_page(service.storage.alarms.before(2, 3), 2)
    assert [[alarm.number for alarm in page.alarms] for page in (first, second, last)] == [[5, 4], [3, 2], [1]]
    assert [page.more for page in (first, second, last)] == [True, True, False]


def test_a_damaged_alarm_is_named_and_excluded(tmp_path: Path) -> None:
    storage = open_storage(tmp_path)
    service = Service(storage, SetClock(1000 * S))
    service.read(1001, 301)
    service.read(1002, 1)
    service.read(1003, 302)
    service.written()
    storage.database.write(lambda connection: connection.execute("DROP TRIGGER alarm_crc_changes").get)
    storage.database.write(lambda connection: connection.execute("UPDATE alarm SET worst = 999 WHERE number = 1").get)
    assert [alarm.number for alarm in storage.alarms.before(None, 9)] == [2]
    storage.close()
    assert verify(tmp_path / "wattmark.db", LAYOUT) == ["Alarm 1 is damaged."]


def test_what_concerns_a_run_are_its_servers_instruments_and_those_of_the_room() -> None:
    assert sources_about(bench(), "s1") == {"wall", "bmc", "room"}
    assert sources_about(bench(), "s2") == {"wall2", "room"}


def test_between_gives_what_lasted_into_the_span(service: Service) -> None:
    for at_s in (1010, 1020, 1030):
        service.read(at_s, 301)
        service.read(at_s + 5, 100)
    service.read(1040, 301)
    service.written()

    def numbers_between(begin_s: int, end_s: int, source: str = "wall") -> list[int]:
        return [alarm.number for alarm in service.storage.alarms.between({source}, begin_s * S, end_s * S)]

    assert numbers_between(1015, 1019) == [1], "an end on the edge counts: the reading before was beyond the limit"
    assert numbers_between(1016, 1030) == [2, 3]
    assert numbers_between(1016, 1019) == []
    assert numbers_between(1050, 1060) == [4], "it goes on"
    assert numbers_between(1000, 1100, "bmc") == []


def test_a_record_holds_so_many_and_first_what_runs_must_keep() -> None:
    def alarm(number: int, *, must: bool) -> Alarm:
        return alarm_from(number, "wall", "power", "high", 300.0, "W", must, number * S, number * S, 301.0)

    disclosed = run_alarms(2, [], [*(alarm(number, must=False) for number in range(1, 300)), alarm(300, must=True)])
    assert (len(disclosed.crossed), disclosed.excluded) == (200, 100)
    assert [disclosed.crossed[0].number, disclosed.crossed[-2].number, disclosed.crossed[-1].number] == [1, 199, 300]
