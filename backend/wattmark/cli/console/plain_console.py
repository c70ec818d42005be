"""A console that prints text as it is: no markup, no emoji, no colours by itself, no orders to the terminal."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from rich.console import Console
from rich.text import Text

from wattmark.cli.console.output import USUAL_WIDTH, visible


class PlainConsole(Console):
    """Print what people and devices wrote."""

    def __init__(self, **options: Any) -> None:
        if os.environ.get("NO_COLOR"):  # rich itself takes only the colours away, and leaves bold and italic
            options.setdefault("color_system", None)
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **how: Any) -> Text:
        """Make text of a string, which may come from a device or from a file of others."""
        return super().render_str(visible(text), **how)

    @property
    def text_width(self) -> int:
        """Return how many columns sentences take: those of the terminal, but no more than a line that is well read."""
        return min(self.width, USUAL_WIDTH) if self.is_terminal else USUAL_WIDTH


@cache
def console() -> PlainConsole:
    """Create a console for progress and words; standard output stays free for results."""
    return PlainConsole(stderr=True, soft_wrap=True)
