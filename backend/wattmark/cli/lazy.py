"""A group of commands that imports a command when it is called, so that the others cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

if TYPE_CHECKING:
    from typer._click import Command, Context


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: its name, where its function or group of commands is (``module:attribute``), one line of help."""

    name: str
    target: str
    help: str


class DeferredCommand(TyperCommand):
    """Stands in the list of commands; knows where the real one is."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(name=entry.name, help=entry.help, rich_markup_mode=None)
        self._entry = entry

    def load(self) -> Command:
        """Import the real command."""
        module, attribute = self._entry.target.split(":")
        target = getattr(import_module(module), attribute)
        if isinstance(target, TyperGroup):
            return target
        root = new_app()
        root.callback()(_nothing)
        if isinstance(target, typer.Typer):
            root.add_typer(target, name=self._entry.name)
        else:
            root.command(self._entry.name)(target)
        group = get_command(root)
        assert isinstance(group, TyperGroup)  # noqa: S101 - Typer makes a group where there is a callback
        return group.commands[self._entry.name]


class LazyGroup(TyperGroup):
    """A group that lists, suggests and completes from its table and imports only what is called."""

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Find the command of the first argument and import it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, DeferredCommand) else command, rest


def _nothing() -> None:
    pass


def new_app(**settings: Any) -> typer.Typer:
    """Create a Typer app the way all of wattmark's are: plain help, errors shown by `main` alone."""
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, **settings)


def lazy_group(name: str, entries: Iterable[Entry], callback: Callable[..., None], help: str) -> Command:  # noqa: A002
    """Build a group from its table; ``callback`` holds the options of the group itself."""
    app = new_app(name=name, help=help, no_args_is_help=True, cls=LazyGroup)
    app.callback()(callback)
    group = get_command(app)
    assert isinstance(group, LazyGroup)  # noqa: S101 - narrows what Typer built from cls
    for entry in entries:
        group.add_command(DeferredCommand(entry))
    return group
