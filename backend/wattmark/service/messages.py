"""Print every message that the service and the command line can give, read from the source: message, remedy, kind."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import wattmark_calibration
import wattmark_drivers

import wattmark

HEAD = """# Every message

Made from the source by `make reference`; do not edit. `…` stands for what the program fills in. When something
fails, begin with [Troubleshoot](guide/troubleshoot.md).

- **Errors** end a request or a command: the cause, then the remedy. The kind is the class of the error.
- **Refusals** say why there is no figure; the kind is the reason code.
- **Verdicts** say what a rule found; the kind is the rule.
- **Input** follows the place that it is about, as in `plans.0.repeats: …`.

What only passes on the words of a device, of another program or of the operating system is counted, not listed.
"""
BASES = frozenset({"WattmarkError", "DriverError", "CertificateError", "HTTPException"})
REFUSALS = frozenset({"Refused", "Refusal"})
INPUT = frozenset({"ValueError", "PydanticCustomError"})
VERDICTS = frozenset({"Verdict", "ImportedVerdict", "at_most", "not_checked"})
GROUPS = ("Errors", "Refusals", "Verdicts", "Input")
SENTENCE = re.compile(r"\w[^\s…]* \S*\w")
GAP = "…"

Constants = Mapping[str, str]


@dataclass(frozen=True, order=True, slots=True)
class Message:
    """What a person reads, what it says to do, and the error, reason or rule that it comes as."""

    text: str
    remedy: str
    kind: str


@dataclass(slots=True)
class Room:
    """The messages of a room by group, and how many places forward a text from elsewhere."""

    groups: dict[str, set[Message]] = field(default_factory=lambda: {name: set() for name in GROUPS})
    passed_on: int = 0

    def add(self, group: str, texts: Iterator[str] | list[str], remedy: str, kind: str) -> None:
        """Add the wordings of one message; one without text of its own is only counted."""
        for text in texts:
            if SENTENCE.search(text):
                self.groups[group].add(Message(text, remedy if SENTENCE.search(remedy) else "", kind))
            else:
                self.passed_on += 1


def page(packages: Mapping[str, Path]) -> str:
    """Return the page of all messages of some packages (name -> folder), by room."""
    trees = {file: ast.parse(file.read_text("utf-8")) for folder in packages.values() for file in folder.rglob("*.py")}
    errors = error_classes(list(trees.values()))
    rooms: dict[str, Room] = {}
    for name, folder in packages.items():
        for file in sorted(file for file in trees if file.is_relative_to(folder)):
            inside = file.relative_to(folder).parts
            collect(
                trees[file], errors, rooms.setdefault(inside[0] if len(inside) > 1 and name == "" else name, Room())
            )
    return "\n".join([HEAD, *(line for name in sorted(rooms) for line in _section(name, rooms[name]))])


def error_classes(trees: list[ast.Module]) -> frozenset[str]:
    """List the classes that derive from the errors shown to people."""
    bases: dict[str, set[str]] = {}
    for node in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        bases.setdefault(node.name, set()).update(_name(base) for base in node.bases)
    classes = set(BASES)
    while more := {name for name, parents in bases.items() if parents & classes} - classes:
        classes |= more
    return frozenset(classes - REFUSALS)


def collect(tree: ast.Module, errors: frozenset[str], room: Room) -> None:
    """Add the messages of a module to its room."""
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _call(node, errors, constants, room)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            _raised_by_helper(node.exc, errors, constants, room)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            _verdicts(node, errors, constants, room)


def _call(call: ast.Call, errors: frozenset[str], constants: Constants, room: Room) -> None:
    """Add an error, a refusal or an input error where it is raised."""
    name, args = _name(call.func), [*call.args, *(keyword.value for keyword in call.keywords)]
    if name in errors and args:
        room.add("Errors", _wordings(args[0], constants), _remedy(args[1:], constants), name)
    elif name in REFUSALS and len(args) > 1:
        room.add("Refusals", _wordings(args[1], constants), "", next(_wordings(args[0], constants)))
    elif name in INPUT and args:
        room.add("Input", _wordings(args[-1 if name == "ValueError" else 1], constants), "", "")


def _raised_by_helper(call: ast.Call, errors: frozenset[str], constants: Constants, room: Room) -> None:
    """Add the arguments of a function that builds the error, as in `raise refused(meter, "it reads 0 W", "...")`."""
    if _name(call.func) in errors | REFUSALS | INPUT:
        return
    texts = [text for arg in call.args for text in _wordings(arg, constants) if SENTENCE.search(text)]
    if texts:
        room.add("Errors", texts[:1], texts[1] if len(texts) > 1 else "", "")


def _verdicts(
    function: ast.FunctionDef | ast.AsyncFunctionDef, errors: frozenset[str], constants: Constants, room: Room
) -> None:
    """Add the sentences of a function that builds verdicts; its errors are collected where they are raised."""
    made = [node for node in ast.walk(function) if isinstance(node, ast.Call) and _name(node.func) in VERDICTS]
    rules = {
        text for call in made for arg in (*call.args[:1], *_keyword(call, "rule")) for text in _wordings(arg, constants)
    }
    kind = ", ".join(sorted(rule for rule in rules if rule != GAP))
    for text in _sentences(function, errors, constants) if made else ():
        room.add("Verdicts", [text], "", kind)


def _sentences(node: ast.AST, errors: frozenset[str], constants: Constants) -> Iterator[str]:
    """List the texts below a node, except docstrings, errors and refusals."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Constant | ast.JoinedStr):
            yield from (text for text in _wordings(child, constants) if SENTENCE.search(text))
        elif not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)) and not (
            isinstance(child, ast.Call) and _name(child.func) in errors | REFUSALS | INPUT
        ):
            yield from _sentences(child, errors, constants)


