"""What a hook may say, and where its calls go."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from wattmark.core.errors import InputError
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.http.address import parse_target

HOOK: dict[str, Any] = {
    "begin": {"url": "https://{host}/begin"},
    "end": {"url": "https://{host}/end", "method": "DELETE"},
}
POLL = {"url": "https://{host}/status"}
OWN: dict[str, Any] = {
    "id": "own",
    "title": "Own",
    "unit": "ops",
    "parameters": {"host": {"help": "Host", "kind": "host", "default": "loads.example"}},
    "parser": {"kind": "json", "pointer": "/done", "reports": "total"},
    "hook": HOOK,
}


def test_a_hook_stands_in_a_commands_stead() -> None:
    own = Declaration.model_validate(OWN)
    assert not own.external
    assert list(own.programs()) == []
    assert own.hook is not None
    assert own.hook.begin.method == "POST"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"command": ["x"]}, "neither a command nor slices with a hook"),
        ({"slice_s": 5}, "neither a command nor slices with a hook"),
        ({"parser": {"kind": "regex", "pattern": "(?P<value>.)", "reports": "total"}}, "json or markers"),
        (
            {"parser": {**OWN["parser"], "reports": "interval-rate"}},
            "interval reports together with a poll, or neither",
        ),
        ({"hook": {**HOOK, "poll": POLL}}, "interval reports together with a poll, or neither"),
        (
            {"parser": {"kind": "markers"}, "hook": {**HOOK, "poll": POLL}},
            "interval reports together with a poll, or neither",
        ),
        ({"parameters": {}}, "parameters named host"),
        ({"hook": {**HOOK, "token_env": "T", "token_file": "t"}}, "at most one of token_env"),
        ({"hook": {**HOOK, "begin": {"url": "ftp://x/"}}}, "should match pattern"),
        ({"hook": {**HOOK, "begin": {"url": "http://user:word@x/"}}}, "should match pattern"),
        ({"hook": {**HOOK, "begin": {"url": "http://x/ y"}}}, "should match pattern"),
        ({"hook": {**HOOK, "begin": {"url": "http://x/", "method": "GET"}}}, "'POST', 'PUT' or 'DELETE'"),
        ({"hook": {**HOOK, "timeout_s": 0}}, "greater than 0"),
        ({"hook": {"begin": HOOK["begin"]}}, "Field required"),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Declaration.model_validate({**OWN, **change})


def test_an_address_is_taken_apart() -> None:
    target = parse_target("https://{host}/load?all=1", {"host": "loads.example:8443"}, "ca.pem")
    assert (target.origin.host, target.origin.port, target.origin.ca) == ("loads.example", 8443, "ca.pem")
    assert (target.path, target.label) == ("/load?all=1", "https://loads.example:8443/load")
    assert target.private
    assert parse_target("http://127.0.0.1/x", {}, None).private
    assert parse_target("http://[::1]:81/x", {}, None).private
    assert not parse_target("http://192.0.2.1/x", {}, None).private


@pytest.mark.parametrize("host", ["", "user@evil", "a b", "x:99999", "x:port", "[::1", "ä.example", "x\r\nHost: y"])
def test_a_value_that_makes_no_address_is_refused(host: str) -> None:
    with pytest.raises(InputError, match="is not a valid hook address"):
        parse_target("https://{host}/load", {"host": host}, None)


@given(st.text(max_size=40))
def test_an_address_stays_on_one_line_whatever_is_put_into_it(value: str) -> None:
    with contextlib.suppress(InputError):
        target = parse_target("http://{host}/{host}", {"host": value}, None)
        assert (target.origin.url + target.path).isascii()
        assert (target.origin.url + target.path).isprintable()
        assert "@" not in target.origin.url
