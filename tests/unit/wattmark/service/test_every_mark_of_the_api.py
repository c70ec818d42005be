"""Every answer of the service with a measured figure says whether a simulator gave it, in its object or around it.

The answers come from the service's own description of them: a new route, or a new field, is walked too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

API = Path(__file__).parents[4] / "frontend/openapi.json"
FIGURES = {"Quantity", "BudgetedQuantity", "Interval", "Interval95", "PlusMinus"}
WATTS = re.compile(r"(^|_)(power_w|mean_w)$")
MARK = re.compile(r"simulated|^kind$|^marks$")
NOT_MEASURED = {
    "LoadLimits.max_power_w": "a limit that a person sets",
    "ForecastRow.power_w": "expected of a plan, not measured",
    "LimitOut.power_w": "where the limits of a model are computed",
    "ModelLimitsOut.power_w": "where the limits of a model are computed",
    "ModelRangeOut.power_w": "the end of a range",
    "CurvePoint.power_w": "a place on the curve of a certificate",
    "CurvePoint.error_w": "of the curve of a certificate",
    "MeterMean.mean_w": "of a file that a person imports; nothing is stored yet",
    "CheckChartOut.drift": "of the readings beside it, which say it one by one",
    "FigureElsewhere.figure": "published by others: the list that it stands in holds nothing else",
    "ComparePair.ratio": "of two groups beside it, each of which says it",
    "MatrixMean.ratio": "of the cells beside it, each of which says it",
    "RingLab.value": "of the item beside it, which says it for all laboratories",
    "RingLab.difference": "of the item beside it, which says it for all laboratories",
    "UserPoint.energy": "of the configuration beside it, which says it for all of its levels",
}
"""Watts without a mark of their own, and why."""


def named(part: Any) -> Iterator[str]:
    """List the schemas that a part of the description refers to."""
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"].rpartition("/")[2]
        for key, value in part.items():
            if key != "description":
                yield from named(value)
    elif isinstance(part, list):
        for value in part:
            yield from named(value)


def unmarked(schemas: dict[str, Any], name: str, around: frozenset[str] = frozenset()) -> Iterator[str]:
    """List the figures of an object and of those in it that have no mark beside or around them."""
    properties = schemas[name].get("properties", {})
    if any(MARK.search(key) for key in properties):
        return
    for key, value in properties.items():
        inner = set(named(value))
        if inner & FIGURES or WATTS.search(key):
            yield f"{name}.{key}"
        for each in inner - around - FIGURES:
            yield from unmarked(schemas, each, around | {each})


def test_every_figure_of_every_answer_has_a_mark_in_reach() -> None:
    api = json.loads(API.read_text())
    schemas = api["components"]["schemas"]
    answers = {
        name
        for verbs in api["paths"].values()
        for operation in verbs.values()
        for status, response in operation.get("responses", {}).items()
        if status.startswith("2")
        for name in named(response)
    }
    assert {"RunOut", "RunRows", "CompareOut", "MemoryOut", "ArchiveOut"} <= answers, "the walk sees answers"
    bare = {figure for answer in answers for figure in unmarked(schemas, answer)}
    assert bare == NOT_MEASURED.keys()
