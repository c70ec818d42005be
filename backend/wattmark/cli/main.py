"""The program `wattmark`: its commands, and the one place where errors become words and exit codes."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from wattmark_drivers.errors import ConfigurationError, DriverError

from wattmark.cli.commands import GROUPS
from wattmark.cli.console.output import fail
from wattmark.cli.console.own_environment import set_own
from wattmark.cli.lazy import COMPLETE, PROGRAM, lazy_group
from wattmark.core.errors import WattmarkError
from wattmark.core.version import version

if TYPE_CHECKING:
    from typer._click import Command

HELP = "Measure wall power under full load and compare servers by performance per watt."
INTERRUPTED = 130


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"wattmark {version()}")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    from wattmark.cli.console.log import log_to_console  # not for --help and --version, which end before

    log_to_console()


def build() -> Command:
    """Assemble the commands; none is imported before it is called."""
    return lazy_group(PROGRAM, GROUPS, _root, HELP)


def _know_shells() -> None:
    """Let the program answer a shell that completes; other starts do without what this imports."""
    from typer._completion_classes import completion_init

    completion_init()


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 the work failed, 2 wrong usage or input."""
    as_json = "--json" in sys.argv[1:]
    set_own("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads would cost memory and save no time
    set_own("PYDANTIC_DISABLE_PLUGINS", "__all__")  # else pydantic searches every installed package
    try:
        if COMPLETE in os.environ:
            _know_shells()
        build()()
    except WattmarkError as error:
        sys.exit(fail(error.cause, error.remedy, error.exit_code, as_json=as_json))
    except DriverError as error:
        code = 2 if isinstance(error, ConfigurationError) else 1
        sys.exit(fail(error.cause, error.remedy, code, as_json=as_json))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        sys.exit(
            fail("There is no space left for the output.", "Free space, or write to another disk.", 1, as_json=False)
        )
