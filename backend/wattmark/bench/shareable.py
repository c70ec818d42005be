"""What of a bench file may leave for viewers, archives and published pages: all but who is told what happens.

Addresses there are those of people and of places where whoever knows them may post.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wattmark.bench.editing.rewrite import same
from wattmark.bench.yaml_source import YamlSource
from wattmark.core.errors import InputError

PRIVATE = "notify"


def shareable(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a bench that others may see."""
    return {name: entries for name, entries in document.items() if name != PRIVATE}


def shareable_text(text: str) -> str | None:
    """Cut what is private out of the text of a bench file; None where that cannot be done for sure.

    Comments go with it from those directly above it to the next entry of the file: they may be entries that are
    switched off.
    """
    if PRIVATE not in text:
        return text
    try:
        source = YamlSource("", text)
        if not isinstance(source.data, dict):
            return None
        if PRIVATE not in source.data:
            return text
        begin = source.line([PRIVATE])
        end = min((line for name in source.data if (line := source.line([name])) > begin), default=None)
        lines = re.split(r"(?<=\n)", text)
        above = lines[: begin - 1]
        while above and above[-1].startswith("#"):
            above.pop()
        public = "".join([*above, *(lines[end - 1 :] if end is not None else [])])
        is_whole = same(YamlSource("", public).data, shareable(source.data))
    except InputError:
        return None
    return public if is_whole else None
