"""The part of each declaration that a list of models needs, read without the tables that are slow to load."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, get_args

from ruamel.yaml import YAML

from wattmark_drivers.catalogue.compiled import SUFFIX
from wattmark_drivers.catalogue.protocol_map import ProtocolMap
from wattmark_drivers.catalogue.protocols import Protocol

KEYS = ("id", "maker", "model", "title", "indicative", "transports")
_ENGINE = re.compile(r"^\s+engine:\s*(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ModelHead:
    """A model as a list shows it. ``schemes`` are all ways to reach it."""

    id: str
    maker: str
    model: str
    title: str
    engine: str
    schemes: tuple[str, ...]
    indicative: bool


@cache
def model_heads() -> tuple[ModelHead, ...]:
    """List the models of the catalogue by their id; the tests hold this against the declarations themselves."""
    folder = files(__package__).joinpath("models")
    entries = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(SUFFIX))
    return tuple(_head(folder.joinpath(name).read_text("utf-8")) for name in entries)


def _head(text: str) -> ModelHead:
    blocks = {key: block for key, block in _blocks(text) if key in (*KEYS, "protocol")}
    engine = _ENGINE.search(blocks.pop("protocol"))
    if engine is None:
        raise ValueError("the declaration names no engine")
    head: dict[str, Any] = YAML(typ="safe").load("".join(blocks.values()))
    return ModelHead(
        id=head["id"],
        maker=head["maker"],
        model=str(head["model"]),
        title=head["title"],
        engine=engine[1],
        schemes=_reached_by([transport["scheme"] for transport in head["transports"]], _tables()[engine[1]]),
        indicative=head.get("indicative", False),
    )


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Split a declaration at its outermost keys."""
    for block in re.split(r"^(?=[a-z_]+:)", text, flags=re.MULTILINE):
        yield block.partition(":")[0], block


def _reached_by(schemes: list[str], table: type[ProtocolMap]) -> tuple[str, ...]:
    carried = (way for way, origin in table.carried.items() if origin in schemes and way not in schemes)
    return (*schemes, *carried)


@cache
def _tables() -> dict[str, type[ProtocolMap]]:
    kinds = get_args(get_args(Protocol)[0])
    return {get_args(kind.model_fields["engine"].annotation)[0]: kind for kind in kinds}
