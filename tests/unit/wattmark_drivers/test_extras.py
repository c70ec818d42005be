"""An engine whose library is not installed names the extra that brings it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from wattmark_drivers.engines import ENGINES, find_engine
from wattmark_drivers.errors import ConfigurationError

EXTRAS = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


@pytest.mark.parametrize(
    ("engine", "package", "extra"),
    [
        ("redfish", "httpx2", "redfish"),
        ("http", "httpx2", "plugs"),
        ("snmp", "pysnmp", "snmp"),
        ("kasa", "kasa", "kasa"),
        ("mqtt", "aiomqtt", "mqtt"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(monkeypatch, engine, package, extra):
    folder = ENGINES[engine].module.rpartition(".")[0]
    for name in [*sys.modules]:
        if name.startswith((folder, "wattmark_drivers.http_client", package)):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigurationError, match=rf"need the Python package {package}.*wattmark\[{extra}\]"):
        find_engine(engine)
    assert any(package in requirement for requirement in EXTRAS[extra])


def test_every_extra_that_an_engine_names_exists():
    assert {item.extra for item in ENGINES.values() if item.extra} <= set(EXTRAS)
