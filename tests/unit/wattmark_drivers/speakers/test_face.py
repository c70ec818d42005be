"""Who asks, and how fast; what a face says."""

import pytest
from wattmark_drivers.speakers.face import MOST_PEERS, Asker, Askers, Doorway, Face
from wattmark_drivers.speakers.pace import Pace
from wattmark_drivers.speakers.wrong_logins import WrongLogins


def test_askers_are_counted_and_the_oldest_forgotten():
    now_ns = 0

    def clock() -> int:
        return now_ns

    askers = Askers(clock)
    askers.asked("10.0.0.1")
    now_ns = 5
    askers.asked("10.0.0.1")
    askers.refuse("10.0.0.2")
    assert askers.view() == [Asker("10.0.0.2", 0, 1, 5, 5), Asker("10.0.0.1", 2, 0, 0, 5)]
    for n in range(MOST_PEERS):
        askers.refuse(f"10.1.{n}.0")
    assert len(askers.view()) == MOST_PEERS
    assert "10.0.0.1" not in {item.peer for item in askers.view()}
    assert askers.refused == MOST_PEERS + 1


def test_a_peer_may_save_up_and_is_then_held_to_its_rate():
    now_s = 0.0
    pace = Pace(10.0, 5.0, lambda: now_s)
    assert [pace.spend("a") for _ in range(6)] == [0, 0, 0, 0, 0, pytest.approx(0.1)]
    assert pace.spend("b") == 0
    for _ in range(1000):
        wait_s = pace.spend("a")
    assert wait_s <= 1.0
    now_s = 1.5
    assert pace.spend("a") == 0


def test_a_search_side_by_side_is_no_quicker_than_one_after_another():
    """Ten at once and one every 2 s: the sixtieth of one instant waits until 50 times 2 s have passed.

    Where all 64 places wait as long as anybody does, they let in one every 2 s; the longest wait is not longer.
    """
    now_s = 0.0
    logins = WrongLogins(64, lambda: now_s)
    waits_s = [logins.wait_s("a", b"%d" % number) for number in range(1000)]
    assert waits_s[:60] == [0.0] * 10 + [2.0 * number for number in range(1, 51)]
    assert max(waits_s) == 64 * 2.0
    now_s = 64 * 2.0
    assert logins.wait_s("a", b"one mistake") <= 2.0


def test_who_repeats_a_wrong_login_does_not_wait():
    logins = WrongLogins(64, lambda: 0.0)
    repeated_s = [logins.wait_s("a", b"old") for _ in range(1000)]
    assert set(repeated_s) == {0.0}
    waits_s = [logins.wait_s("a", b"%d" % number) for number in range(12)]
    assert (waits_s[-1], logins.wait_s("a", b"old")) == (6.0, 0.0), "thirteen different ones, ten of them at once"
    assert logins.wait_s("b", b"11") == 0.0


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::7", "[2001:db8::7]"),
    ],
)
def test_the_address_of_a_door(address, host):
    assert Doorway(address).host == host


def test_a_face_is_marked_only_where_it_is_simulated():
    assert Face("wattmark", "m", "1", "2", simulated=False).marked("1") == "1"
    assert Face("wattmark", "m", "1", "2", simulated=True).marked("1") == "SIMULATED 1"
    assert Face("wattmark", "m", "", "2", simulated=True).marked("") == "SIMULATED"
