"""What a bench file may call a server: nothing that a shell or ssh could take for more than a name."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from wattmark.core.errors import WorkloadFailed
from wattmark.hosts.address import SshAddress
from wattmark.workloads.ssh.load_script import KEEP, clear_command, environment_lines, load_command

HOSTILE = [
    "-oProxyCommand=reboot",
    "a;reboot",
    "a b",
    "$(reboot)",
    "`reboot`",
    "a|b",
    "a\nb",
    "a&b",
    "../x",
    "",
    "ü",
    "a'b",
]
words = st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), max_size=40)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_refused(name: str) -> None:
    for changes in ({"host": name}, {"user": name}):
        with pytest.raises(ValidationError):
            SshAddress.model_validate({"host": "a", "user": "b", **changes})


@pytest.mark.parametrize("host", ["node-1.example.org", "192.0.2.7", "2001:db8::1", "[2001:db8::1]", "fe80::1%eth0"])
def test_names_and_addresses_are_taken(host: str) -> None:
    assert SshAddress(host=host, user="bench").host == host


@given(argv=st.lists(words, min_size=1, max_size=4), folder=words, marker=words)
def test_a_shell_gets_every_argument_as_one_word(argv: list[str], folder: str, marker: str) -> None:
    shell, option, _, *words_of_load = shlex.split(load_command(argv, marker, folder, 7))
    assert (shell, option) == ("sh", "-c")
    assert words_of_load == ["wattmark-adopt", KEEP, marker, "12", "7", folder, *argv]


@given(owner=words)
def test_an_owner_is_no_pattern_and_no_command(owner: str) -> None:
    *_, name, pattern, folders = shlex.split(clear_command(owner, owner))
    assert name == "wattmark-clear"
    assert len(shlex.split(clear_command(owner, owner))) == 6
    assert pattern.replace("\\", "") == owner.replace("\\", "")
    assert folders == owner


@pytest.mark.parametrize(("name", "value"), [("A B", "x"), ("A;reboot", "x"), ("", "x"), ("A", "x\ny"), ("A", "x\0")])
def test_a_variable_that_would_be_two_is_refused(name: str, value: str) -> None:
    with pytest.raises(WorkloadFailed, match="cannot be passed on"):
        environment_lines({name: value})


def test_nothing_asks_for_more_rights() -> None:
    assert "sudo" not in load_command(["true"], "m", "/tmp", 0) + clear_command("o")
