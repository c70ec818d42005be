"""Where warnings of all rooms go while a command runs."""

from __future__ import annotations

import logging
import sys


def log_to_console() -> None:
    """Send warnings of all rooms to the console that shows progress, so that lines do not cut each other.

    Into a file or a journal each goes as one plain line.
    """
    if sys.stderr.isatty():
        from rich.logging import RichHandler

        from wattmark.cli.console.plain_console import console

        handler = RichHandler(console=console(), show_path=False, show_level=False, log_time_format="%H:%M:%S")
        logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[handler])
    else:
        logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("pymodbus").setLevel(logging.CRITICAL + 1)
