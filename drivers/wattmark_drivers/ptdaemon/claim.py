"""Whose measurement a daemon has: known again by its key, or by what its samples prove. Pure."""

from __future__ import annotations

from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.ptdaemon.replies import Standing

SHORTEST_S = 0.05
"""The shortest interval of a daemon [s]: another measurement need not have ours."""
QUICKER, SPARE = 1.05, 2
"""Samples come this much quicker than their interval says at most, and so many more may be counted."""


class Claim:
    """The measurement that we began. What cannot be proved to be ours is not."""

    def __init__(self, standing: Standing, now_ns: int) -> None:
        self._standing = standing
        self._seen_ns = now_ns

    def holds(self, standing: Standing, now_ns: int) -> bool:
        """Return whether a daemon that was asked all the time [monotonic ns] still has it: nobody cleared its samples.

        Then it is the one to compare with from now on.
        """
        if standing.key is None and self._standing.key is None:
            ours = standing.samples >= self._standing.samples
        else:
            ours = standing.key == self._standing.key
        if ours:
            self._standing, self._seen_ns = standing, now_ns
        return ours

    def survived(self, standing: Standing, now_ns: int) -> bool:
        """Return whether a daemon that was out of sight still has it.

        Without a key: nothing has changed since, or it has more samples than one that began since could have, however
        short its interval. Then it is the one to compare with from now on.
        """
        before = self._standing
        if standing.key is not None or before.key is not None:
            ours = standing.key == before.key
        elif standing.samples == before.samples:
            ours = standing.samples > 0 and standing.summary == before.summary
        else:
            most_of_another = QUICKER * (now_ns - self._seen_ns) / 1e9 / SHORTEST_S + SPARE
            ours = standing.samples > max(before.samples, most_of_another)
        if ours:
            self._standing, self._seen_ns = standing, now_ns
        return ours


def may_begin(wanted: str, standing: Standing, label: str) -> bool:
    """Return whether a measurement may be begun, which clears what is there; False: that is watched.

    ``label`` names the daemon. Raises `ConnectionFailed` where neither is possible, or nobody knows.
    """
    if wanted == "take":
        return True
    idle = standing.state in ("none", "stopped")
    if wanted == "watch":
        if idle:
            raise ConnectionFailed(
                f"No measurement runs at {label}.", "wattmark waits for one, as the meter's option says."
            )
        return False
    if standing.state is None and standing.samples == 0:
        raise ConnectionFailed(
            f"Nobody can tell whether somebody measures at {label}: its first sample may be still to come.",
            "Set `measurement: take` if the daemon is yours alone; `measurement: watch` reads what others measure.",
        )
    if standing.state == "stopped" and standing.unread:
        raise ConnectionFailed(
            f"A measurement of somebody else (mark {standing.mark}) has ended at {label}, and nobody has read "
            f"{standing.unread} of its samples.",
            "Read them (RL), or set `measurement: take`, which clears them.",
        )
    return idle