def _wordings(node: ast.expr, constants: Constants) -> Iterator[str]:
    """List the wordings of a text: both branches of a conditional, `…` for what is filled in."""
    if isinstance(node, ast.IfExp):
        yield from _wordings(node.body, constants)
        yield from _wordings(node.orelse, constants)
    else:
        yield re.sub(rf"{GAP}(\s*{GAP})+", GAP, " ".join(_text(node, constants).split())) or GAP


def _text(node: ast.AST, constants: Constants) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(part, constants) for part in parts)
        case ast.FormattedValue(value=value):
            return _text(value, constants) if isinstance(value, ast.Name) else GAP
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left, constants) + _text(right, constants)
        case ast.Name(id=name):
            return constants.get(name, GAP)
    return GAP


def _remedy(args: list[ast.expr], constants: Constants) -> str:
    return " / ".join(_wordings(args[0], constants)) if args else ""


def _keyword(call: ast.Call, name: str) -> list[ast.expr]:
    return [keyword.value for keyword in call.keywords if keyword.arg == name]


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _section(name: str, room: Room) -> Iterator[str]:
    if not any(room.groups.values()):
        return
    yield f"## {name}"
    yield ""
    for group, messages in room.groups.items():
        if messages:
            heads = (
                ("message", "remedy", "kind")
                if group == "Errors"
                else ("message", "kind")
                if group != "Input"
                else ("message",)
            )
            yield f"### {group} of {name}"
            yield ""
            yield f"| {' | '.join(heads)} |"
            yield "| --- " * len(heads) + "|"
            for message in sorted(messages):
                cells = {"message": message.text, "remedy": message.remedy, "kind": message.kind}
                yield f"| {' | '.join(cells[head].replace('|', chr(92) + '|') for head in heads)} |".replace(
                    "|  |", "| |"
                )
            yield ""
    if room.passed_on:
        places = f"{room.passed_on} more places" if room.passed_on > 1 else "one more place"
        yield f"At {places} the words are those of others."
        yield ""


def main() -> None:
    """Print the page for the installed packages, divided by rooms of the back end."""
    packages = {"": wattmark, "drivers": wattmark_drivers, "calibration": wattmark_calibration}
    sys.stdout.write(page({name: Path(package.__path__[0]) for name, package in packages.items()}))


if __name__ == "__main__":
    main()
