"""What comes in from people and programs: the base of every order, file and declaration, and the types of its fields.

A field takes `Text`, `Real`, `Whole` or `Scalar`, so that true and false are no numbers, a number is finite and of a
size that can be computed with, and a text is one printable line, not a whole book. A field with limits of its own
writes them in front of the check: ``Annotated[float, Field(gt=0, le=60), REAL]``. Behind a check pydantic would leave
them out of the OpenAPI description. A test walks all models and refuses a field without any of this.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import PydanticCustomError

from wattmark.core.amounts import MOST

LONGEST = 4096
LONGEST_FILE_NAME = 255
"""Bytes that the file systems of Linux allow."""
LARGEST = 2**63 - 1
"""Instants in nanoseconds need that much; no database keeps more."""
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that turn the order of what follows, so that a text reads as another one."""
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


def _check_line(text: str) -> str:
    """Check that a text is one line; a final line end, as YAML adds to folded text, is removed."""
    if len(text) > LONGEST:
        raise PydanticCustomError("line", "Input should be at most {most} characters", {"most": LONGEST})
    text = text.removesuffix("\n")
    if not is_printable(text):
        raise PydanticCustomError("line", "Input should be one line of text that can be printed")
    return text


def _check_filled_line(text: str) -> str:
    text = _check_line(text)
    if not text.strip():
        raise PydanticCustomError("blank", "Input should be text, not spaces alone")
    return text


def _check_file_name(text: str) -> str:
    text = _check_filled_line(text)
    if len(text.encode()) > LONGEST_FILE_NAME:
        raise PydanticCustomError(
            "file_name", "Input should be at most {most} bytes in UTF-8", {"most": LONGEST_FILE_NAME}
        )
    return text


def _check_prose(text: str) -> str:
    if not is_printable(text.replace("\n", "").replace("\t", "")):
        raise PydanticCustomError("prose", "Input should be text that can be printed")
    return text


def _check_real(value: Any, validate: ValidatorFunctionWrapHandler) -> float:
    _refuse_bool(value)
    return _limit_real(validate(value))


def _check_whole(value: Any, validate: ValidatorFunctionWrapHandler) -> int:
    _refuse_bool(value)
    return _limit_whole(validate(value))


def _check_scalar(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Check a value against the union's result; booleans are accepted only where it has bool."""
    scalar = validate(value)
    if isinstance(scalar, bool):
        return scalar
    if isinstance(scalar, str):
        return _check_line(scalar)
    _refuse_bool(value)
    return _limit_whole(scalar) if isinstance(scalar, int) else _limit_real(scalar)


def _refuse_bool(value: Any) -> None:
    if isinstance(value, bool):
        raise PydanticCustomError("number_type", "Input should be a number")


def _limit_real(number: float) -> float:
    if abs(number) > MOST:
        raise PydanticCustomError("number_size", "Input should be a number of at most {most}", {"most": f"{MOST:g}"})
    return number


def _limit_whole(number: int) -> int:
    if abs(number) > LARGEST:
        raise PydanticCustomError("number_size", "Input should be a number of at most 63 bits")
    return number


def is_printable(text: str) -> bool:
    """Return whether a text is free of control characters, line ends, and characters that reverse its direction."""
    return text.isprintable() or not any(unicodedata.category(sign) in _UNPRINTABLE or sign in _BIDI for sign in text)


REAL = WrapValidator(_check_real)
WHOLE = WrapValidator(_check_whole)
SCALAR = WrapValidator(_check_scalar)
"""Check of a union of texts and numbers, put around the union, so that errors name the field and not a branch."""
LINE = AfterValidator(_check_line)
FILLED_LINE = AfterValidator(_check_filled_line)
FILE_NAME = AfterValidator(_check_file_name)
"""Check of a line that says something, beside ``min_length=1``."""
PROSE = AfterValidator(_check_prose)
"""Check of a text that may have several lines, beside a ``max_length``."""
VERBATIM = "taken as it is"
"""Mark of a text that nothing is asked of: a program's argument, a whole file."""

Real = Annotated[float, REAL]
Whole = Annotated[int, WHOLE]
Text = Annotated[str, LINE]
Scalar = Annotated[str | int | float | bool, SCALAR]
"""A setting whose type is its own."""


class Input(BaseModel):
    """Base of what comes in: unknown fields are an error, and no number is infinite."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, defer_build=True)
