"""The unit that a program writes behind its number: 1.2 Mops/s is not 1.2 ops/s, and 850 ops/ms not 850 ops/s."""

from __future__ import annotations

import re

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.parsers.parsers import Reports, TimeUnit

_WORDS = r"\s*(?:[A-Za-z-]+ ?){0,3}"
_PER = r"(?:/|\bper )\s?"
_SECOND = re.compile(rf"{_WORDS}{_PER}s(?:ec(?:onds?|s)?)?\b")
_OTHER_TIME = re.compile(
    rf"{_WORDS}{_PER}(?:[mµμun]s(?:ec)?|(?:milli|micro|nano)seconds?|min(?:utes?)?|h|hrs?|hours?|days?)\b"
)
_TIME = re.compile(r"\s*(?P<unit>s|[mµμun]s|[mun]?secs?|(?:milli|micro|nano)?seconds?)\b(?!\s?[/-])")
_TIME_EACH = re.compile(rf"\s*(?:s|[mµμun]s|[mun]?secs?|(?:milli|micro|nano)?seconds?)\s?{_PER}[A-Za-z]+")
_MULTIPLE = re.compile(r"\s*(?P<prefix>[kKMGTP]i?|thousand|million|billion)\s?(?P<word>[A-Za-z]+)(?![\w.])")
_WORD = re.compile(r"\s*(?P<word>[A-Za-z]+)")
_DATA = re.compile(r"(?P<prefix>[kKMGTP]?)(?P<binary>i?)(?P<base>bits?|[bB]ytes?|B|[Ff][Ll][Oo][Pp][Ss]?|ops)")
_ERROR = re.compile(r"^\s*(?:±|\+/-)\s*[\d.]+")
"""JMH writes the error between number and unit."""
_TIME_UNITS: dict[str, TimeUnit] = {"s": "s", "m": "ms", "u": "us", "µ": "us", "μ": "us", "n": "ns"}
_REMEDY = "Set the parser's scale to the factor between them, or let the pattern contain the unit."


def require_unit(match: re.Match[str], unit: str, reports: Reports) -> None:
    """Check that what stands behind the group "value" is not another unit than that of the workload.

    What the pattern itself takes in is declared, as with `require_whole`. Raises `WorkloadFailed`.
    """
    if match.end() > match.end("value"):
        return
    after = _ERROR.sub("", match.string[match.end("value") :])
    if said := _contradiction(after, unit, reports):
        line = match.string.strip()[:200]
        raise WorkloadFailed(f'The program reports "{line}": the number {said}.', _REMEDY)


def require_unit_beside(stated: str, pointer: str, unit: str, reports: Reports) -> None:
    """Check that a unit that stands in JSON beside a number is not another one. Raises `WorkloadFailed`."""
    if said := _contradiction(stated, unit, reports):
        raise WorkloadFailed(
            f'The program\'s JSON has the unit "{stated[:40]}" beside {pointer}: the number {said}.',
            "Set the parser's scale to the factor between them, or point to another number.",
        )


def require_time_unit(match: re.Match[str], unit: TimeUnit) -> None:
    """Check that a response time is not written in another unit than the declared one. Raises `WorkloadFailed`."""
    if match.end() > match.end("value"):
        return
    written = _TIME.match(match.string, match.end("value"))
    if written and (written_unit := _time_unit(written["unit"])) != unit:
        line = match.string.strip()[:200]
        raise WorkloadFailed(
            f'The program reports the response time of "{line}" in {written_unit}, and the parser reads it in {unit}.',
            f"Set its unit to {written_unit}.",
        )


def _time_unit(written: str) -> TimeUnit:
    return "s" if re.fullmatch(r"s(ecs?|econds?)?", written) else _TIME_UNITS[written[0]]


def _contradiction(after: str, unit: str, reports: Reports) -> str:
    """Say how the words behind a number contradict what is read of it; empty where they do not."""
    if reports.endswith("rate") and (other := _OTHER_TIME.match(after)):
        return f"is written in {other[0].strip()}, and work per second is read"
    if reports in ("total", "interval-total") and (rate := _SECOND.match(after)):
        return f"is written in {rate[0].strip()}, and a total is read"
    word = _WORD.match(after)
    if word is None or word["word"] == unit:
        return ""
    if time := _TIME.match(after) or _TIME_EACH.match(after):
        return f"is written in {time[0].strip()}, which is a time"
    other = _MULTIPLE.match(after) if not _alike(word["word"], unit) else None
    if (other and _alike(other["word"], unit)) or _is_other_data(word["word"], unit):
        return f"is written in {(other or word)[0].strip()}, and the workload counts {unit}"
    return ""


def _alike(word: str, unit: str) -> bool:
    """Return whether two words name the same work: ops and operations, req and requests."""
    short, long = sorted((word.lower().removesuffix("s"), unit.lower().removesuffix("s")), key=len)
    return len(short) > 1 and long.startswith(short)


def _is_other_data(word: str, unit: str) -> bool:
    """Return whether both are amounts of data, or of floating-point operations, that differ; MB may be MiB."""
    written, counted = _DATA.fullmatch(word), _DATA.fullmatch(unit)
    if written is None or counted is None:
        return False
    bases = [each["base"][0].upper() if "it" not in each["base"] else "bit" for each in (written, counted)]
    binary = bool(written["binary"]) > bool(counted["binary"])
    return bases[0] != bases[1] or written["prefix"].upper() != counted["prefix"].upper() or binary
