"""The program `wattmark`: its commands, and the one place where errors become words and exit codes."""

from __future__ import annotations

import errno
import sys
from typing import Annotated

import typer
from wattmark_drivers.errors import ConfigurationError, DriverError

from wattmark.cli import bench, importing
from wattmark.cli.compare import compare
from wattmark.cli.demo import demo
from wattmark.cli.doctor import doctor
from wattmark.cli.memory import memory
from wattmark.cli.output import fail, log_to_console
from wattmark.cli.results import results
from wattmark.cli.run import run
from wattmark.cli.scaling import scaling
from wattmark.cli.serve import serve
from wattmark.cli.table import table
from wattmark.errors import WattmarkError
from wattmark.version import version

INTERRUPTED = 130


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"wattmark {version()}")
        raise typer.Exit


def build() -> typer.Typer:
    """Assemble the commands."""
    app = typer.Typer(
        name="wattmark",
        help="Measure wall power under full load and compare servers by performance per watt.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback()
    def root(
        _version: Annotated[
            bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
        ] = False,
    ) -> None:
        """Measure wall power under full load and compare servers by performance per watt."""

    app.add_typer(bench.app, name="bench", help="Check a bench file.")
    app.add_typer(importing.app, name="import", help="Import results that others measured.")
    app.command("serve")(serve)
    app.command("demo")(demo)
    app.command("run")(run)
    app.command("results")(results)
    app.command("compare")(compare)
    app.command("memory")(memory)
    app.command("scaling")(scaling)
    app.command("table")(table)
    app.command("doctor")(doctor)
    return app


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 the work failed, 2 wrong usage or input."""
    as_json = "--json" in sys.argv[1:]
    log_to_console()
    try:
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
        sys.exit(fail("No space is left where the output goes.", "Make room, or write elsewhere.", 1, as_json=False))
