"""When did the records of a Watts Up? arrive that are read at once?"""

from __future__ import annotations

from itertools import pairwise

from wattmark_drivers.ascii.packets import Packet, TornPacket
from wattmark_drivers.ascii.serial_port import Chunk
from wattmark_drivers.ascii.wattsup import arrivals_of

S = 10**9
RECORD, HEADER = Packet("d", ("1",)), Packet("h", ("W",))


def test_a_record_that_is_read_as_it_comes_has_the_time_of_its_last_byte() -> None:
    (arrival,) = arrivals_of([RECORD], Chunk(b"", 100 * S, 100 * S - 6_000_000), 1)
    assert (arrival.t_ns, arrival.u_t_ns) == (100 * S - 3_000_000, 3_000_000)


def test_records_that_piled_up_came_an_interval_apart() -> None:
    """Pushed at 97.4, 98.4 and 99.4 s, read at 100 s after nothing was read since 97 s."""
    arrivals = arrivals_of([RECORD] * 3, Chunk(b"", 100 * S, 97 * S), 1)
    for arrival, true_s in zip(arrivals, (97.4, 98.4, 99.4), strict=True):
        assert abs(arrival.t_ns - true_s * S) <= arrival.u_t_ns
    assert [later.t_ns - earlier.t_ns for earlier, later in pairwise(arrivals)] == [S, S]


def test_records_closer_than_an_interval_arrived_since_the_port_was_read_before() -> None:
    arrivals = arrivals_of([RECORD, RECORD], Chunk(b"", 100 * S, 100 * S - 20_000_000), 1)
    assert [(arrival.t_ns, arrival.u_t_ns) for arrival in arrivals] == [(100 * S - 10_000_000, 10_000_000)] * 2


def test_other_packets_do_not_count_as_records() -> None:
    arrivals = arrivals_of([HEADER, RECORD, TornPacket("#d"), RECORD], Chunk(b"", 100 * S, 99 * S), 1)
    assert [arrival.t_ns for arrival in arrivals] == [99 * S, 99 * S, 99 * S, 100 * S]
