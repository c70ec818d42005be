"""What the program offers: every command with its options, asked from the program itself."""

from __future__ import annotations

import shlex
from functools import cache
from typing import Any

from wattmark.cli.lazy import DeferredCommand
from wattmark.cli.main import build

END_OF_COMMAND = frozenset({"|", ">", ">>", "&&", "||", "&", "<", "2>", "#"})


@cache
def options() -> dict[tuple[str, ...], frozenset[str]]:
    """Options of every command, by its words after `wattmark`."""
    found: dict[tuple[str, ...], frozenset[str]] = {}

    def walk(command: Any, words: tuple[str, ...]) -> None:
        whole = command.load() if isinstance(command, DeferredCommand) else command
        own = {name for one in whole.params for name in (*one.opts, *one.secondary_opts) if name.startswith("-")}
        found[words] = frozenset(own | {"--help"})
        for name, inner in getattr(whole, "commands", {}).items():
            walk(inner, (*words, name))

    walk(build(), ())
    return found


def leaves() -> set[tuple[str, ...]]:
    """Commands that do something: no groups."""
    known = options()
    return {words for words in known if words and not any(other[:-1] == words for other in known)}


def mistakes(line: str) -> list[str]:
    """Say what a line that begins with `wattmark` names that the program does not have."""
    words = shlex.split(line, comments=True)
    if words[:1] != ["wattmark"]:
        return []
    place: tuple[str, ...] = ()
    found: list[str] = []
    groups = {deeper[:-1] for deeper in options() if deeper}
    for word in words[1:]:
        if word in END_OF_COMMAND:
            break
        if (*place, word) in options():
            place = (*place, word)
        elif word.startswith("--") and word.partition("=")[0] not in options()[place]:
            found.append(f"{' '.join(place)} has no option {word}")
        elif not word.startswith("-") and place in groups:
            found.append(f"{' '.join(place)} has no command {word}")
    return found
