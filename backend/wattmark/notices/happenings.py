"""What is worth telling: the ends and requests of campaigns, the begin of alarms, meters that stay away. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from wattmark.campaigns.progress import ENDED_STATES
from wattmark.campaigns.status import CampaignOut, OperatorRequest
from wattmark.core.numbers import format_number
from wattmark.notices.notice import Notice, make_notice
from wattmark.runs.alarms import Alarm

LOST_S = 30.0
"""How long a meter must give no answer before it is called lost, and answer before it can be lost again [s]."""
_ENDS = {"complete": "has ended", "failed": "has failed", "aborted": "was stopped"}


class CampaignWatch:
    """Follow the states of campaigns; each end and each request is told once."""

    def __init__(self) -> None:
        self._running = False
        self._asked: OperatorRequest | None = None

    def take(self, status: CampaignOut, now_ns: int, is_simulated: Callable[[str], bool]) -> Notice | None:
        """Take a new state; return what is to be told of it. ``is_simulated``: whether the power of a server is."""
        if status.state in ENDED_STATES:
            was_running, self._running, self._asked = self._running, False, None
            return _end(status, now_ns, is_simulated) if was_running else None
        self._running = self._running or status.state != "idle"
        asked, self._asked = self._asked, status.request
        if status.request is None or status.request == asked:
            return None
        text = status.message or f"Set up {status.request.configuration} in {status.request.server}."
        title = f"Campaign {status.plan} needs hands at {status.request.server}"
        return make_notice("needs-hands", title, text, now_ns, simulated=is_simulated(status.request.server))


def _end(status: CampaignOut, now_ns: int, is_simulated: Callable[[str], bool]) -> Notice:
    counts = Counter(run.state for run in status.runs)
    runs = ", ".join(f"{count} {state}" for state, count in counts.most_common())
    total = len(status.runs)
    parts = [f"{total} run{'' if total == 1 else 's'}: {runs}." if runs else "", status.message or ""]
    return make_notice(
        "campaign-failed" if status.state == "failed" else "campaign-ended",
        f"Campaign {status.plan} {_ENDS[status.state]}",
        " ".join(part for part in parts if part),
        now_ns,
        simulated=any(run.simulated or is_simulated(run.server) for run in status.runs),
    )


def alarm_notice(alarm: Alarm, now_ns: int) -> Notice:
    """Tell that a channel is beyond a limit."""
    above = "above" if alarm.side == "high" else "below"
    worst, limit = (f"{format_number(value, 4)} {alarm.unit}" for value in (alarm.worst, alarm.limit))
    bars = " A run that it lasts into is not ranked." if alarm.run_must_keep else ""
    return make_notice(
        "alarm",
        f"{alarm.source} {alarm.channel} is {above} its limit",
        f"{worst} is {above} the limit of {limit}.{bars}",
        now_ns,
        simulated=alarm.simulated,
    )


class MeterWatch:
    """Follow which meters answer; one that does not for `LOST_S` is lost, until it answers for as long."""

    def __init__(self) -> None:
        self._silent_ns: dict[str, int] = {}
        self._answering_ns: dict[str, int] = {}
        self._lost: set[str] = set()

    def take(
        self,
        problems: Mapping[str, str | None],
        now_ns: int,
        utc_ns: int,
        is_simulated: Callable[[str], bool],
    ) -> list[Notice]:
        """Take why each meter does not answer (None: it does) at an instant.

        ``now_ns`` is that of a clock that never steps, ``utc_ns`` stands in the notices; ``is_simulated`` of a meter.
        """
        for name in (self._silent_ns.keys() | self._answering_ns.keys()) - problems.keys():
            self._silent_ns.pop(name, None)
            self._answering_ns.pop(name, None)
            self._lost.discard(name)
        lost = [(name, problem) for name, problem in problems.items() if self._is_lost_now(name, problem, now_ns)]
        return [
            make_notice(
                "meter-lost",
                f"{name} does not answer",
                f"For {LOST_S:g} s: {problem}",
                utc_ns,
                simulated=is_simulated(name),
            )
            for name, problem in lost
        ]

    def _is_lost_now(self, name: str, problem: str | None, now_ns: int) -> bool:
        if problem is None:
            self._silent_ns.pop(name, None)
            since_ns = self._answering_ns.setdefault(name, now_ns)
            if now_ns - since_ns >= LOST_S * 1e9:
                self._lost.discard(name)
            return False
        self._answering_ns.pop(name, None)
        since_ns = self._silent_ns.setdefault(name, now_ns)
        if name in self._lost or now_ns - since_ns < LOST_S * 1e9:
            return False
        self._lost.add(name)
        return True
