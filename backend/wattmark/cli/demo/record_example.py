"""Record the example that the demo shows: `make demo-example`, on a quiet machine. Replaces `example.zip.xz`."""

from __future__ import annotations

import io
import secrets
import sys
import tempfile
from pathlib import Path

from wattmark_drivers.clock import SystemClock

from wattmark.archives.data_folder import Archives
from wattmark.campaigns.status import CampaignOut
from wattmark.cli.demo.demo import Summary, run_demo
from wattmark.cli.demo.example import EXAMPLE, FILE, LAB, pack
from wattmark.core.event_loop import run_loop
from wattmark.core.whole_file import write_whole
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import CLAIMS
from wattmark.service.reader.child import ForkedReader


def main() -> None:
    """Run the campaign once, and keep it where every run may be ranked."""
    first_reader = ForkedReader.fork()
    with tempfile.TemporaryDirectory(prefix="wattmark-demo-") as name:
        folder = Path(name)
        seed = secrets.randbelow(2**31)
        status, summary = run_loop(run_demo(folder, 0, seed, first_reader, headless=True, repeat=False, naming=EXAMPLE))
        if faults := unfit(status, summary):
            sys.exit("\n".join([*faults, f"{FILE.name} was not replaced. Repeat this on a quiet machine."]))
        write_whole(FILE, pack(archived(folder)))
    sys.stdout.write(f"{FILE}: {len(summary.results)} runs, {FILE.stat().st_size / 1000:.0f} kB\n")


def unfit(status: CampaignOut, summary: Summary) -> list[str]:
    """List why a campaign is no example."""
    faults = [] if status.state == "complete" else [f"The campaign ended as {status.state}: {status.message}"]
    faults += [f"A device was missing: {problem}" for problem in summary.problems]
    for result in summary.results:
        causes = dict.fromkeys(cause for claim in CLAIMS if (cause := why_not_ranked(result, claim)) is not None)
        if causes:
            place = f"{result.server}/{result.configuration}, repeat {result.repeat}"
            faults.append(f"{place}: {', '.join(causes)}")
    return faults


def archived(folder: Path) -> bytes:
    """Write all runs of a data folder as an archive of the lab that stands for the example."""
    storage = open_storage(folder, read_only=True)
    try:
        results = Evaluations(storage)
        archives = Archives(storage, results, Issuer(storage, results, SystemClock()))
        file = io.BytesIO()
        archives.write(file, archives.choose((), None, every=True), LAB)
        return file.getvalue()
    finally:
        storage.close()


if __name__ == "__main__":
    main()
