"""A name that was given can be found again, whatever brackets and slashes labs put into theirs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wattmark.fleet.reading.lab_names import builds_keyed, key_of, machines_named, named_server

WORDS = st.text("ab ()/", max_size=8)


@given(lab=WORDS, server=WORDS, configuration=WORDS)
def test_what_is_named_is_found_by_its_name(lab: str, server: str, configuration: str) -> None:
    assert (lab, server) in machines_named(named_server(server, lab))
    build = lab, server, configuration
    assert build in builds_keyed(key_of(build))
    assert all(key_of(candidate) == key_of(build) for candidate in builds_keyed(key_of(build)))


def test_a_lab_is_named_once() -> None:
    assert named_server("s1", "Lab 2") == named_server("s1 (Lab 2)", "Lab 2") == "s1 (Lab 2)"
    assert named_server("s1", "") == "s1"
