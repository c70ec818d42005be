"""Names of files made of people's words: one for each subject, however alike the words are written."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence

from wattmark_drivers.distinct import distinct

_LONGEST = 100
_DIGITS = 12


def file_names(subjects: Sequence[Sequence[str]]) -> list[str]:
    """Name the file of each subject: its words in plain letters, with their digest where two names meet.

    Signs, capitals and other alphabets are lost in plain letters. The same subjects always get the same names.
    """
    plain = [_plain(words) for words in subjects]
    return distinct(plain, [f"{name}-{_digest(words)}" for name, words in zip(plain, subjects, strict=True)])


def _plain(words: Sequence[str]) -> str:
    parts = (re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in words)
    return "-".join(filter(None, parts))[:_LONGEST].strip("-")


def _digest(words: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(words)).encode()).hexdigest()[:_DIGITS]
