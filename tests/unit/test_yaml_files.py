"""The YAML files that ship with wattmark mean the same to libyaml, where it is installed, and without it."""

from __future__ import annotations

from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
FILES = [*ROOT.glob("backend/wattmark/**/*.yaml"), *ROOT.glob("drivers/wattmark_drivers/**/*.yaml")]


def test_both_parsers_agree() -> None:
    assert YAML(typ="safe").Parser is not YAML(typ="safe", pure=True).Parser
    assert len(FILES) > 100
    for file in FILES:
        text = file.read_text("utf-8")
        assert YAML(typ="safe").load(text) == YAML(typ="safe", pure=True).load(text), file
