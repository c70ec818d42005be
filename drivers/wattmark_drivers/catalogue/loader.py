"""Load the declarations that ship with the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from pydantic import ValidationError

from wattmark_drivers.catalogue.compiled import SUFFIX, Compiled, digest_of, read_compiled
from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.errors import ConfigurationError

REMEDY = "Compare the file with the JSON Schema that `wattmark meter schema` prints."


class Catalogue(Mapping[str, Declaration]):
    """The shipped declarations by model id; a file is read when its model is asked for, because YAML takes its time.

    ``catalogue[id]`` raises KeyError for an unknown model and `ConfigurationError` naming a broken file.
    """

    def __init__(self, folder: Traversable, compiled: Compiled | None = None) -> None:
        names = (entry.name for entry in folder.iterdir() if entry.name.endswith(SUFFIX))
        self._files = {name.removesuffix(SUFFIX): folder / name for name in sorted(names)}
        self._compiled = compiled or {}
        self._loaded: dict[str, Declaration] = {}

    def __getitem__(self, model: str) -> Declaration:
        """Load one declaration."""
        if model not in self._loaded:
            text = self._files[model].read_bytes()
            digest, compiled = self._compiled.get(model, ("", ""))
            if digest == digest_of(text):
                declaration = _checked(lambda: Declaration.model_validate_json(compiled), f"{model}{SUFFIX}")
            else:
                declaration = parse_declaration(text.decode(), f"{model}{SUFFIX}")
            if declaration.id != model:
                raise ConfigurationError(f"{model}{SUFFIX} declares {declaration.id}.", "Name the file after the id.")
            self._loaded[model] = declaration
        return self._loaded[model]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids in alphabetical order."""
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


@cache
def load_catalogue() -> Catalogue:
    """Find the shipped declarations."""
    package = files(__package__)
    return Catalogue(package.joinpath("models"), read_compiled(package))


def find_model(model: str) -> Declaration:
    """Find a declaration. Raises `ConfigurationError` with close matches and all models."""
    catalogue = load_catalogue()
    if model in catalogue:
        return catalogue[model]
    close = get_close_matches(model.lower(), catalogue, n=3, cutoff=0.4)
    hint = f"Did you mean {' or '.join(close)}? " if close else ""
    raise ConfigurationError(f"No meter model {model}.", f"{hint}Known models: {', '.join(sorted(catalogue))}.")


def parse_declaration(text: str, name: str) -> Declaration:
    """Check one declaration. Raises `ConfigurationError` with the file, the place in it and what is wrong."""
    from ruamel.yaml import YAML  # not for the declarations that are there in a compiled form
    from ruamel.yaml.error import YAMLError

    try:
        content = YAML(typ="safe").load(text)
    except YAMLError as error:
        raise ConfigurationError(f"{name} is not YAML: {' '.join(str(error).split())}.", REMEDY) from None
    return _checked(lambda: Declaration.model_validate(content), name)


def _checked(validate: Callable[[], Declaration], name: str) -> Declaration:
    try:
        return validate()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the declaration"
        raise ConfigurationError(f"{name}: {place}: {first['msg']}.", REMEDY) from None


def catalogue_json_schema() -> dict[str, Any]:
    """Write the JSON Schema of a declaration file."""
    return Declaration.model_json_schema()
