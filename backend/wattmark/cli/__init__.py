"""The command line; its names, options, JSON and exit codes are stable: others script against them."""

from wattmark.cli.main import main

__all__ = ["main"]
