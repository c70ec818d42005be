"""What commands print: words for people on the terminal, one JSON document for scripts."""

from __future__ import annotations

import json
import logging
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""All but tab and line feed."""


@cache
def console() -> Console:
    """Create a console for progress and words; standard output stays free for results."""
    from wattmark.cli.console.plain_console import PlainConsole

    return PlainConsole(stderr=True, soft_wrap=True)


def log_to_console() -> None:
    """Send warnings of all rooms to the console that shows progress, so that lines do not cut each other.

    Into a file or a journal each goes as one plain line.
    """
    if console().is_terminal:
        from rich.logging import RichHandler

        handler = RichHandler(console=console(), show_path=False, show_level=False, log_time_format="%H:%M:%S")
        logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[handler])
    else:
        logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("pymodbus").setLevel(logging.CRITICAL + 1)


def emit_json(document: Any) -> None:
    """Print one JSON document on standard output and nothing else."""
    sys.stdout.write(json_text(document))
    sys.stdout.flush()


def json_text(document: Any) -> str:
    """Write a JSON document as text that ends with a newline."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def visible(text: str) -> str:
    """Write control characters as Python does, so that what devices and files say gives a terminal no orders."""
    return _CONTROLS.sub(lambda match: repr(match[0])[1:-1], text)


def fail(cause: str, remedy: str, code: int, *, as_json: bool) -> int:
    """Explain what went wrong and what to do; returns the exit code."""
    if as_json:
        emit_json({"error": {"cause": cause, "remedy": remedy, "exit_code": code}})
    sys.stderr.write(visible(f"wattmark: {cause}\n"))
    if remedy:
        sys.stderr.write(visible(f"  {remedy}\n"))
    return code
