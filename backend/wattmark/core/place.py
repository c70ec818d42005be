"""Texts that name no place of this machine: whoever asks over HTTP sent a file, and knows nothing of our folders."""

from __future__ import annotations

import os
import re
from pathlib import Path


def without_place(text: str, folder: Path, called: str) -> str:
    """Name what lies in a folder by its name in there, and the folder itself as it is ``called``."""
    for place in sorted({str(folder.absolute()), os.path.realpath(folder)}, key=len, reverse=True):
        if place != os.sep and place in text:
            exactly = rf"(?<![\w/.-]){re.escape(place)}"
            text = re.sub(rf"{exactly}/+(?=[^\s'\"])", "", text)
            text = re.sub(rf"{exactly}(?![\w.-])/?", lambda _: called, text)
    return text
