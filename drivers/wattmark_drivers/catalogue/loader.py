"""Load the declarations that ship with the package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.errors import ConfigurationError

REMEDY = "Compare the file with the JSON Schema of the catalogue."


@cache
def load_catalogue() -> Mapping[str, Declaration]:
    """Load every declaration, by model id. Raises `ConfigurationError` naming a broken file."""
    found = {}
    for entry in sorted(files(__package__).joinpath("models").iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".yaml"):
            declaration = parse_declaration(entry.read_text("utf-8"), entry.name)
            if entry.name != f"{declaration.id}.yaml":
                raise ConfigurationError(f"{entry.name} declares {declaration.id}.", "Name the file after the id.")
            found[declaration.id] = declaration
    return MappingProxyType(found)


def parse_declaration(text: str, name: str) -> Declaration:
    """Check one declaration. Raises `ConfigurationError` with the file, the place in it and what is wrong."""
    try:
        return Declaration.model_validate(YAML(typ="safe", pure=True).load(text))
    except YAMLError as error:
        raise ConfigurationError(f"{name} is not YAML: {' '.join(str(error).split())}.", REMEDY) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the declaration"
        raise ConfigurationError(f"{name}: {place}: {first['msg']}.", REMEDY) from None


def catalogue_json_schema() -> dict[str, Any]:
    """Write the JSON Schema of a declaration file."""
    return Declaration.model_json_schema()
