"""Programs that choose the unit of a report by its size: 941 Mbits/sec in one line, 1.21 Gbits/sec in the next."""

from __future__ import annotations

import re

from wattmark.core.errors import WorkloadFailed

_UNIT = re.compile(
    r"(?:(?P<prefix>[kKMGTP]i?)\s?|)(?P<base>bits?|[bB]ytes?|[Bb]|[oO]ps?|OPS|IOPS|iops|[Ff][Ll][Oo][Pp]s?|FLOPS|"
    r"req|[rR]equests?|[rqtp]ps|[RQTP]PS|quer(?:y|ies)|tok(?:ens?)?|samples?|events?|msgs?|messages?|rows?|records?|"
    r"packets?|[tT]ransactions?|iterations?|H(?=/s))\b"
)
_BEHIND = re.compile(rf"\s*{_UNIT.pattern}")
_PREFIXED = re.compile(rf"(?<=[\d ]){_UNIT.pattern}")
_NUMBER = re.compile(r"\d[\d.,]*")
_MOST_SHAPES = 8
_REMEDY = "Let the program print one unit throughout (iperf3: --format m), or let it print JSON."


class ReportUnit:
    """Watches that all reports of a program are in the unit of the first."""

    def __init__(self) -> None:
        self._units: dict[str, str] = {}
        """First prefix of each unit behind the number."""
        self._shapes: set[str] = set()

    def check_match(self, match: re.Match[str]) -> None:
        """Look at a report that the pattern finds. Raises `WorkloadFailed` where its unit is another one."""
        text = match.string
        if unit := _BEHIND.match(text, match.end("value")):
            prefix = unit["prefix"] or ""
            before = self._units.setdefault(unit["base"].lower(), prefix)
            if prefix != before:
                raise WorkloadFailed(
                    f"The program changed the unit of its reports from {before}{unit['base']} to {unit[0].strip()}: "
                    f'"{text.strip()[:200]}".',
                    _REMEDY,
                )
            if len(self._shapes) < _MOST_SHAPES:
                self._shapes.add(_shape(text))

    def check_skipped(self, text: str) -> None:
        """Look at a line that the pattern does not find. Raises `WorkloadFailed` for a report in another unit."""
        if self._shapes and _PREFIXED.search(text) and _shape(text) in self._shapes:
            raise WorkloadFailed(
                f'The pattern does not find a report that is in another unit: "{text.strip()[:200]}".', _REMEDY
            )


def _shape(text: str) -> str:
    """Return a line without its numbers and the prefixes of its units."""
    return " ".join(_NUMBER.sub("0", _PREFIXED.sub(r"\g<base>", text)).split())
