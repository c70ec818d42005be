"""How many files one evaluated run leads through, and how often back into one that was left (rule: `tests.walk`).

The whole run led through 60 modules with 92 returns before it was loaded once; the goal was 20 and 10.
What the walk is and why it is no shorter: decision 0047. The cross-check of its secondary meter is a part of it.
Formatting the instants of a run moved out of the views, which a table of stored results then need not import: one more.
Verdicts on other programs, on what the record states and on supplies without a meter added three modules, the numbers
in those of the cross-check one; each verdict is a return to their model. An unknown latency is a rectangle, whose
interval is not Student's: one more, and a return. Numbers in sentences have one writer, so each sentence is a return to
it; that writer counts as words. Limits of heat, power and clocks are read from their series in one module and judged
in another: two more, with a verdict for each of four rules. The inventory of the memory slots is two more: what lists
them, and how these compare.
Settings that somebody changed are a verdict, and limits that the plan itself set are named by them: a return each.
What wattmark itself takes of the CPUs is a verdict of its own: two returns. The names of the quantities that tell of
limits are in one module, which the probes that read them share: one more.
"""

from __future__ import annotations

from wattmark.results.evaluate import evaluate

from tests.walk import Walk, walk

from .whole_run import whole_run

MODULES, RETURNS = 55, 115
MODULES_WITHOUT_WORDS, RETURNS_WITHOUT_WORDS = 47, 29


def test_an_evaluated_run_leads_through_few_files_and_seldom_back() -> None:
    run, store = whole_run()
    whole = walk(lambda: evaluate(run, store))
    assert whole.modules <= MODULES, "\n".join(whole.stays)
    assert whole.returns <= RETURNS, "\n".join(whole.stays)
    narrow = whole.without_words()
    assert narrow.modules <= MODULES_WITHOUT_WORDS, "\n".join(narrow.stays)
    assert narrow.returns <= RETURNS_WITHOUT_WORDS, "\n".join(narrow.stays)


def test_a_module_that_is_entered_again_is_a_return() -> None:
    seen = Walk(("a", "a", "b", "a", "wattmark.core.quantity", "a"))
    assert seen.stays == ("a", "b", "a", "wattmark.core.quantity", "a")
    assert (seen.modules, seen.returns) == (3, 2)
    assert (seen.without_words().modules, seen.without_words().returns) == (2, 1)
