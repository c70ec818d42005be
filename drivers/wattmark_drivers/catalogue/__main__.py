"""Write the support table into a README: `python -m wattmark_drivers.catalogue README.md`."""

from __future__ import annotations

import sys
from pathlib import Path

from wattmark_drivers.catalogue.support_table import with_support_table

if __name__ == "__main__":
    readme = Path(sys.argv[1])
    readme.write_text(with_support_table(readme.read_text("utf-8")), "utf-8")
