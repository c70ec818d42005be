"""Full disclosure texts of SPECpower_ssj2008 become published results: all levels, memory by slot, supplies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path

from wattmark.audits.audit import Audit, AuditedLevel, Finding
from wattmark.audits.each import each_audit
from wattmark.audits.findings import printed_finding
from wattmark.comparison.published.published_result import PublishedMemory, PublishedResult, PublishedSupplies
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.core.version import version
from wattmark.importers.importer import Choices, ImportedFigures, Importer, Pending
from wattmark.importers.source_tree import files_of, files_that_begin
from wattmark.importers.specpower.fdr_text import LONGEST, MARK, Fdr, read_fdr
from wattmark.importers.specpower.levels import number, read_levels, recompute, rounding_pct
from wattmark.importers.specpower.memory_text import read_memory, read_supplies
from wattmark.importers.specpower.stated_twice import contradictions, missing
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread

_HEAD_LINES = 12
_MONTHS = {name: month for month, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}  # noqa: SIM905 - reads better
_DAY = re.compile(r"([A-Z][a-z]{2}) ([0-9]{1,2}), ([0-9]{4})")
_CALIBRATED = re.compile(r"([0-9]{1,2})-([A-Z][a-z]{2})-([0-9]{4})")
_MONTH = re.compile(r"([A-Z][a-z]{2})-([0-9]{4})")
_COUNT = re.compile(r"([0-9]{1,6})(?: cores)?(?:, ([0-9]{1,5}) chips?)?")
_DETERMINED_PCT = 0.3
_CALIBRATION_DAYS = 366
_MOST_CONTRADICTIONS = 5
_SET = "Set:"
_COOLEST_C = 20.0
_RULES = "SPECpower_ssj2008 run and reporting rules"
RULE = "Sum of ssj_ops over sum of average active power, ten target loads and active idle (SPECpower_ssj2008)"
NO_WINDOW = "The text holds the mean power of each level and no readings, so no window can be cut."


def find_texts(root: Path, _: Choices) -> list[Pending]:
    """List the full disclosure texts of a folder, or the one file. Raises `InputError` when there is none."""
    return [Pending(path.name, path.stem, partial(_imported, path)) for path in _listed(root)]


def _listed(root: Path) -> list[Path]:
    texts, unreadable = _texts(root)
    if texts or unreadable:
        return sorted([*texts, *unreadable])
    raise InputError(
        f"{root} holds no full disclosure text of SPECpower_ssj2008.", "Give a text such as power_ssj2008-*.txt."
    )


def _texts(root: Path) -> tuple[list[Path], list[Path]]:
    """Return the full disclosure texts, and the texts that cannot be read."""
    files = [root] if root.is_file() else [path for path in files_of(root) if path.suffix == ".txt"]
    return files_that_begin(files, _is_text, LONGEST)


def _is_text(head: bytes) -> bool:
    return any(line.strip() == MARK.encode() for line in head.split(b"\n")[:_HEAD_LINES])


def recognises(root: Path) -> bool:
    """Return whether a file, or a file of a folder, is headed as a full disclosure text."""
    return root.exists() and bool(_texts(root)[0])


def _imported(path: Path) -> ImportedFigures:
    result, fdr, unread = read_text(path)
    notes = [*result.contradictions, *_not_twice(fdr, result)]
    if result.memory.doubt:
        notes.append(result.memory.doubt)
    if result.memory.mixed:
        notes.append(f"The modules are of several sizes: {result.memory.mixed}.")
    if not result.memory.slots:
        notes.append("The text names no slot for each of its modules.")
    if unread.count:
        notes.append(f"{unread.count} lines were not understood.")
    return ImportedFigures(result, tuple(notes), unread)


def read_text(path: Path) -> tuple[PublishedResult, Fdr, Unread]:
    """Read a text. Raises `InputError` with the reason where it is no complete result."""
    unread = Unread()
    lines = TextLines(path, path.name, LONGEST)
    fdr, note = read_fdr(lines, unread)
    levels = read_levels(fdr, path.name)
    printed = number(fdr.printed_overall or "")
    if not printed:
        raise InputError(
            f"{path.name} states no overall ssj_ops/watt.{fdr.withheld}", "Give the text of a complete result."
        )
    overall = recompute(levels, path.name).overall
    denials = (*_other_overall(printed, overall), *contradictions(fdr, levels))
    memory, supplies = _memory(fdr), _supplies(fdr)
    chips, cores = _chips_and_cores(fdr)
    return (
        PublishedResult(
            id=f"specpower-{note.sha256[:16]}",
            kind="specpower",
            collection=MARK,
            title=fdr.title[:300],
            source=f"{path.name}, full disclosure text, copyright Standard Performance Evaluation Corporation",
            submitter=fdr.value("Test Sponsor")[:300],
            maker=(fdr.value("Hardware Vendor", "HARDWARE") or fdr.value("Test Sponsor"))[:300],
            model=fdr.value("Model", "HARDWARE")[:300],
            tested_on=_day(fdr.value("Test Date")),
            published_on=_day(fdr.value("Publication")),
            available_on=_month(fdr.value("Hardware Availability")),
            cpu=fdr.value("CPU Name", "HARDWARE")[:300],
            cpus=chips,
            cores=cores,
            nodes=_nodes(fdr),
            memory=memory,
            supplies=supplies,
            workload="specpower.ssj2008",
            unit="ssj_ops",
            levels=levels,
            stated_overall=printed,
            overall=overall,
            contradictions=tuple(finding.text for finding in denials)[:_MOST_CONTRADICTIONS],
            disclosure={"sections": fdr.sections, "notes": fdr.notes},
            file=note,
        ),
        fdr,
        unread,
    )


def _memory(fdr: Fdr) -> PublishedMemory:
    memory = read_memory(
        fdr.value("Memory Amount (GB)", "HARDWARE"),
        fdr.value("# and size of DIMM", "HARDWARE"),
        fdr.value("Memory Details", "HARDWARE"),
    )
    sets = dict.fromkeys(name.partition(" / ")[0] for name in fdr.sections if name.startswith(_SET))
    if len(sets) < 2:
        return memory
    names = ", ".join(name.removeprefix(_SET).strip() for name in sets)
    more = (
        f"The text describes {len(sets)} sets of nodes ({names}); "
        "processors, memory and supplies are those of the first alone."
    )
    return memory.changed(doubt=f"{memory.doubt} {more}" if memory.doubt else more)


def _supplies(fdr: Fdr) -> PublishedSupplies:
    """Read the supplies of the enclosure where the nodes share them, else those of a node."""
    key, details = "Power Supply Quantity and Rating (W)", "Power Supply Details"
    own = read_supplies(fdr.value(key, "Set:"), fdr.value(details, "Set:"))
    shared = read_supplies(fdr.value(key, "SHARED"), fdr.value(details, "SHARED"))
    return shared if own.count is None and shared.count is not None else own


def _chips_and_cores(fdr: Fdr) -> tuple[int | None, int | None]:
    match = _COUNT.match(fdr.value("CPU(s) Enabled", "HARDWARE"))
    if match is None:
        return None, None
    return int(match[2]) if match[2] else None, int(match[1])


def _nodes(fdr: Fdr) -> int | None:
    text = fdr.value("# of Identical Nodes")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def _day(text: str) -> str | None:
    match = _DAY.fullmatch(text)
    return _iso(int(match[3]), match[1], int(match[2])) if match else None


def _month(text: str) -> str | None:
    match = _MONTH.fullmatch(text)
    return _iso(int(match[2]), match[1], 1) if match else None


def _iso(year: int, month: str, day: int) -> str | None:
    try:
        return date(year, _MONTHS[month], day).isoformat()
    except (KeyError, ValueError):
        return None


def _not_twice(fdr: Fdr, result: PublishedResult) -> list[str]:
    """Report the levels of a text that no second table in it confirms."""
    if not (tables := missing(fdr, result.levels)):
        return []
    return [
        f"The text lacks levels in the table{'s' if len(tables) > 1 else ''} {' and '.join(tables)}, which "
        f"state{'' if len(tables) > 1 else 's'} them again: some changed digits cannot be seen."
    ]


def audit_specpower(root: Path, _: Choices) -> Iterator[Audit]:
    """Audit every text of a folder, or the one file. Raises `InputError` after the others for incomplete results."""
    return each_audit(_listed(root), lambda path: [audit_text(path)])


def audit_text(path: Path) -> Audit:
    """Audit one text. Raises `InputError` where it is no complete result."""
    result, fdr, _ = read_text(path)
    printed = result.overall if result.stated_overall is None else result.stated_overall
    off = 100 * (printed / result.overall - 1)
    rounding = rounding_pct(result.levels, printed)
    return Audit(
        id=result.id,
        kind="specpower",
        title=result.title,
        submitter=result.submitter,
        round=result.published_on,
        system=f"{result.maker} {result.model}".strip()[:300],
        benchmark="SPECpower_ssj2008",
        source=result.source,
        quantity="overall performance per watt",
        unit="ssj_ops/W",
        published=printed,
        published_source=result.source,
        by_rule=result.overall,
        rule=f"{RULE}.",
        over_window=None,
        window=NO_WINDOW,
        sentence=f"The printed figure lies {off:+.2f} % from the printed levels, which determine it within "
        f"{rounding:.2f} %.",
        findings=tuple(_findings(result, printed, fdr)),
        levels=tuple(
            AuditedLevel(
                target_pct=level.target_pct,
                throughput=level.ops_per_s,
                power_w=level.power_w,
                printed_ratio=level.printed_ratio,
                ratio=level.ops_per_s / level.power_w,
            )
            for level in result.levels
        ),
        software=version(),
    )


def _other_overall(printed: float, overall: float) -> Iterator[Finding]:
    """Yield a finding where the printed overall figure denies the levels that it is computed from."""
    text = f"Printed are {printed:g} ssj_ops/W; the printed levels give {format_number(overall, 5)}."
    source = f"{_DETERMINED_PCT} %, what the rounding of 785 texts leaves open"
    if finding := printed_finding(printed, overall, _DETERMINED_PCT, text, source):
        yield finding


def _findings(result: PublishedResult, printed: float, fdr: Fdr) -> Iterator[Finding]:
    yield from _other_overall(printed, result.overall)
    yield from contradictions(fdr, result.levels)
    for text in _not_twice(fdr, result):
        yield Finding(rule="stated-once", severity="hides", text=text, source="the text itself")
    for verdict in recompute(result.levels, result.title).targets:
        if verdict.outcome == "fail":
            yield Finding(
                rule="target-load",
                severity="hides",
                value=verdict.value,
                limit=verdict.limit,
                unit="%",
                text=verdict.text,
                source=_RULES,
            )
    calibrated = _CALIBRATED.match(fdr.value("Date of Calibration", "POWER ANALYZER"))
    day = _iso(int(calibrated[3]), calibrated[2], int(calibrated[1])) if calibrated else None
    if day and result.tested_on:
        age = (date.fromisoformat(result.tested_on) - date.fromisoformat(day)).days
        if not 0 <= age <= _CALIBRATION_DAYS:
            yield Finding(
                rule="calibration-age",
                severity="hides",
                value=float(age),
                limit=float(_CALIBRATION_DAYS),
                unit="d",
                text=f"The analyzer was calibrated on {day} and used on {result.tested_on}.",
                source=f"{_RULES}: calibrated within the past year",
            )
    coolest = [
        celsius
        for _, cells in fdr.rows.get("Aggregate Electrical and Environmental Data", [])
        if len(cells) == 3 and cells[0].endswith(("%", "Idle")) and (celsius := number(cells[2])) is not None
    ]
    if coolest and min(coolest) < _COOLEST_C:
        yield Finding(
            rule="ambient-temperature",
            severity="hides",
            value=min(coolest),
            limit=_COOLEST_C,
            unit="°C",
            text=f"The coolest ambient temperature was {min(coolest):g} °C.",
            source=f"{_RULES}: at least 20 °C",
        )


SPECPOWER = Importer(
    kind="specpower",
    title="SPECpower_ssj2008 full disclosure text",
    takes="a text such as power_ssj2008-*.txt, or a folder of them",
    time_zone="not needed",
    recognises=recognises,
    find=find_texts,
    audit=audit_specpower,
)
