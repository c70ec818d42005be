"""A workload of one's own, made from what its program prints."""

from __future__ import annotations

import shlex
from io import StringIO
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML

from wattmark.campaigns.parser_views import MadeParser, MarkingIn, NewWorkload, ParserOrder, ReadLineOut
from wattmark.core.errors import InputError
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.parsers.marked_figure import Marking, marked_parser, printed_lines, read_output
from wattmark.workloads.parsers.parsers import TextParser

_UNFOLDED = 1_000_000


def made_parser(order: ParserOrder) -> MadeParser:
    """Make the parser that the markings of an output say, with what it reads in it.

    Raises `InputError` for a marking that is no number, and for a workload that cannot be declared.
    """
    lines = printed_lines(order.output)
    marked = [_marking(marking) for marking in order.errors]
    parser = marked_parser(lines, _marking(order.figure), marked, order.reports, order.scale)
    read = read_output(parser, order.unit, lines)
    return MadeParser(
        pattern=parser.pattern,
        fails_on=parser.fails_on,
        lines=[ReadLineOut(line=each.line, begin=each.begin, end=each.end, value=each.value) for each in read.lines],
        failure=None if read.failure is None else str(read.failure),
        entry=None if order.workload is None else _entry(order.workload, order.unit, parser),
    )


def _marking(marking: MarkingIn) -> Marking:
    return Marking(marking.line, marking.begin, marking.end)


def _entry(workload: NewWorkload, unit: str, parser: TextParser) -> str:
    """Write the entry of the bench file. Raises `InputError`."""
    if workload.id in load_catalogue():
        raise InputError(f"The catalogue has a workload {workload.id!r}.", "Choose another name.")
    entry: dict[str, Any] = {
        "id": workload.id,
        "title": workload.title,
        "unit": unit,
        "command": _arguments(workload.command),
        "parser": parser.model_dump(exclude_defaults=True),
    }
    try:
        Declaration.model_validate(entry)
    except ValidationError as error:
        needed = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise InputError(f"The workload needs {needed[:300]}.", "Change its name, title or command.") from None
    text = StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.width = _UNFOLDED
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.dump({"workloads": [entry]}, text)
    return text.getvalue()


def _arguments(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise InputError(f"The command cannot be read: {error}.", "Close every quote.") from None
