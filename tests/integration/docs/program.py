"""What the program offers: every command with its options, asked from the program itself."""

from __future__ import annotations

import shlex
from functools import cache
from typing import Any

from wattmark.cli.lazy import DeferredCommand
from wattmark.cli.main import build

END_OF_COMMAND = frozenset({"--", "|", ">", ">>", "&&", "||", "&", "<", "2>", "#"})


@cache
def options() -> dict[tuple[str, ...], frozenset[str]]:
    """Options of every command, by its words after `wattmark`."""
    by_command: dict[tuple[str, ...], frozenset[str]] = {}

    def walk(command: Any, words: tuple[str, ...]) -> None:
        whole = command.load() if isinstance(command, DeferredCommand) else command
        own = {
            name
            for parameter in whole.params
            for name in (*parameter.opts, *parameter.secondary_opts)
            if name.startswith("-")
        }
        by_command[words] = frozenset(own | {"--help"})
        for name, inner in getattr(whole, "commands", {}).items():
            walk(inner, (*words, name))

    walk(build(), ())
    return by_command


def leaves() -> set[tuple[str, ...]]:
    """Commands that do something: no groups."""
    commands = options()
    return {words for words in commands if words and not any(other[:-1] == words for other in commands)}


def mistakes(line: str) -> list[str]:
    """Say what a line that begins with `wattmark` names that the program does not have."""
    words = shlex.split(line, comments=True)
    if words[:1] != ["wattmark"]:
        return []
    place: tuple[str, ...] = ()
    wrong: list[str] = []
    groups = {deeper[:-1] for deeper in options() if deeper}
    for word in words[1:]:
        if word in END_OF_COMMAND:
            break
        if (*place, word) in options():
            place = (*place, word)
        elif word.startswith("--") and word.partition("=")[0] not in options()[place]:
            wrong.append(f"{' '.join(place)} has no option {word}")
        elif not word.startswith("-") and place in groups:
            wrong.append(f"{' '.join(place)} has no command {word}")
    return wrong
