"""A campaign of the demo, recorded once on a quiet machine: the answer, while the live campaign is still under way.

It is an archive like any other. Its workload has a name of its own, so that no comparison and no line puts its runs
beside those of this machine, and its servers are named with the lab "recorded example".
"""

from __future__ import annotations

import io
import lzma
import shutil
import tempfile
import zipfile
from pathlib import Path
from urllib.parse import quote, urlencode

from wattmark.archives.data_folder import Archives
from wattmark.archives.outcome import Restoration
from wattmark.cli.demo.bench_file import Naming
from wattmark.comparison.compare.views import CompareChoice

LAB = "recorded example"
EXAMPLE = Naming(
    workload="example.rsa1024-sign",
    title="Recorded example, simulated power: RSA-1024 signatures on two servers with different numbers of DIMMs",
)
FILE = Path(__file__).with_name("example.zip.xz")


def restore_example(archives: Archives) -> Restoration:
    """Import the recorded runs, marked as another lab's; those that are here already stay. Raises `WattmarkError`."""
    with lzma.open(FILE) as packed, tempfile.TemporaryFile() as file:
        shutil.copyfileobj(packed, file)
        return archives.restore(file, FILE.stem)


def example_page(choices: list[CompareChoice]) -> str:
    """Return the path of the web page that compares the recorded configurations."""
    level = next(choice.level for choice in choices if choice.workload == EXAMPLE.workload)
    return f"/compare?{urlencode({'workload': EXAMPLE.workload, 'level': level}, quote_via=quote)}"


def pack(archive: bytes) -> bytes:
    """Compress an archive as a whole, its members stored: what all runs have in common is then kept once."""
    stored = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(stored, "w") as target:
        for member in source.infolist():
            plain = zipfile.ZipInfo(member.filename, member.date_time)
            plain.external_attr = member.external_attr
            target.writestr(plain, source.read(member))
    return lzma.compress(stored.getvalue(), preset=9 | lzma.PRESET_EXTREME)
