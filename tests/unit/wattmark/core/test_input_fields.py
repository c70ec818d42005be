"""Every field of every input model is constrained: no text or number of any size and kind comes in by any of them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
import wattmark
from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError, WrapValidator
from wattmark.core.inputs import LINE, PROSE, REAL, SCALAR, VERBATIM, Input, Real, Text, Whole

PLAIN = {str, int, float}
TEXTS = ("a\x1b[2J", "a\x00", "a\u202eb", "a\u2028b", "a\ud800", "x" * 5000)
"""A terminal's command, a NUL, a turned order, an end of line, half a character, and a whole page."""
WHOLES = (2**63, -(2**63) - 1)
REALS = (float("inf"), float("nan"), 1e31, -1e31)


@cache
def models() -> tuple[type[Input], ...]:
    for module in pkgutil.walk_packages(wattmark.__path__, "wattmark."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    left: list[type[Input]] = [Input]
    for model in left:
        left += model.__subclasses__()
    return tuple(dict.fromkeys(model for model in left if model.__module__.startswith("wattmark.")))


def forms(annotation: Any) -> list[Any]:
    """List the alternatives of a union, without what constrains them."""
    if get_origin(annotation) is Annotated:
        return forms(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [form for branch in get_args(annotation) for form in forms(branch)]
    return [annotation]


def scalars(annotation: Any) -> Iterator[Any]:
    """List the texts and numbers in a type, in containers and unions too, each with what constrains it."""
    if annotation in PLAIN:
        yield annotation
    elif get_origin(annotation) is Annotated:
        if PLAIN.intersection(forms(annotation)):
            yield annotation
        for form in forms(annotation):
            if form not in PLAIN:
                yield from scalars(form)
    elif get_origin(annotation) is not Literal:
        for part in get_args(annotation):
            yield from scalars(part)


def fields() -> Iterator[tuple[str, Any]]:
    """List the texts and numbers in the fields of all models."""
    for model in models():
        for name, field in model.model_fields.items():
            annotation = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
            for scalar in scalars(annotation):
                yield f"{model.__name__}.{name}", scalar


def slips_through(annotation: Any) -> list[str]:
    """List the values that a field must refuse and this type takes."""
    adapter: TypeAdapter[Any] = TypeAdapter(annotation, config=Input.model_config)

    def takes(value: Any) -> bool:
        try:
            adapter.validate_python(value)
        except ValidationError:
            return False
        return True

    kinds, metadata = forms(annotation), get_args(annotation)[1:]
    values: list[Any] = [] if bool in kinds or not {int, float} & set(kinds) else [True]
    values += WHOLES if int in kinds else ()
    values += REALS if float in kinds else ()
    if str in kinds and VERBATIM not in metadata:
        values += TEXTS
        values += () if PROSE in metadata else ("a\nb",)
        values += () if takes("") else (" \u00a0 ",)
    return [repr(value)[:20] for value in values if takes(value)]


def test_no_field_takes_any_text_or_number() -> None:
    assert len(models()) > 60
    assert {name: slipped for name, scalar in fields() if (slipped := slips_through(scalar))} == {}


def test_limits_stand_in_front_of_the_check() -> None:
    """Behind it pydantic leaves a pattern out of the OpenAPI description and spells a bound in words of its own."""
    behind = []
    for name, scalar in fields():
        metadata = get_args(scalar)[1:]
        checks = [isinstance(item, AfterValidator | BeforeValidator | WrapValidator) for item in metadata]
        behind += [name] if checks != sorted(checks) else []
    assert behind == []


@pytest.mark.parametrize(
    "annotation",
    [
        str,
        int | None,
        list[float],
        dict[str, Real],
        dict[Text, int],
        Annotated[float, Field(gt=0)],
        Annotated[float, Field(gt=0, le=60)],
        Annotated[float, Field(gt=0)] | None,
        Annotated[list[str] | None, Field(max_length=3)],
        tuple[Annotated[str, Field(max_length=60)], ...],
        Annotated[str, Field(min_length=1), LINE],
        Annotated[str, PROSE],
        Real | str,
    ],
)
def test_a_field_without_a_constraint_is_found(annotation: Any) -> None:
    assert any(slips_through(scalar) for scalar in scalars(annotation))


@pytest.mark.parametrize(
    "annotation",
    [
        Text,
        Whole | None,
        dict[Text, list[Real]],
        Annotated[float, Field(gt=0, le=60), REAL],
        Annotated[str, VERBATIM],
        Annotated[str, Field(pattern="^[a-z]{1,8}$")],
        Annotated[str, Field(max_length=4000), PROSE],
        Annotated[str | int, SCALAR],
        Literal["a"],
    ],
)
def test_a_field_with_one_is_not(annotation: Any) -> None:
    assert not any(slips_through(scalar) for scalar in scalars(annotation))
