"""What commands print without rich: one JSON document for scripts, and why a command failed."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

USUAL_WIDTH = 100
"""Columns of text where nothing tells how wide the reader's window is."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""All but tab and line feed."""


def emit_json(document: Any) -> None:
    """Print one JSON document on standard output and nothing else; records become what the API answers of them."""
    sys.stdout.write(json_text(document))
    sys.stdout.flush()


def json_text(document: Any) -> str:
    """Write a JSON document as text that ends with a newline."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False, default=_plain) + "\n"


def _plain(record: Any) -> Any:
    """Convert a model or a dataclass to JSON data."""
    from pydantic_core import to_jsonable_python  # most documents are plain, and commands start without it

    return to_jsonable_python(record)


def visible(text: str) -> str:
    """Write control characters as Python does, so that what devices and files say gives a terminal no orders."""
    return _CONTROLS.sub(lambda match: repr(match[0])[1:-1], text)


def fail(cause: str, remedy: str, code: int, *, as_json: bool) -> int:
    """Explain what went wrong and what to do; returns the exit code."""
    if as_json:
        emit_json({"error": error_document(cause, remedy, code)})
    sys.stderr.write(visible(f"wattmark: {cause}\n"))
    if remedy:
        sys.stderr.write(visible(f"  {remedy}\n"))
    return code


def error_document(cause: str, remedy: str, code: int) -> dict[str, Any]:
    """Write what went wrong for scripts."""
    return {"cause": cause, "remedy": remedy, "exit_code": code}
