"""Which update do values belong to that were read after one was noticed?"""

from __future__ import annotations

from wattmark_drivers.clock import Stamp
from wattmark_drivers.scpi.request import update_read

MS = 10**6
NOTICED = Stamp(1000 * MS, 10 * MS)


def test_values_read_before_the_next_update_are_of_the_noticed_one() -> None:
    assert update_read(NOTICED, Stamp(1020 * MS, 5 * MS), 0.25) == NOTICED


def test_values_read_late_may_be_of_any_update_since() -> None:
    stamp = update_read(NOTICED, Stamp(1300 * MS, 20 * MS), 0.25)
    assert (stamp.t_ns - stamp.u_t_ns, stamp.t_ns + stamp.u_t_ns) == (990 * MS, 1320 * MS)


def test_the_next_update_may_come_a_period_after_the_earliest_time_of_the_noticed_one() -> None:
    assert update_read(NOTICED, Stamp(1230 * MS, 9 * MS), 0.25) == NOTICED
    assert update_read(NOTICED, Stamp(1230 * MS, 10 * MS), 0.25) != NOTICED
