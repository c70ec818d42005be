"""What the heading of a throughput says: work per time, a time, work per energy, and multiples of the work."""

from __future__ import annotations

import re
from typing import Final

from wattmark.importers.csv_mapping.named_quantity import words_of

TIME: Final = "time"
PER_ENERGY: Final = "work per energy"
TIMES = frozenset({"time", "runtime", "walltime", "latency", "duration", "elapsed", "zeit", "laufzeit", "dauer"})
"""Words of headings that name a time."""
_RATES = frozenset({"throughput", "rate", "durchsatz"})
"""Words of headings that name work per time, as "latency-bounded throughput" of MLPerf does."""
_TIME_UNITS = frozenset(
    {"s", "sec", "secs", "seconds", "ms", "msec", "milliseconds", "us", "µs", "ns", "min", "minutes"}
)
_SECONDS = r"(?:[mun\u00b5]?s|m?secs?|(?:milli|micro)?seconds?)"
_RATE = re.compile(
    rf"(?:/|\bper\b)\s*([0-9]+(?:[.,][0-9]+)?)?\s*({_SECONDS}|min|minutes?|h|hrs?|hours?|d|days?|weeks?|months?)\b",
    re.IGNORECASE,
)
_UNITS = {"s": "1/s", "sec": "1/s", "second": "1/s", "min": "1/min", "minute": "1/min"}
_UNITS |= {"h": "1/h", "hr": "1/h", "hour": "1/h"}
_TIME_PER_WORK = re.compile(rf"(?<![A-Za-z0-9/])(?<!per )(?:{_SECONDS}(?: ?/ ?| per )|minutes? per )[A-Za-z]")
_PER_ENERGY = re.compile(
    r"(?:/ ?|\bper )(?:[kmM]?(?:W|Wh|J)|(?i:kilo)?(?i:watts?|joules?|watt[ -]?hours?))(?![A-Za-z])"
)
_TIMES_OF_TEN = re.compile(
    r"[x×*·] ?10{2,}\b|[x×*·] ?10(?=[\])]|\s*$)|\b10{2,} ?[x×*·]|\b10{2,} *[A-Za-z]* *(?:/|per\b)"
    r"|(?<![A-Za-z])[kMG](?= ?/ ?s\b)"
    r"|\b(?i:hundreds?|thousands?|millions?|billions?|tausend|millionen|milliarden)\b"
)


def written_rate(heading: str) -> str:
    """Return the unit of throughput that a heading writes: that of a rate, `TIME`, or `PER_ENERGY`; empty for none.

    Rates such as 1/ms and 1/10 s are none in which a throughput is read.
    """
    plain = heading.replace("_", " ").replace("\u03bc", "µ")
    if _PER_ENERGY.search(plain):
        return PER_ENERGY
    if _TIME_PER_WORK.search(plain):
        return TIME
    if rate := _RATE.search(plain):
        count, unit = rate[1], rate[2].lower()
        if count in (None, "1"):
            return _UNITS.get(unit.removesuffix("s") or unit, f"1/{unit}")
        return f"1/{count} {unit}"
    bracketed = [text.strip().lower() for text in re.findall(r"[\[(]([^\])]{1,12})[\])]", plain)]
    words = words_of(plain)
    named = TIMES.intersection(words) and not _RATES.intersection(words)
    return TIME if _TIME_UNITS.intersection([*bracketed, plain.strip().lower()]) or named else ""


def written_multiple(heading: str, work: str) -> str:
    """Return the multiple of a unit of work that a heading writes, such as kops of ops; empty where it writes none."""
    stem = re.escape(work.removesuffix("s") or work)
    multiple = re.search(rf"(?<![A-Za-z0-9])(?:[kKMGT]|(?i:kilo|mega|giga|tera)-?) ?(?i:{stem}s?)(?![A-Za-z])", heading)
    multiple = multiple or _TIMES_OF_TEN.search(re.sub(rf"(?<![A-Za-z])(?i:{stem}s?)(?![A-Za-z])", "", heading))
    return multiple[0].strip() if multiple else ""
