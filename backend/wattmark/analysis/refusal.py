"""Why a figure is withheld: a named reason in words instead of a silent number."""

from __future__ import annotations

from wattmark.analysis.verdict import Verdict


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not a fault
    """A figure cannot be given. ``reason`` is a short stable name, ``text`` one sentence with cause and remedy.

    ``verdicts`` are those that were reached all the same.
    """

    def __init__(self, reason: str, text: str, verdicts: tuple[Verdict, ...] = ()) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text
        self.verdicts = verdicts
