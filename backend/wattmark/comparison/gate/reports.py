"""A gate's verdict as other programs read it: JUnit, Markdown, a badge."""

from __future__ import annotations

import re
import unicodedata
from html import escape
from xml.sax.saxutils import quoteattr

from wattmark.comparison.gate.gate import in_percent
from wattmark.comparison.gate.views import GateMetric, GateOut

_COLOURS = {"no regression": "#2e7d32", "regression": "#c62828", "not known": "#9e6c00"}
_SIGNS = {"no regression": "✓", "regression": "✗", "not known": "?"}
_DIGIT_PX, _HEIGHT_PX = 6.4, 20
_MARKS = re.compile(r"[#$*<>\[\\\]_`|~&]")
"""What Markdown or HTML gives a meaning inside a line; a backslash takes it away (CommonMark 2.4)."""


def junit(verdict: GateOut) -> str:
    """Write JUnit XML: a test case for each figure; one that is not known is skipped with its reason."""
    cases = "".join(_case(metric, verdict) for metric in verdict.metrics)
    count = {outcome: sum(m.outcome == outcome for m in verdict.metrics) for outcome in _COLOURS}
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuite name="wattmark" tests="{len(verdict.metrics)}" failures="{count["regression"]}" '
        f'skipped="{count["not known"]}">\n{cases}</testsuite>\n'
    )


def _case(metric: GateMetric, verdict: GateOut) -> str:
    text, place = _line(metric.text), _line(f"{verdict.workload}, {verdict.level}")
    head = f"<testcase classname={quoteattr(place)} name={quoteattr(metric.metric)}>"
    inner = {
        "no regression": "",
        "regression": f"<failure message={quoteattr(text)}/>",
        "not known": f"<skipped message={quoteattr(text)}/>",
    }[metric.outcome]
    return f"  {head}{inner}<system-out>{escape(text, quote=False)}</system-out></testcase>\n"


def markdown(verdict: GateOut) -> str:
    """Write a summary for a pull request."""
    rows = "".join(
        f"| {metric.metric} | {_SIGNS[metric.outcome]} {metric.outcome} | {_percent(metric)} | {_against(metric)} |\n"
        for metric in verdict.metrics
    )
    place = _marked(f"{verdict.workload}, {verdict.level}")
    return (
        f"**wattmark: {verdict.outcome}** ({place}; {runs_used(verdict)})\n\n"
        f"| figure | verdict | candidate against baseline | runs |\n| --- | --- | --- | --- |\n{rows}\n"
        f"{_marked(verdict.text)}\n"
    )


def _line(text: str) -> str:
    """Write a text, which may hold names that people gave, in one line of characters that XML and UTF-8 have."""
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    return " " if character.isspace() else repr(character)[1:-1]


def _marked(text: str) -> str:
    """Write a text for Markdown, so that it is shown as it is."""
    return _MARKS.sub(r"\\\g<0>", _line(text))


def runs_used(verdict: GateOut) -> str:
    """Count the runs that every figure was judged by: "5 of 6 runs against 6"."""
    sides = [
        (named, set.intersection(*(set(side.used) for side in by_metric)))
        for named, by_metric in (
            (verdict.candidate, [metric.candidate for metric in verdict.metrics]),
            (verdict.baseline, [metric.baseline for metric in verdict.metrics]),
        )
    ]
    new, old = (_share(len(used), len(named)) for named, used in sides)
    return f"{new} runs against {old}"


def _against(metric: GateMetric) -> str:
    new, old = (
        _share(len(side.used), len(side.used) + len(side.unused)) for side in (metric.candidate, metric.baseline)
    )
    return f"{new} against {old}"


def _share(used: int, named: int) -> str:
    return f"{named}" if used == named else f"{used} of {named}"


def badge(verdict: GateOut) -> str:
    """Draw the first figure with its interval as an SVG of one line."""
    metric = verdict.metrics[0]
    left, right = metric.metric, _percent(metric)
    widths = [round(_DIGIT_PX * len(text) + 12) for text in (left, right)]
    total = sum(widths)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{_HEIGHT_PX}" role="img" '
        f'aria-label="{escape(f"{left}: {right}")}"><title>{escape(_line(metric.text))}</title>'
        f'<rect width="{total}" height="{_HEIGHT_PX}" rx="3" fill="#424242"/>'
        f'<rect x="{widths[0]}" width="{widths[1]}" height="{_HEIGHT_PX}" rx="3" fill="{_COLOURS[metric.outcome]}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{widths[0] / 2}" y="14">{escape(left)}</text>'
        f'<text x="{widths[0] + widths[1] / 2}" y="14">{escape(right)}</text></g></svg>\n'
    )


def _percent(metric: GateMetric) -> str:
    return "not known" if metric.change is None else in_percent(metric.change)
