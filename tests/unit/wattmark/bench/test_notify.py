"""What a bench may say about who is told, and what it is told otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.bench.load import parse_bench
from wattmark.bench.mistakes import BenchError
from wattmark.bench.notify import EVENTS, Notify
from wattmark.bench.yaml_source import YamlSource


def notify(*entries: str) -> tuple[Notify, ...]:
    lines = "".join(f"  - {entry}\n" for entry in entries)
    source = YamlSource("bench.yaml", f"schema: wattmark-bench/1\nlab: Lab\nnotify:\n{lines}")
    return parse_bench(source, Path("bench.yaml")).notify


def test_each_way_has_its_place_and_tells_everything_unless_it_says_otherwise() -> None:
    phone, chat, post = notify(
        '{id: phone, by: ntfy, url: "https://ntfy.lab/power", token_file: ntfy}',
        "{id: chat, by: webhook, url_env: CHAT_URL, events: [alarm, meter-lost]}",
        "{id: post, by: mail, to: [lab@example.org, root], sender: wattmark@lab.example.org}",
    )
    assert phone.events == post.events == EVENTS
    assert chat.events == ("alarm", "meter-lost")
    assert post.to == ("lab@example.org", "root")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{id: a, by: sms}", "'webhook', 'ntfy' or 'mail'"),
        ("{id: a, by: ntfy}", "one of url, url_env (name of a variable) and url_file (path)"),
        ('{id: a, by: ntfy, url: "http://h/x", url_env: A}', "one of url, url_env"),
        ('{id: a, by: webhook, url: "https://hooks.example/services/T0/B0/s3cret"}', "url_env (name of a variable) or"),
        ('{id: a, by: webhook, url: "http://127.0.0.1/x"}', "whoever knows the address of a webhook may post there"),
        ('{id: a, by: webhook, url: "hooks.example/services/T0/B0/s3cret"}', "begins with http:// or https://"),
        ('{id: a, by: webhook, url: "https://hooks.example/s3cret?token=word"}', "an address without user or password"),
        ('{id: a, by: webhook, url: "file:///etc/passwd"}', "begins with http:// or https://"),
        ('{id: a, by: webhook, url: "https://user:word@h/x"}', "an address without user or password"),
        ('{id: a, by: webhook, url: "https://h/x?token=word"}', "an address without user or password"),
        ('{id: a, by: ntfy, url: "https:///x"}', "an address such as https://ntfy.lab/power"),
        ('{id: a, by: ntfy, url: "https://h:99999/x"}', "an address such as https://ntfy.lab/power"),
        ('{id: a, by: ntfy, url: "https://h/x#y"}', "an address such as https://ntfy.lab/power"),
        ('{id: a, by: ntfy, url: "https://ntfy.lab"}', "the address of a topic of ntfy"),
        ('{id: a, by: ntfy, url: "https://ntfy.lab/a/b"}', "the address of a topic of ntfy"),
        ('{id: a, by: ntfy, url: "http://ntfy.lab/a", token_env: T}', "its token would cross the network unencrypted"),
        ('{id: a, by: ntfy, url: "https://ntfy.lab/a", token_env: T, token_file: t}', "at most one of token_env"),
        ('{id: a, by: ntfy, url: "https://ntfy.lab/a", to: [b@example.org]}', "they belong to mail"),
        ("{id: a, by: mail}", "to, who gets the mail"),
        ('{id: a, by: mail, to: [b@example.org], url: "https://h/x"}', "no url, token or ca_file"),
        ('{id: a, by: mail, to: ["-oQ/tmp"]}', "a mail address, such as lab@example.org"),
        ('{id: a, by: mail, to: ["b@example.org\\nBcc: c@example.org"]}', "found"),
        ('{id: a, by: mail, to: ["B <b@example.org>"]}', "a mail address, such as lab@example.org"),
        ("{id: a, by: mail, to: [b@example.org], events: []}", "at least 1"),
        ("{id: a, by: mail, to: [b@example.org], events: [fire]}", "campaign-ended"),
        ("{id: a, by: mail, to: [b]}\n  - {id: a, by: mail, to: [c]}", "another entry of notify"),
    ],
)
def test_what_is_wrong_is_named_and_no_secret_is_repeated(entry: str, words: str) -> None:
    with pytest.raises(BenchError) as caught:
        notify(entry)
    assert words in " ".join(caught.value.mistakes)
    said = " ".join([str(caught.value), *caught.value.mistakes])
    assert not [secret for secret in ("word@", "s3cret") if secret in said]


def test_a_token_may_go_to_this_machine_itself_without_encryption() -> None:
    (entry,) = notify('{id: a, by: ntfy, url: "http://127.0.0.1:2586/a", token_env: T}')
    assert entry.has_token
