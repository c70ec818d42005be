"""What a machine clears on a server is its own: no machine's mark begins like another's."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st
from wattmark.workloads.ssh.trigger import owner_mark

NAMES = st.text(alphabet="aA.-_ ä1", max_size=50)


@given(NAMES, NAMES)
@example("lab", "lab.example.org")
@example("lab a", "lab_a")
@example("x" * 41, "x" * 42)
def test_marks_of_two_machines_do_not_begin_alike(first, second):
    marks = owner_mark(first), owner_mark(second)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", mark) for mark in marks)
    if first != second:
        assert not marks[1].startswith(f"{marks[0]}.")
        assert marks[0] != marks[1]
