"""What the lines of a log leave open: verdicts and notes on those that were not understood, and on stamps."""

from __future__ import annotations

from dataclasses import replace

from wattmark.core.errors import InputError
from wattmark.importers.importer import ImportedRun
from wattmark.importers.unread import Unread
from wattmark.runs.record import ImportedVerdict
from wattmark.workloads.loadgen.source_file import broken

MOST_UNREAD_PCT = 1.0
MOST_REPEATED_PCT = 1.0
_SOURCE = "a log of a meter has one line for each reading, at a stamp of its own"
_NAMED = 3


def clock_steps(
    back: int, not_later: int, longest_back_s: float, first_line: int, silence: tuple[int, int] | None
) -> ImportedVerdict:
    """Judge stamps that step back or repeat: a clock that was set, or repeated lines.

    ``silence``: a step forward that is most of the log [ns], and the line after it.
    """
    text = f"{back} stamps step back and {not_later} lines are not later than one before them"
    if back:
        text += f", by up to {longest_back_s:g} s, first in line {first_line}"
    text += ". Readings at such stamps are stored as invalid." if not_later else "."
    if silence is not None:
        step_ns, line = silence
        text += (
            f" The stamps jump forward by {step_ns / 86_400e9:.0f} d at line {line}, most of the log: a clock was set, "
            "or the log holds two recordings. Import each part by itself."
        )
    return ImportedVerdict(
        rule="import-clock-steps",
        value=float(back + not_later + (silence is not None)),
        limit=0.0,
        unit="lines",
        outcome="fail" if back or not_later or silence else "pass",
        text=text,
        source=_SOURCE,
    )


def require_understood(unread: Unread, lines: int, remedy: str) -> None:
    """Refuse a log of which more than half of the lines were not understood. Raises `InputError`."""
    if unread.first and 2 * unread.count > lines:
        first = unread.first[0]
        mistake = f"{first.why}; {unread.count} of {lines} lines were not understood"
        raise broken(first.file, first.line, mistake, remedy)


def require_stamps_in_order(lines: int, back: int, not_later: Unread, remedy: str) -> None:
    """Refuse a log of which too many lines are not later than an earlier one. Raises `InputError`."""
    if not_later.count <= 1 or 100 * not_later.count <= MOST_REPEATED_PCT * lines:
        return
    first = not_later.first[0]
    raise InputError(
        f"{first.file}, line {first.line}: {first.why}, and so in {not_later.count} of {lines} lines; the stamps step "
        f"back {back} times.",
        remedy,
    )


def with_unread(item: ImportedRun) -> ImportedRun:
    """Add what was not understood to the record of a run: a count, a note, a verdict."""
    count, record = item.unread.count, item.record
    imported = record.disclosure.imported
    if not count or imported is None:
        return item
    lines = item.unread.lines or count + (imported.power_log.samples if imported.power_log else 0)
    share_pct = 100 * count / lines
    first = "; ".join(f"{line.file} line {line.line}: {line.why}" for line in item.unread.first[:_NAMED])
    text = f"{count} lines were not understood ({first}{'; ...' * (count > _NAMED)})."
    verdict = ImportedVerdict(
        rule="import-unread-lines",
        value=share_pct,
        limit=MOST_UNREAD_PCT,
        unit="%",
        outcome="pass" if count == 1 or share_pct <= MOST_UNREAD_PCT else "fail",
        text=text,
        source="what the lines said is not known; at most one in a hundred, as for stamps",
    )
    notes = (*record.disclosure.notes, text)
    facts = imported.model_copy(update={"lines_not_understood": count})
    disclosure = record.disclosure.model_copy(update={"notes": notes, "imported": facts})
    record = record.model_copy(update={"disclosure": disclosure, "evidence": (*record.evidence, verdict)})
    return replace(item, record=record, notes=(*item.notes, text))
