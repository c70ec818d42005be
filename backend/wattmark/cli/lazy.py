"""A group of commands that imports a command when it is called, so that the others cost nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from wattmark.core.likely import MOST_MEANT, likely, meant

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

PROGRAM = "wattmark"
COMPLETE = "_WATTMARK_COMPLETE"
"""Variable by which a shell asks for what can be typed next."""
SHORTEST = 3
"""Letters of a word that is looked for in what commands do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: its name, where its function or group of commands is (``module:attribute``), one line of help."""

    name: str
    target: str
    help: str
    tolerant: bool = False
    """Whether options that it does not know are words of its argument, as a program expects that calls another one."""


@dataclass(frozen=True, slots=True)
class Group:
    """Commands under one heading of the help."""

    title: str
    entries: tuple[Entry, ...]


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
            tolerant = {"ignore_unknown_options": True} if self._entry.tolerant else None
            root.command(self._entry.name, context_settings=tolerant)(target)
        group = get_command(root)
        assert isinstance(group, TyperGroup)  # noqa: S101 - Typer makes a group where there is a callback
        return group.commands[self._entry.name]


class LazyGroup(TyperGroup):
    """A group that lists, suggests and completes from its table and imports only what is called."""

    groups: tuple[Group, ...] = ()

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002 - as Click calls it
        """Write the commands of each group below its title, all in columns of one width."""
        widest = max(len(entry.name) for group in self.groups for entry in group.entries)
        for group in self.groups:
            with formatter.section(group.title):
                formatter.write_dl([(entry.name.ljust(widest), entry.help) for entry in group.entries])

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Find the command of the first argument and import it. Raises `typer.BadParameter` with what may be meant."""
        name, command, rest = self._click_resolve_command(ctx, args)
        return name, command.load() if isinstance(command, DeferredCommand) else command, rest

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Find a command by its name. Raises `typer.BadParameter` for a word that is none, unless a shell completes."""
        command = super().get_command(ctx, cmd_name)
        if command is None and not ctx.resilient_parsing and not cmd_name.startswith("-"):
            raise NoSuchCommand(cmd_name, self.groups, ctx)
        return command

    def invoke(self, ctx: Context) -> Any:
        """Run the command. What is wrong with an option is said in its words, not in a validator's."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = plain_words(error)
            raise


class NoSuchCommand(typer.BadParameter):
    """A word that is no command, with those that it may stand for, or that do what it names."""

    def __init__(self, word: str, groups: tuple[Group, ...], ctx: Context) -> None:
        entries = [entry for group in groups for entry in group.entries]
        about = [entry.name for entry in entries if len(word) >= SHORTEST and word.casefold() in entry.help.casefold()]
        near = list(dict.fromkeys([*likely(word, [entry.name for entry in entries]), *about]))[:MOST_MEANT]
        program = ctx.command_path
        remedy = f"Did you mean {' or '.join(near)}?" if near else f"`{program} --help` lists the commands."
        super().__init__(f"{program} has no command {word[:80]!r}. {remedy}", ctx)

    def format_message(self) -> str:
        """Return the sentence: it is about no value of an option."""
        return self.message


def plain_words(error: typer.BadParameter) -> str:
    """Write what is wrong with a value: what it must be, and what may be meant."""
    errors = getattr(error.__cause__, "errors", None)
    if errors is None:
        return error.message
    mistake = errors()[0]
    value, choices = str(mistake["input"])[:80], error.param and error.param.type_descriptor.choices
    if choices:
        names = [str(getattr(choice, "value", choice)) for choice in choices]
        return f"{value!r} is not one of: {', '.join(names)}. {meant(value, names)}".rstrip()
    kind = {"float": "a number", "int": "a whole number"}.get(mistake["type"].partition("_")[0])
    if kind is not None:
        unit = re.search(r"\[([^\]]+)\]", getattr(error.param, "help", None) or "")
        return f"{value!r} is not {kind}{f' in {unit[1]}' if unit else ''}."
    said = str(mistake["msg"]).removeprefix("Value error, ")
    return f"{value!r}: {limit_words(said)}."


def _nothing() -> None:
    pass


def new_app(**settings: Any) -> typer.Typer:
    """Create a Typer app the way all of wattmark's are: plain help, errors shown by `main` alone."""
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, **settings)


def lazy_group(
    name: str,
    groups: tuple[Group, ...],
    callback: Callable[..., None],
    help: str,  # noqa: A002
) -> Command:
    """Build a command from the table of its groups; ``callback`` holds the options of the group itself."""
    app = new_app(name=name, help=help, no_args_is_help=True, cls=LazyGroup)
    app.callback()(callback)
    root = get_command(app)
    assert isinstance(root, LazyGroup)  # noqa: S101 - narrows what Typer built from cls
    root.groups = groups
    for group in groups:
        for entry in group.entries:
            root.add_command(DeferredCommand(entry))
    return root


def limit_words(said: str) -> str:
    """Write what a validator says of a value out of its limits as the rest of our sentence."""
    return said.replace("Input should be", "it must be").rstrip(".")
