"""Commands in the notation of manuals: `[:INPut]:VOLTage:RANGe 300` with short forms in capitals, options in brackets.

The same line tells the driver what to send (`:INP:VOLT:RANG 300`) and the simulator what to understand (short or long
form, any case, optional parts omitted). A word without capitals (`actn`) has one form only.
"""

from __future__ import annotations

import re
from functools import cache

_WORD = re.compile(r"\{\w+\}|<\w+>|[A-Za-z]+")
_PLACE = re.compile(r"<\w+>")
ELEMENT = "<x>"
"""Placeholder for the number of an input element."""


def spoken(command: str, element: int | None = None) -> str:
    """Write the short form of a command, its optional parts included; ``element`` fills the place ``<x>``."""
    header, space, arguments = command.partition(" ")
    filled = header if element is None else _PLACE.sub(str(element), header)
    return _WORD.sub(lambda match: short(match[0]), filled).translate({91: None, 93: None}) + space + arguments


def short(word: str) -> str:
    """Write the short form of one word: its capitals and digits, or the whole of a word without capitals."""
    if not word[:1].isalpha():
        return word
    return word if word.islower() else "".join(char for char in word if not char.islower())


def same_word(pattern: str, text: str) -> bool:
    """Return whether a text is the long or the short form of a word of the notation, in any case."""
    return text.upper() in {pattern.upper(), short(pattern).upper()}


def match(header: str, text: str) -> re.Match[str] | None:
    """Match what a device receives with a header; the leading colon may be missing, group 1 is the number ``<x>``."""
    return _grammar(header.partition(" ")[0]).fullmatch(_rooted(text))


@cache
def _grammar(header: str) -> re.Pattern[str]:
    pattern = ""
    for part in re.findall(r"\{\w+\}|<\w+>|[A-Za-z]+|.", header if header.startswith("[") else _rooted(header)):
        match part:
            case "[":
                pattern += "(?:"
            case "]":
                pattern += ")?"
            case "{item}":
                pattern += r"([\w+-]+)"
            case _ if part[0] in "<{":
                pattern += r"(\d{1,3})?"
            case _ if part.isalpha():
                pattern += _abbreviated(part)
            case _:
                pattern += re.escape(part)
    return re.compile(pattern, re.IGNORECASE)


def _abbreviated(word: str) -> str:
    """Write a pattern for a word whose small letters may be omitted from the end (Yokogawa IM WT5000-17EN, 4-4)."""
    always = short(word)
    left_out = word[len(always) :] if word.startswith(always) else ""
    if not left_out:
        return f"(?:{word}|{always})"
    return always + "".join(f"(?:{char}" for char in left_out) + ")?" * len(left_out)


def _rooted(text: str) -> str:
    return text if text.startswith((":", "*")) else f":{text}"


def echoed(header: str, *, verbose: bool, element: int | None = None) -> str:
    """Write the header as an instrument puts it before an answer: in full when verbose, else short without options."""
    bare = (header if verbose else re.sub(r"\[[^\]]*\]", "", header)).rstrip("?")
    if element is not None:
        bare = _PLACE.sub(str(element), bare)
    words = _WORD.sub(lambda match: match[0].upper() if verbose else short(match[0]), bare)
    return words.translate({91: None, 93: None})
