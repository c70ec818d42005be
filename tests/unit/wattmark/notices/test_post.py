"""One POST to real web servers of Python's own: what arrives, and what becomes of those that misbehave."""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from wattmark.core.errors import InputError, WattmarkError
from wattmark.notices import post as post_module
from wattmark.notices.channel import channel_of, target_of
from wattmark.notices.post import NotTold, post

from tests.web_peer import Handler, self_signed, serving

from .conftest import entry, notice

SECRET = "tk-hunter2"


class Peer(Handler):
    """Keeps what it hears, and answers as it was told."""

    heard: list[dict[str, Any]]
    status = 200
    headers_sent: dict[str, str] = {}

    def do_POST(self) -> None:
        authorization = self.headers.get("Authorization")
        self.heard.append({"path": self.path, "body": json.loads(self.body()), "authorization": authorization})
        self.send(self.status, f"{self.path} {authorization}".encode(), self.headers_sent)


class Dripping(Handler):
    """Sends a byte of a header again and again, each in time."""

    ended: threading.Event

    def do_POST(self) -> None:
        self.body()
        try:
            while not self.ended.wait(0.05):
                self.wfile.write(b"X")
                self.wfile.flush()
        except OSError:
            self.close_connection = True


class Flooding(Handler):
    """Answers with more than anybody reads; counts the mebibytes that it got rid of."""

    sent: list[int]
    ended: threading.Event

    def do_POST(self) -> None:
        self.body()
        self.send_response(200)
        self.end_headers()
        try:
            for _ in range(200):
                self.wfile.write(b"x" * 2**20)
                self.sent.append(1)
        except OSError:
            pass
        self.close_connection = True
        self.ended.set()


def test_ntfy_and_webhook_get_their_bodies_at_their_addresses_with_the_token_of_a_file(tmp_path: Path) -> None:
    heard: list[dict[str, Any]] = []
    (tmp_path / "token").write_text(f"{SECRET}\n")
    (tmp_path / "token").chmod(0o600)
    with serving(Peer, heard=heard) as port:
        ntfy = entry(f'{{id: phone, by: ntfy, url: "http://127.0.0.1:{port}/power", token_file: token}}')
        hook = entry("{id: chat, by: webhook, url_env: CHAT}")
        chat = {"CHAT": f"http://127.0.0.1:{port}/services/{SECRET}?a=b"}
        said = [channel_of(each, "Lab", tmp_path, chat)(notice()) for each in (ntfy, hook)]
    assert said == ["127.0.0.1 took the message (status 200)."] * 2
    first, second = heard
    assert (first["path"], first["body"]["topic"], first["authorization"]) == ("/", "power", f"Bearer {SECRET}")
    assert (second["path"], second["authorization"]) == (f"/services/{SECRET}?a=b", None)
    assert second["body"]["text"].startswith("Lab: wall power is above its limit.")


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(401, "token_env or token_file"), (404, "Check the address"), (429, "list fewer"), (500, "Check the address")],
)
def test_a_refusal_names_the_host_and_repeats_nothing_secret(status: int, remedy: str) -> None:
    with serving(Peer, heard=[], status=status) as port, pytest.raises(NotTold) as caught:
        post(f"http://127.0.0.1:{port}/{SECRET}", b"{}", token=f"Bearer {SECRET}")
    assert caught.value.cause == f"127.0.0.1 answers with status {status}."
    assert remedy in caught.value.remedy
    assert SECRET not in str(caught.value)


def test_a_redirect_is_not_followed() -> None:
    inner: list[dict[str, Any]] = []
    outer: list[dict[str, Any]] = []
    with serving(Peer, heard=inner) as hidden:
        away = {"Location": f"http://127.0.0.1:{hidden}/"}
        with serving(Peer, heard=outer, status=307, headers_sent=away) as port, pytest.raises(NotTold) as caught:
            post(f"http://127.0.0.1:{port}/", b"{}", token="Bearer x")
    assert "Redirects are not followed" in caught.value.remedy
    assert (len(outer), inner) == (1, [])


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[dict[str, Any]] = []
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with serving(Peer, heard=heard) as port:
        assert post(f"http://127.0.0.1:{port}/x", b"{}") == 200
    assert len(heard) == 1


