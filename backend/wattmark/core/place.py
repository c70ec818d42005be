"""Texts without paths of this machine: a client over HTTP sent a file and does not know the folders here."""

from __future__ import annotations

import os
import re
from pathlib import Path


def without_place(text: str, folder: Path, called: str) -> str:
    """Replace the path of a folder by ``called``, and paths in it by their names within it."""
    for place in sorted({str(folder.absolute()), os.path.realpath(folder)}, key=len, reverse=True):
        if place != os.sep and place in text:
            exactly = rf"(?<![\w/.-]){re.escape(place)}"
            text = re.sub(rf"{exactly}/+(?=[^\s'\"])", "", text)
            text = re.sub(rf"{exactly}(?![\w.-])/?", lambda _: called, text)
    return text
