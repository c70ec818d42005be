"""Reason why a figure is withheld: named and in words, instead of a silent number."""

from __future__ import annotations

from wattmark.analysis.verdict import Verdict


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not a fault
    """A figure cannot be given. ``reason`` is a short stable name, ``text`` one sentence with cause and remedy.

    ``cause`` is the same in a few words, for lists: "21 s lost". ``verdicts`` are those reached nevertheless.
    """

    def __init__(self, reason: str, text: str, verdicts: tuple[Verdict, ...] = (), *, cause: str = "") -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text
        self.verdicts = verdicts
        self.cause = cause or _CAUSES.get(reason, reason.replace("-", " "))


_CAUSES = {
    "bad-amount": "the amount of work is not a count",
    "empty-interval": "an interval of work has no duration",
    "empty-window": "the window is empty",
    "no-meter": "none was recorded",
    "no-power": "the meter shows 0 W",
    "no-samples": "no usable reading",
    "no-window": "begin and end were not marked",
    "no-work": "none in the window",
    "register-backwards": "the register ran backwards",
    "register-coarse": "the register is too coarse",
    "register-edges": "the register was not read at both ends",
    "stamps-unordered": "time stamps run backwards",
}
