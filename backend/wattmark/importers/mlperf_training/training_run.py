"""One training run: its timed part, and the power logs of its nodes and switches."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

import numpy as np

from wattmark.core.errors import InputError
from wattmark.importers.counted_twice import total_of_others
from wattmark.importers.mlperf_training.mllog import Event, read_events
from wattmark.importers.mlperf_training.power_log import NodeLog, SwitchLog, read_node, read_switch
from wattmark.importers.mlperf_training.tree import NODE, BenchmarkFolder, ResultFile
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

_STATED = ("submission_org", "submission_division", "submission_benchmark", "submission_status")
_KEYS = frozenset({"run_start", "run_stop", "global_batch_size", *_STATED})
_SPANS = 20
"""Of the timed part, in which the power of nodes is compared."""
_OTHER_UNIT = 200.0
"""Nodes of one system differ by less than this factor: idle accelerators take a tenth of what they take at work."""
_SWITCH = re.compile(r"sw_[0-9]+\.txt")


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A run of a submission, read; times are s since 1970."""

    id: str
    title: str
    begin_s: float
    end_s: float
    converged: bool
    stated: dict[str, str]
    nodes: tuple[NodeLog, ...]
    switches: tuple[SwitchLog, ...]
    files: tuple[SourceFileNote, ...]
    unread: Unread
    others: tuple[str, ...]
    """Files beside the power logs that are none by their names."""

    @property
    def timed_s(self) -> float:
        """Return the time from run_start to run_stop [s]."""
        return self.end_s - self.begin_s

    @property
    def estimated_w(self) -> float:
        """Return the constant power of the switches, declared and not measured [W]."""
        return sum(switch.power_w * switch.conversion for switch in self.switches)

    @property
    def counted_twice(self) -> int:
        """Count the nodes whose log holds the readings of another one."""
        digests = [digest for node in self.nodes if (digest := node.readings_digest)]
        return len(digests) - len(set(digests))

    @property
    def total(self) -> NodeLog | None:
        """Return the log whose power is that of all other nodes together; None: there is none."""
        edges_s = np.linspace(self.begin_s, self.end_s, _SPANS + 1)
        total = total_of_others(np.column_stack([node.mean_w(edges_s) for node in self.nodes]))
        return None if total is None else self.nodes[total]

    @property
    def in_other_unit(self) -> tuple[NodeLog, ...]:
        """Return the nodes whose power is so far below that of the others that it is not in watts, as one in kW is."""
        means_w = np.array([float(node.power_w.mean()) for node in self.nodes])
        usual_w = float(np.median(means_w[means_w > means_w.max() / _OTHER_UNIT]))
        return tuple(
            node for node, mean_w in zip(self.nodes, means_w, strict=True) if 0 < mean_w < usual_w / _OTHER_UNIT
        )

    @property
    def readings_digest(self) -> str:
        """Return what two runs share whose power logs hold the same readings."""
        digests = sorted(node.readings_digest or node.note.sha256 for node in self.nodes)
        return hashlib.sha256("".join(digests).encode()).hexdigest()


def read_training_run(folder: BenchmarkFolder, file: ResultFile) -> TrainingRun:
    """Read a run with its power logs. Raises `InputError` naming the file that cannot be read."""
    unread = Unread()
    lines = folder.lines(file.path)
    begin = end = None
    stated: dict[str, str] = {}
    for event in read_events(lines, unread, _KEYS):
        if event.key == "run_start":
            begin = _once(lines.name, begin, event)
        elif event.key == "run_stop":
            end = _once(lines.name, end, event)
        else:
            stated.setdefault(event.key, str(event.value)[:200])
    if begin is None or end is None or end.time_ms <= begin.time_ms:
        raise broken(lines.name, None, "it holds no run_start before a run_stop", "Restore the log of the run.")
    names = sorted(path.name for path in file.power.iterdir())
    nodes = tuple(read_node(folder.lines(file.power / name), unread) for name in names if NODE.fullmatch(name))
    switches = tuple(read_switch(folder.lines(file.power / name), unread) for name in names if _SWITCH.fullmatch(name))
    if not nodes:
        raise InputError(f"{folder.where}/power/{file.path.stem} holds no node_*.txt.", "Restore the power logs.")
    files = (lines.note, *(node.note for node in nodes), *(switch.note for switch in switches))
    return TrainingRun(
        _run_id(files),
        file.path.stem.removeprefix("result_"),
        begin.time_ms / 1e3,
        end.time_ms / 1e3,
        end.metadata.get("status") == "success",
        stated,
        nodes,
        switches,
        files,
        unread,
        tuple(name for name in names if not (NODE.fullmatch(name) or _SWITCH.fullmatch(name))),
    )


def _once(name: str, earlier: Event | None, event: Event) -> Event:
    """Return the mark; every task may write it, but only once and at one time."""
    if earlier is not None and earlier.time_ms != event.time_ms:
        raise broken(name, event.line, f"a second {event.key} at another time", "Give one log per run.")
    return event


def _run_id(files: tuple[SourceFileNote, ...]) -> str:
    """Return the run by its log and its power logs: the same files are the same run, wherever they lie."""
    text = "".join(file.sha256 for file in files)
    return f"mlperf-training-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
