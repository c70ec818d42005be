"""Tokens on a real service: the first one, live streams of a revoked one, what commands do beside it."""

from __future__ import annotations

import http.client
import json
import stat
from contextlib import closing
from pathlib import Path

import pytest

from ..command import Command
from ..service.conftest import Start
from .conftest import Lab


def bearer(guarded: Lab, who: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {guarded.secrets[who]}"}


def stream(guarded: Lab, **headers: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    """Open a live stream and read its first line."""
    connection = http.client.HTTPConnection(guarded.service.netloc, timeout=20)
    connection.request("GET", "/api/live/stream", headers=headers)
    events = connection.getresponse()
    assert events.status == 200
    assert events.readline() == b"event: snapshot\n"
    return connection, events


def test_the_first_token_is_in_a_private_file_and_in_no_log(guarded: Lab, start: Start, tmp_path: Path) -> None:
    assert stat.S_IMODE(guarded.first_token_file.stat().st_mode) == 0o600
    assert guarded.service.ask("GET", "/api/bench")[0] == 401
    assert guarded.service.ask("GET", "/healthz")[0] == 200
    assert guarded.ask("GET", "/api/bench")[0] == 200
    assert guarded.secrets["first"] not in "".join(guarded.service.log)
    guarded.service.end()
    guarded.first_token_file.unlink()
    again = start(tmp_path / "data", "--host", "0.0.0.0")
    assert not guarded.first_token_file.exists(), "who has an administrator's token gets no second one"
    assert again.ask("GET", "/api/bench", Authorization=f"Bearer {guarded.secrets['first']}")[0] == 200


def test_a_revoked_token_ends_its_live_streams_and_nobody_elses(guarded: Lab) -> None:
    for name in ("guest", "neighbour"):
        guarded.make(name, "viewer")
    (guest, guests), (neighbour, neighbours) = (
        stream(guarded, **bearer(guarded, name)) for name in ("guest", "neighbour")
    )
    with closing(guest), closing(neighbour):
        assert guarded.ask("DELETE", "/api/tokens/guest")[0] == 200
        guests.read()
        assert guests.isclosed(), "the stream ended in order"
        assert guarded.ask("GET", "/api/bench", "guest")[0] == 401
        assert guarded.ask("GET", "/api/live", "neighbour")[0] == 200
        neighbours.fp.raw._sock.setblocking(False)  # type: ignore[union-attr]
        try:
            more = neighbours.fp.read1()  # type: ignore[union-attr]
        except BlockingIOError:
            more = b"nothing yet"
        assert more != b"", "the neighbour's stream goes on"


def test_who_signs_out_ends_the_streams_of_that_session_alone(guarded: Lab) -> None:
    """A browser with two tabs: signing out in one of them ends what the other one shows."""
    guarded.make("guest", "viewer")
    here, there = (cookie(guarded, "guest") for _ in range(2))
    (first, firsts), (second, _) = (stream(guarded, Cookie=cookie) for cookie in (here, there))
    with closing(first), closing(second):
        assert guarded.service.ask("DELETE", "/api/session", Cookie=here)[0] == 204
        firsts.read()
        assert firsts.isclosed(), "the stream ended in order"
        assert guarded.service.ask("GET", "/api/live", Cookie=here)[0] == 401
        assert guarded.service.ask("GET", "/api/live", Cookie=there)[0] == 200
        assert "wattmark_live_listeners 1.0" in metrics(guarded)


def cookie(guarded: Lab, who: str) -> str:
    connection = http.client.HTTPConnection(guarded.service.netloc, timeout=20)
    with closing(connection):
        sent = json.dumps({"token": guarded.secrets[who]})
        connection.request("POST", "/api/session", sent, {"Content-Type": "application/json"})
        return str(connection.getresponse().headers["set-cookie"]).partition(";")[0]


def metrics(guarded: Lab) -> str:
    connection = http.client.HTTPConnection(guarded.service.netloc, timeout=20)
    with closing(connection):
        connection.request("GET", "/metrics", headers=bearer(guarded, "first"))
        return connection.getresponse().read().decode()


@pytest.mark.timeout(300)
def test_tokens_by_command_of_a_stopped_service_and_of_a_running_one(
    guarded: Lab, wattmark: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = ("--url", f"http://{guarded.service.netloc}")
    code, _, err = wattmark("token", "create", "x", "--role", "viewer", "--data", tmp_path / "data")
    assert code == 1
    assert "is in use by process" in err
    monkeypatch.setenv("WATTMARK_TOKEN", guarded.secrets["first"])
    code, made, err = wattmark("token", "create", "prometheus", "--role", "viewer", *url)
    assert code == 0, err
    guarded.secrets["prometheus"] = made.decode().strip()
    assert guarded.ask("GET", "/api/bench", "prometheus")[0] == 200
    assert wattmark("token", "revoke", "prometheus", *url)[0] == 0
    assert guarded.ask("GET", "/api/bench", "prometheus")[0] == 401
    guarded.service.end()
    monkeypatch.delenv("WATTMARK_TOKEN")
    data = ("--data", tmp_path / "data")
    assert wattmark("token", "create", "bob", "--role", "operator", *data)[1].startswith(b"wm_")
    assert wattmark("token", "revoke", "bob", *data)[0] == 0
    listed = json.loads(wattmark("token", "list", "--json", *data)[1])
    assert {token["name"]: bool(token["revoked"]) for token in listed} == {
        "first": False,
        "prometheus": True,
        "bob": True,
    }
    code, log, err = wattmark("audit", "--verify", "--json", *data)
    assert code == 0
    assert "intact" in err
    assert [(act["who"], act["action"], act["status"]) for act in reversed(json.loads(log))] == [
        ("first", "access_create_token", 201),
        ("first", "access_revoke_token", 200),
        ("local", "token create", 0),
        ("local", "token revoke", 0),
    ]
