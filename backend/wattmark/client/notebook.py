"""The cell magic of Jupyter: `%%wattmark NAME --ops N` measures a cell."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from typing import Any, NoReturn

from . import AS_IS, ClientError, Result, measure

Magic = Callable[[str, str], Result | None]


class _Parser(argparse.ArgumentParser):
    """Parses the line of the magic; a wrong one is an error like any other, and does not end the kernel."""

    def error(self, message: str) -> NoReturn:
        raise ClientError(f"%%wattmark: {message}.", " ".join(self.format_usage().split()))


def cell_magic(shell: Any) -> Magic:
    """Return the magic for an IPython shell."""
    parser = _Parser(prog="%%wattmark", add_help=False)
    parser.add_argument("name", nargs="?", default="cell")
    parser.add_argument("--ops", help="work that the cell does: a number, or an expression evaluated after it")
    parser.add_argument("--unit", default="operations")
    parser.add_argument("--server")
    parser.add_argument("--configuration", default=AS_IS)
    parser.add_argument("--url")

    def wattmark(line: str, cell: str) -> Result | None:
        """Run a cell and measure its power, its energy, and its work per joule where --ops counts it."""
        options = parser.parse_args(shlex.split(line))
        measurement = measure(
            options.name, unit=options.unit, server=options.server, configuration=options.configuration, url=options.url
        ).begin()
        try:
            done = shell.run_cell(cell)
            amount = _amount(shell, options.ops) if done.success else None
        except BaseException:
            measurement.drop()
            raise
        if not done.success:
            measurement.drop()
            return None
        return measurement.end(amount)

    return wattmark


def _amount(shell: Any, text: str | None) -> float | None:
    """Read an amount of work: a number, or an expression of the notebook."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return float(shell.ev(text))
