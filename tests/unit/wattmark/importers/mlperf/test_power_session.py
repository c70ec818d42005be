from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.importers.mlperf.power_session import read_session
from wattmark.workloads.loadgen.source_file import SourceFile


def session_file(name: str, content: Any) -> SourceFile:
    return SourceFile(f"power/{name}", json.dumps(content).encode())


def times(*pairs: tuple[float, float]) -> list[dict[str, Any]]:
    return [{"cmd": "time", "cmd_time": sent, "reply_time": answered, "reply": ""} for sent, answered in pairs]


def test_clock_exchanges_of_a_published_session() -> None:
    # R7525 resnet50 Offline: stamps and results as computed in published_vectors.json.
    client = session_file(
        "client.json",
        {"messages": times((1616120010.359322, 1616120010.35988), (1616120936.617836, 1616120936.6183498))},
    )
    server = session_file(
        "server.json",
        {"messages": times((1616120010.3603735, 1616120010.3604255), (1616120936.5826387, 1616120936.5826387))},
    )
    first, last = read_session(server, client).exchanges
    assert (first.offset_s, first.delay_s) == pytest.approx((0.0007985, 0.0005059), abs=5e-7)
    assert (last.offset_s, last.delay_s) == pytest.approx((-0.0354542, 0.0005138), abs=5e-7)
    assert first.usable


def test_negative_round_trip_is_not_usable() -> None:
    # AGX Xavier, last exchange: -13.96 ms, a coarse clock tick.
    client = session_file("client.json", {"messages": times((1616039264.5938857, 1616039264.5954967))})
    server = session_file("server.json", {"messages": times((1616039264.5365522, 1616039264.552118))})
    (exchange,) = read_session(server, client).exchanges
    assert exchange.delay_s == pytest.approx(-0.0139549, abs=5e-7)
    assert not exchange.usable


def test_start_of_the_measured_pass_is_the_second_stamp() -> None:
    phases = {"ranging": [[1.0, 1.0]], "testing": [[1616120936.58, 1.0], [1616120950.3013694, 15.0]]}
    assert read_session(session_file("server.json", {"phases": phases}), None).go_epoch_s == 1616120950.3013694


def test_names_digests_and_ranges_are_read_from_both_sides() -> None:
    server = session_file(
        "server.json",
        {
            "session_name": "a",
            "uuid": {"client": "AB", "server": "CD"},
            "results": {"run_1/spl.txt": "0FF0"},
            "ptd_messages": [
                {"cmd": cmd}
                for cmd in ("SR,V,Auto", "Go,1000,0,r", "sr,v,239.42", "SR,A,8.1675", "Go,1000,0,t", "SR,A,Auto")
            ],
        },
    )
    client = session_file("client.json", {"session_name": "b", "results": {"run_1/mlperf_log_detail.txt": "12"}})
    session = read_session(server, client)
    assert session.names == {"server.json": "a", "client.json": "b"}
    assert session.ids == {"server.json": "ab and cd"}
    assert session.digests == {"run_1/spl.txt": {"0ff0"}, "run_1/mlperf_log_detail.txt": {"12"}}
    assert (session.volt_range, session.amp_range) == ("239.42", "8.1675")


def test_phases_are_compared_and_pauses_measured() -> None:
    # DGX Station A100, resnet50 Offline, v1.0: testing phase of server.json and client.json
    ours = [1615876257.9912791, 1615876271.5347397, 1615876979.0094683, 1615876989.0850728]
    server = [1615876258.045933, 1615876271.5801177, 1615876979.071664, 1615876989.1410365]
    sides = [{"phases": {"ranging": [[t, 0.0] for t in s], "testing": [[t, 0.0] for t in s]}} for s in (ours, server)]
    session = read_session(session_file("server.json", sides[0]), session_file("client.json", sides[1]))
    assert session.phase_difference_s == pytest.approx(0.0622, abs=1e-4)
    assert session.settle_s == pytest.approx(10.0756, abs=1e-4)


def test_damaged_session_file_is_a_remark_not_an_error() -> None:
    session = read_session(SourceFile("power/server.json", b'{"phases": '), None)
    assert session.identity is None
    assert session.remarks == ("server.json is not a JSON object and was not used.",)


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda c: st.lists(c, max_size=3), max_leaves=6
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["phases", "ptd_messages", "messages", "session_name"]), anything))
def test_no_content_breaks_the_reader(content: dict[str, Any]) -> None:
    read_session(session_file("server.json", content), session_file("client.json", content))


@settings(deadline=None)
@given(anything)
def test_no_message_breaks_the_reader(value: Any) -> None:
    server_log = {
        "phases": {"testing": value},
        "ptd_messages": [{"cmd": "Identify", "reply": value}],
        "messages": [{"cmd": "time", "cmd_time": value}],
    }
    read_session(session_file("server.json", server_log), session_file("client.json", server_log))
