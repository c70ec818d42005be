"""The compiled catalogue says what the YAML files say, and only as long as they say it."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from wattmark_drivers.catalogue import parse_declaration
from wattmark_drivers.catalogue.compiled import FILE, digest_of, read_compiled
from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.loader import Catalogue, load_catalogue

MODELS = files("wattmark_drivers.catalogue").joinpath("models")
MODEL = "eastron.sdm120"
TEXT = MODELS.joinpath(f"{MODEL}.yaml").read_bytes()


@pytest.mark.parametrize("model", list(load_catalogue()))
def test_json_and_yaml_give_the_same_declaration(model):
    declared = parse_declaration(MODELS.joinpath(f"{model}.yaml").read_text("utf-8"), f"{model}.yaml")
    assert Declaration.model_validate_json(declared.model_dump_json(exclude_unset=True)) == declared


@pytest.fixture
def folder(tmp_path):
    (tmp_path / f"{MODEL}.yaml").write_bytes(TEXT)
    return tmp_path


def entry(title: str) -> str:
    declared = parse_declaration(TEXT.decode(), f"{MODEL}.yaml")
    return declared.model_copy(update={"title": title}).model_dump_json(exclude_unset=True)


def test_an_entry_is_used_while_its_file_is_unchanged(folder):
    assert Catalogue(folder, {MODEL: (digest_of(TEXT), entry("Compiled"))})[MODEL].title == "Compiled"
    (folder / f"{MODEL}.yaml").write_bytes(TEXT + b"\n")
    assert Catalogue(folder, {MODEL: (digest_of(TEXT), entry("Compiled"))})[MODEL].title != "Compiled"


@pytest.mark.parametrize("content", [None, "", "[]", "{", '{"a": 1}', '{"a": ["b"]}'])
def test_what_cannot_be_read_is_no_entry(tmp_path, content):
    if content is not None:
        (tmp_path / FILE).write_text(content)
    assert read_compiled(tmp_path) == {}


def test_what_was_written_is_read(tmp_path):
    (tmp_path / FILE).write_text(json.dumps({MODEL: ("digest", "{}")}))
    assert read_compiled(tmp_path) == {MODEL: ("digest", "{}")}
