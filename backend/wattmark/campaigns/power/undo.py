"""Which settings of a server may be undone: what wattmark made, and what the kernel changed along with it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark.campaigns.power.journal import JournalEntry
from wattmark.campaigns.power.reading import WHOLE_MACHINE, Knob, Reading, same, shown, spread
from wattmark.campaigns.power.selectors import SELECTORS
from wattmark.campaigns.power.wishes import MOST_NAMED, followers, in_words
from wattmark.core.texts import first_of

_SMT: Knob = ("smt", WHOLE_MACHINE)


class Undoing:
    """The settings of a journal entry against what the server has when undoing them begins.

    A setting that is neither as it was nor as wattmark made it was set by somebody else and stays, but for a limit that
    was never read back, which the server may have rounded or clamped. One that is not
    there, as of a CPU that is offline, is wattmark's when it comes back. What follows other settings was moved by them
    unless it is known how it was left; after a reboot the kernel has moved it, and it stays.
    """

    def __init__(self, entry: JournalEntry, now: Reading) -> None:
        self._now = now
        self._before = spread(entry.before) | spread(entry.appeared)
        self._made = spread(entry.made)
        self._appeared = frozenset(spread(entry.appeared))
        self._after = None if entry.after is None else spread(entry.after)
        self._followers = set(followers({selector for selector, _ in self._made}))
        self._verified = entry.verified
        # another kernel: the one of the settings had them in its memory, in registers that a reset sets, or in a driver
        # that keeps none (nvmlDeviceSetPowerManagementLimit)
        self.rebooted = None not in (entry.boot, now.boot) and entry.boot != now.boot

    def own(self) -> dict[Knob, str]:
        """Return the former value of every setting that may be undone."""
        return {knob: value for knob, value in self._before.items() if self._is_own(knob)}

    def next_of(self, left: Mapping[Knob, str]) -> Mapping[Knob, str]:
        """Return which of the values that are left come next.

        CPUs that SMT takes offline keep what is set on them: it is undone while they can be reached.
        """
        waiting = left.get(_SMT) == "off" and not self._appeared.isdisjoint(left)
        return {knob: value for knob, value in left.items() if knob != _SMT} if waiting else left

    def changed_by_others(self) -> list[str]:
        """Say which settings that were made have a third value now, in one sentence; empty where none has."""
        foreign = [
            f"the {in_words(knob)} is {shown(knob, self._now.values[knob])} (before the run "
            f"{shown(knob, self._before[knob])}, for it {shown(knob, value)})"
            for knob, value in self._made.items()
            if knob in self._before and knob in self._now.values and not self._is_own(knob)
        ]
        if not foreign:
            return []
        since = "since a reboot" if self.rebooted else "by somebody else"
        return [f"Changed {since} and left as it is: {first_of(foreign, MOST_NAMED)}."]

    def gone_with_the_boot(self) -> list[str]:
        """Say which settings are not there any more since a reboot, which has undone them; empty where none is."""
        gone = [knob for knob in self._made if knob in self._before and knob not in self._now.values]
        if not self.rebooted or not gone:
            return []
        named = first_of([f"the {in_words(knob)}" for knob in gone], MOST_NAMED)
        return [f"Undone by a reboot, and not there since: {named}."]

    def _is_own(self, knob: Knob) -> bool:
        value, before = self._now.values.get(knob), self._before[knob]
        if knob in self._made:
            taken_otherwise = SELECTORS[knob[0]].is_clamped and not self._verified and not self.rebooted
            return value is None or taken_otherwise or any(same(knob, value, own) for own in (before, self._made[knob]))
        if knob[0] not in self._followers:
            return False
        if value is None or same(knob, value, before):
            return True
        if self._after is not None and knob in self._after:
            return same(knob, value, self._after[knob])
        return not self.rebooted