def test_a_server_that_drips_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post_module, "TIMEOUT_S", 0.5)
    ended = threading.Event()
    with serving(Dripping, ended=ended) as port:
        begin = time.monotonic()
        with pytest.raises(NotTold, match="took longer than"):
            post(f"http://127.0.0.1:{port}/", b"{}")
        assert time.monotonic() - begin < 5
        ended.set()


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_says_nothing_is_left_in_time(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    """It takes a connection; then neither encryption nor an answer comes."""
    monkeypatch.setattr(post_module, "TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0), backlog=1) as silent:
        port = silent.getsockname()[1]
        begin = time.monotonic()
        with pytest.raises(NotTold, match="took longer than"):
            post(f"{scheme}://127.0.0.1:{port}/", b"{}")
        assert time.monotonic() - begin < 5


def test_addresses_that_nobody_answers_share_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A queue that is full lets every further connection wait."""
    monkeypatch.setattr(post_module, "TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        callers = [socket.socket() for _ in range(4)]
        for caller in callers:
            caller.setblocking(False)
            caller.connect_ex(address)
        place = (socket.AF_INET, socket.SOCK_STREAM, 6, "", address)
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [place] * 20)
        begin = time.monotonic()
        with pytest.raises(NotTold, match="took longer than"):
            post("http://many.lab/", b"{}")
        assert time.monotonic() - begin < 5, "twenty addresses, not twenty times as long"
        for caller in callers:
            caller.close()


def test_a_name_server_that_hangs_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post_module, "TIMEOUT_S", 0.5)
    ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: ended.wait(20))
    begin = time.monotonic()
    with pytest.raises(NotTold, match="took longer than"):
        post("http://slow.lab/", b"{}")
    assert time.monotonic() - begin < 5
    ended.set()


def test_no_more_than_a_part_of_an_answer_is_read() -> None:
    sent, ended = [], threading.Event()
    with serving(Flooding, sent=sent, ended=ended) as port:
        assert post(f"http://127.0.0.1:{port}/", b"{}") == 200
        assert ended.wait(30)
    assert len(sent) < 100, "the buffers of both ends hold a few mebibytes"


def test_a_server_that_is_away_and_one_that_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Peer, heard=[]) as port:
        pass
    with pytest.raises(NotTold, match="cannot be reached: Connection refused"):
        post(f"http://127.0.0.1:{port}/", b"{}")

    def nowhere(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    with pytest.raises(NotTold, match="no address in the network's names"):
        post("http://nowhere.invalid/", b"{}")


def test_encryption_is_believed_by_the_certificates_that_the_bench_names(tmp_path: Path) -> None:
    heard: list[dict[str, Any]] = []
    certificate, key = self_signed(tmp_path / "tls")
    with serving(Peer, heard=heard, tls=(certificate, key)) as port:
        own = entry(f'{{id: a, by: ntfy, url: "https://127.0.0.1:{port}/power", ca_file: tls/ca.pem}}')
        channel_of(own, "Lab", tmp_path, {})(notice())
        with pytest.raises(NotTold, match="a certificate that is not believed"):
            post(f"https://127.0.0.1:{port}/", b"{}")
    assert len(heard) == 1


@pytest.mark.parametrize(
    ("ca_file", "words"),
    [
        ("missing.pem", "cannot be read: No such file or directory"),
        ("none.pem", "cannot be read: no certificates in it"),
        ("~nobody-of-this-name/ca.pem", "names a user that this machine does not have"),
    ],
)
def test_certificates_that_cannot_be_read_are_named(tmp_path: Path, ca_file: str, words: str) -> None:
    (tmp_path / "none.pem").write_text("nothing")
    own = entry(f'{{id: a, by: ntfy, url: "https://127.0.0.1:1/power", ca_file: "{ca_file}"}}')
    with pytest.raises(WattmarkError) as caught:
        channel_of(own, "Lab", tmp_path, {})(notice())
    assert words in caught.value.cause


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ftp://127.0.0.1/x", "an address such as"),
        ("http://me:hunter2@127.0.0.1/x", "without user and password"),
        ("http://127.0.0.1/x\r\nX-Evil: 1", "an address such as"),
        ("http://127.0.0.1/a b", "an address such as"),
    ],
)
def test_a_secret_address_has_to_be_one_and_is_not_repeated(tmp_path: Path, address: str, words: str) -> None:
    channel = channel_of(entry("{id: chat, by: webhook, url_env: CHAT}"), "Lab", tmp_path, {"CHAT": address})
    with pytest.raises(WattmarkError) as caught:
        channel(notice())
    assert words in caught.value.cause
    assert address not in str(caught.value)


def test_a_secret_that_is_missing_or_open_to_others_is_an_error_that_names_its_place(tmp_path: Path) -> None:
    (tmp_path / "address").write_text("http://127.0.0.1/x")
    (tmp_path / "address").chmod(0o644)
    for text, words in (("url_env: CHAT", "CHAT"), ("url_file: address", "readable by other users")):
        with pytest.raises(InputError, match=words):
            channel_of(entry(f"{{id: chat, by: webhook, {text}}}"), "Lab", tmp_path, {})(notice())


def test_the_target_that_is_shown_holds_neither_a_path_nor_a_mailbox() -> None:
    topic = entry('{id: a, by: ntfy, url: "https://ntfy.lab:8443/s3cret"}')
    assert target_of(topic) == "https://ntfy.lab:8443"
    assert target_of(entry("{id: a, by: webhook, url_env: CHAT}")) == "the address in CHAT"
    assert target_of(entry("{id: a, by: mail, to: [a@example.org, root]}")) == "2 mailboxes (example.org, this machine)"
    assert target_of(entry("{id: a, by: mail, to: [root]}")) == "1 mailbox (this machine)"
