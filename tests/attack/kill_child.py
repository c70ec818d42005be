"""Write until killed, and print the name of each thing once the store has acknowledged it.

usage: python -m tests.attack.kill_child SUBJECT DATA_DIR [URL]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.results.data_folder import open_storage

from ..integration.fleet.influx.recorded import Drain
from ..integration.traceability.conftest import SERIAL, Lab

DOCUMENTS = 12


def acknowledge(name: str) -> None:
    sys.stdout.write(f"{name}\n")
    sys.stdout.flush()


def recompute(folder: Path, _: str) -> None:
    """Reissue the result of every run of a meter, with the certificate that the register has got."""
    lab = Lab(folder)
    for run_id in lab.storage.runs.ids():
        lab.calibration.issuer.recompute(run_id, "operator", "new certificate")
        acknowledge(run_id)
    lab.calibration.issuer.recompute_meter(SERIAL, "operator", "whole meter")
    acknowledge("meter")


def send(folder: Path, url: str) -> None:
    """Send all samples to a server, in small parts."""
    drain = Drain(open_storage(folder), InfluxSettings(url=url, batch=200))
    while drain.outbox.state().waiting or drain.outbox.state().waiting_runs:
        drain.sink.step()
        acknowledge(str(drain.outbox.state().acknowledged))


def commit(folder: Path, _: str) -> None:
    """Change several stores in one transaction, again and again."""
    storage = open_storage(folder)
    for number in range(DOCUMENTS):
        name = f"document {number}"

        def put(inside, name=name) -> None:
            for kind in ("first", "second", "third"):
                inside.runs.put_document(kind, name, {"filler": name * 400})

        storage.all_or_nothing(put)
        acknowledge(name)
    storage.close()


SUBJECTS: dict[str, Callable[[Path, str], None]] = {"recompute": recompute, "send": send, "commit": commit}

if __name__ == "__main__":
    SUBJECTS[sys.argv[1]](Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
