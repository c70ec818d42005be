"""What comes from outside: no truth as a number, nothing that cannot be printed, and the field is named."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from fastapi import Query
from fastapi.routing import iter_route_contexts
from pydantic import Field, TypeAdapter, ValidationError
from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.campaigns.routes.campaign import StartCampaign
from wattmark.core.inputs import FILLED_LINE, LARGEST, PROSE, REAL, SCALAR, VERBATIM, Input, Real, Scalar, Text, Whole
from wattmark.runs.annotations.annotation import Note
from wattmark.runs.annotations.views import NoteOrder, TagOrder
from wattmark.service.app import create_app
from wattmark.traceability.certificates.views import OverrideIn
from wattmark.traceability.check_standards.views import NewReading

PLAN = {"name": "p", "configurations": ["s/c"], "workloads": ["w"]}


class Inner(Input):
    """A model in a model."""

    watts: Real


class Order(Input):
    """Every kind of field."""

    number: Annotated[float, Field(ge=1), REAL] = 1.0
    count: Whole | None = None
    pulses: tuple[Annotated[float, Field(ge=0.5), REAL], ...] = ()
    limits: dict[Text, Whole] = {}
    level: Annotated[int | float | str, SCALAR] = 1
    setting: Scalar = True
    name: Annotated[str, Field(min_length=1), FILLED_LINE] = "x"
    type: Text = ""
    note: Annotated[str, PROSE] = ""
    text: Annotated[str, VERBATIM] = ""
    inner: Inner | None = None
    inners: list[Inner] = []
    yes: bool = False


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("number", True),
        ("number", float("inf")),
        ("number", float("nan")),
        ("number", 10**400),
        ("count", False),
        ("count", LARGEST + 1),
        ("count", -(10**400)),
        ("pulses", [1, True]),
        ("limits", {"a": True}),
        ("limits", {"a\x1b[2J": 1}),
        ("level", True),
        ("level", "all\r\nof them"),
        ("level", 1e31),
        ("setting", LARGEST + 1),
        ("setting", "two\nlines"),
        ("name", ""),
        ("name", "  \u00a0 "),
        ("name", "first\nsecond"),
        ("name", "tab\there"),
        ("name", "\x1b[2J"),
        ("name", "\u202egnp.exe"),
        ("name", "line\u2028separator"),
        ("name", "next\u0085line"),
        ("name", "\ud800"),
        ("name", "x" * 5000),
        ("type", "\x00"),
        ("note", "bell\x07"),
        ("note", "\u2066turned\u2069"),
        ("inner", {"watts": True}),
        ("inners", [{"watts": 1}, {"watts": False}]),
        ("other", 1),
    ],
)
def test_what_no_field_takes(field: str, value: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        Order.model_validate({field: value})
    assert {error["loc"][0] for error in refused.value.errors()} == {field}


@pytest.mark.parametrize(
    ("field", "value", "taken"),
    [
        ("number", 2, 2.0),
        ("count", LARGEST, LARGEST),
        ("name", "4 FB-DIMMs à 2 GiB, 温度 < 30 °C — Ω", "4 FB-DIMMs à 2 GiB, 温度 < 30 °C — Ω"),
        ("name", "שלום", "שלום"),
        ("name", "folded by YAML\n", "folded by YAML"),
        ("note", "two\n\tlines", "two\n\tlines"),
        ("text", "#!/bin/sh\n\x1b[2J", "#!/bin/sh\n\x1b[2J"),
        ("level", "all", "all"),
        ("setting", False, False),
        ("yes", True, True),
    ],
)
def test_what_a_field_takes(field: str, value: Any, taken: Any) -> None:
    assert getattr(Order.model_validate({field: value}), field) == taken


def test_a_parameter_of_a_route_is_held_to_the_same() -> None:
    line = TypeAdapter(Annotated[str, Query(max_length=200), FILLED_LINE] | None)
    assert line.validate_python("a name") == "a name"
    assert line.validate_python(None) is None
    with pytest.raises(ValidationError):
        line.validate_python("two\nlines")


@pytest.mark.parametrize(
    ("model", "values", "field"),
    [
        (Plan, {**PLAN, "measure_s": True}, "measure_s"),
        (Plan, {**PLAN, "title": "a\x1b[31m"}, "title"),
        (Plan, {**PLAN, "sync_pulses_s": [3, True, 3]}, "sync_pulses_s"),
        (Bench, {"schema": "wattmark-bench/1", "lab": "Lab\nB"}, "lab"),
        (StartCampaign, {"plan": "\u202e"}, "plan"),
        (OverrideIn, {"by": "A\nB", "reason": "x", "accepts": []}, "by"),
        (NewReading, {"operator": "A", "power_w": True}, "power_w"),
        (NewReading, {"operator": "\u2066A"}, "operator"),
        (NoteOrder, {"note": "a\u202eb"}, "note"),
        (TagOrder, {"run_ids": ["r"], "add": ["a\u202eb"]}, "add"),
    ],
)  # fmt: skip
def test_orders_plans_and_benches_are_held_to_it(model: type[Input], values: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        model.model_validate(values)
    assert field in {error["loc"][0] for error in refused.value.errors()}


def test_a_note_keeps_its_lines() -> None:
    assert TypeAdapter(Note).validate_python("one\ntwo") == "one\ntwo"


def test_every_order_of_the_api_is_held_to_it() -> None:
    """A body that is a model derives from the one base; plain maps are parts of the bench, checked as a whole."""
    app = create_app(None, None)  # type: ignore[arg-type]
    app.openapi()
    bodies = {}
    for context in iter_route_contexts(app.routes):
        field = getattr(context.route, "body_field", None)
        shape = getattr(getattr(field, "field_info", None), "annotation", None)
        if isinstance(shape, type) and hasattr(shape, "model_fields"):
            bodies[str(context.path)] = shape
    assert len(bodies) > 10
    assert {path: shape.__name__ for path, shape in bodies.items() if not issubclass(shape, Input)} == {}
