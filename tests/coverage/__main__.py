"""Count all scenarios and write the table: `python -m tests.coverage [WORDS OF NAMES]`.

With words, only scenarios whose name holds one of them are counted, and the table is printed instead of written.
"""

import os
import sys
from pathlib import Path

from wattmark.cli.console.log_progress import work_shown

from tests.coverage.count import SCENARIOS, count_all
from tests.coverage.table import page

PAGE = Path(__file__).parents[2] / "backend" / "docs" / "coverage.md"

if __name__ == "__main__":
    words = sys.argv[1:]
    chosen = [s for s in SCENARIOS.values() if not words or any(word in s.name for word in words)]
    with work_shown("coverage"):
        rows = count_all(chosen, processes=os.cpu_count() or 1)
    text = page(rows)
    if words:
        sys.stdout.write(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{text}\nWritten to {PAGE}.\n")
