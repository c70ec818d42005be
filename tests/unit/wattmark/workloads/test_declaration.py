from __future__ import annotations

import math
import shutil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from wattmark.workloads.catalogue import list_workloads, load_catalogue, members
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.local.programs import missing_program
from wattmark.workloads.parsers.parsers import LoadgenLogs
from wattmark.workloads.placeholders import fill

OWN: dict[str, Any] = {
    "id": "own",
    "title": "Own",
    "unit": "ops",
    "command": ["./load", "--clients={level}", "{seconds}", "{cpus}", "{print $1}"],
    "level": {"one": "client", "many": "clients", "default": 8},
    "parser": {"kind": "regex", "pattern": "(?P<value>.)", "reports": "interval-rate"},
}


def test_the_catalogue_offers_rsa_by_key_length() -> None:
    bits = (512, 1024, 2048, 3072, 4096)
    assert set(load_catalogue()) >= {f"openssl.rsa{n}-{op}" for n in bits for op in ("sign", "verify")}
    sign = load_catalogue()["openssl.rsa2048-sign"]
    assert sign.argv(level=4, seconds=5, cpus=2) == (
        "openssl",
        "speed",
        "-seconds",
        "5",
        "-multi",
        "4",
        "-mr",
        "rsa2048",
    )
    assert (sign.unit, load_catalogue()["openssl.rsa2048-verify"].unit) == ("signs", "verifies")


@pytest.mark.parametrize("declaration", list_workloads(), ids=lambda declaration: declaration.id)
def test_every_shipped_workload_is_complete(declaration: Declaration) -> None:
    assert declaration.source
    assert declaration.package
    assert declaration.version or isinstance(declaration.parser, LoadgenLogs)  # whose logs tell the version
    assert "{" not in declaration.id + declaration.title


def test_a_family_is_written_out_with_every_combination() -> None:
    family = {**OWN, "id": "own{a}-{b}", "each": {"a": [1, 2], "b": ["x", "y"]}}
    assert [member.id for member in members(family)] == ["own1-x", "own1-y", "own2-x", "own2-y"]


def test_arguments_are_filled_and_other_braces_stay() -> None:
    own = Declaration.model_validate(OWN)
    assert own.argv(level=3, seconds=10, cpus=2) == ("./load", "--clients=3", "10", "2", "{print $1}")
    assert own.level_text(1) == "1 client"
    assert own.level_text(3) == "3 clients"


def test_a_value_is_not_looked_at_again() -> None:
    assert fill("{a}{b}", {"a": "{b}", "b": "{a}"}) == "{b}{a}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"command": ["x", "{secnds}"]}, "the placeholders {level}, {seconds}, {longer}"),
        ({"command": []}, "a command, or a parser of the kind markers and no command"),
        ({"command": "sh -c x"}, "valid tuple"),
        ({"level": None}, "a level (one, many, default) for the placeholder {level}"),
        ({"parser": {"kind": "regex", "pattern": "(", "reports": "total"}}, "a regular expression"),
        ({"parser": {"kind": "regex", "pattern": "x", "reports": "total"}}, "the group (?P<value>...)"),
        (
            {"parser": {**OWN["parser"], "begin": "x"}},
            "took, sum and mean cannot be combined with interval",
        ),
        ({"parser": {**OWN["parser"], "reports": "total"}, "warm_up_s": 5}, "interval reports together with warm_up_s"),
        ({"unit": "ops/s"}, "should match pattern"),
        ({"id": "-rf"}, "should match pattern"),
    ],
)
def test_declarations_that_cannot_work_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Declaration.model_validate({**OWN, **change})
    assert message in str(caught.value)


@settings(deadline=None)
@given(st.floats(1, 90_000), st.integers(1, 3600))
def test_slices_are_equal_whole_seconds_that_fill_the_time(seconds: float, slice_s: int) -> None:
    sign = load_catalogue()["openssl.rsa1024-sign"].model_copy(update={"slice_s": slice_s})
    slices = sign.slices(seconds)
    assert sum(slices) == math.ceil(seconds)
    assert max(slices) - min(slices) <= 1
    assert min(slices) >= 1


def test_slices_and_lead_in_of_the_shipped_workloads() -> None:
    sign, verify = (load_catalogue()[f"openssl.rsa1024-{operation}"] for operation in ("sign", "verify"))
    assert sign.slices(13) == (5, 4, 4)
    assert sign.slices(2) == (2,)
    assert sign.lead_in_s(13) == 0
    assert verify.slices(13) == (13,)
    assert verify.lead_in_s(13) == 13


def test_a_program_that_is_not_there_comes_with_its_package(tmp_path: Any) -> None:
    own = Declaration.model_validate({**OWN, "package": "load-tools"})
    assert missing_program(own, tmp_path) == "The program ./load is not installed; apt-get install load-tools."
    load = tmp_path / "load"
    load.write_text("#!/bin/sh\n")
    load.chmod(0o700)
    assert missing_program(own, tmp_path) is None
    assert shutil.which("openssl")
    assert missing_program(load_catalogue()["openssl.rsa512-sign"], tmp_path) is None


def test_parameters_stay_inside_their_argument_and_look_like_no_option() -> None:
    page = load_catalogue()["web.wrk"]
    assert page.missing_parameters() == ("host",)
    assert page.parameters["host"].accepts("web7.lab")
    for value in ("-oProxyCommand=x", "--help", "a b", "$(reboot)", "a;b", ""):
        assert not page.parameters["host"].accepts(value)


def test_programs_are_those_of_the_command_and_what_it_calls() -> None:
    assert list(load_catalogue()["fractal"].programs()) == [("cc", "gcc")]
    assert list(load_catalogue()["order-entry.pgsql"].programs()) == [
        ("pgbench", "postgresql-contrib"),
        ("psql", "postgresql-client"),
    ]


@pytest.mark.parametrize(
    ("name", "asked_s"),
    [
        ("openssl.rsa2048-sign", 20.0),
        ("sysbench.cpu", 20.0),
        ("web.ab", 20.0),
        ("fractal", 20.0),
        ("mlperf.loadgen", None),
        ("7zip", None),
        ("web.by-rate", None),
    ],
)
def test_who_is_told_a_length_is_asked_for_it_and_who_ends_when_its_work_is_done_is_not(
    name: str, asked_s: float | None
) -> None:
    assert load_catalogue()[name].asked_s(20.0) == asked_s
