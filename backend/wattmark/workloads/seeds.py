"""Which workloads of published articles can be run today, and why the others cannot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter
from ruamel.yaml import YAML

from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.part import Part, Word


class PublishedOnly(Part):
    """A published workload that cannot be run today."""

    title: Word
    reason: Word


@cache
def published_only() -> Mapping[str, PublishedOnly]:
    """Load the workloads that exist in print alone, by their id."""
    text = (files(__package__) / "published_only.yaml").read_text("utf-8")
    return TypeAdapter(dict[str, PublishedOnly]).validate_python(YAML(typ="safe", pure=True).load(text))


def live_counterparts(published: str) -> tuple[str, ...]:
    """Name the workloads of the catalogue that stand for a published one."""
    return tuple(item.id for item in load_catalogue().values() if published in item.stands_for)
