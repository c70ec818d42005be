"""From the lines that `probe.sh` prints to the environment of a server. Pure; no line makes it fail."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from wattmark.runs.environment import LONGEST, NOT_IN_FORCE, Drive, Environment, Gpu, Nic, Uncore, Unread

MOST_ENTRIES = 512
"""Drives, links, GPUs, limits or kernel parameters of one server that are kept."""
HIDDEN = "(hidden)"
BY_BMC = "supplies"
"""The fact that no script on the server tells."""
_HOST, _END = "host", "end"
_REASONS: Mapping[str, Unread] = {reason: reason for reason in get_args(Unread)}
_SECTOR = 512
"""Unit of /sys/block/*/size [B], whatever the drive's own sectors are."""
_LINE = re.compile(r"([a-z_]+(?:/[^/\t]{1,64}){0,2})\t([=!])\t(.*)", re.DOTALL)
_COUNTED = re.compile(r"([0-9]{1,6}) (.*)")
_NUMBER = re.compile(r"[0-9]{1,15}")
_KILOHERTZ = re.compile(r"[0-9]{1,9}")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")
_KIB = re.compile(r"([0-9]{1,15}) kB")
_SCLK = re.compile(r"[0-9S]{1,3}: ([0-9]{1,6})M[Hh]z(?: \*)?")
"""A level of pp_dpm_sclk: "1: 1700Mhz *"; S is a GPU in deep sleep."""
_WORD = re.compile(r'(?:"[^"]*(?:"|$)|[^\s"])+')
_SECRET = re.compile(
    r"pass|pwd|secret|token|key|auth|user|login|cred|cookie|chap|iscsi|netroot|nfsroot|proxy", re.IGNORECASE
)
_ONE_MACHINE = re.compile(
    r"root|resume|swap|initrd|ip|ifname|bootdev|BOOTIF|BOOT_IMAGE|rd\.(?:luks|lvm|md).*|.*(?:hostname|uuid).*"
)
_IDENTIFIES = re.compile(
    r"@|://|[0-9A-Fa-f]{12}|[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-"
)
"""Addresses, and the names that file systems and network cards have by chance or by number."""
_NOT_STATED = ("", "N/A", "[N/A]", "[Not Supported]", "[Deprecated]", "[Unknown Error]", "[Insufficient Permissions]")
"""What nvidia-smi prints for what it does not know."""
_GPU = (
    "name", "driver", "firmware", "persistence", "compute_mode", "mig", "ecc", "power_cap", "clock", "memory_clock",
    "clock_limit", "memory_clock_limit",
)  # fmt: skip
"""In the order in which the script asks nvidia-smi for them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server stated: its environment, and of itself by name ("name", "machine", "cpus", "boot" ...)."""

    environment: Environment
    host: Mapping[str, str]


class _Lines:
    """The lines of an answer by fact and part; those that state nothing are counted."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.by_key: dict[str, list[str]] = defaultdict(list)
        self.unread: dict[str, Unread] = {}
        self.not_understood = 0
        self.ended = False
        for line in lines:
            self._take(line)

    def _take(self, line: str) -> None:
        match = _LINE.fullmatch(line)
        key, status, text = match.groups() if match else ("", "", "")
        fact = key.partition("/")[0]
        if key == _END:
            self.ended = True
        elif fact != _HOST and fact not in _READERS:
            self.not_understood += 1
        elif status == "=":
            self.by_key[key].append(text)
        elif text in _REASONS:
            self.unread.setdefault(fact, _REASONS[text])
        else:
            self.not_understood += 1

    def stated(self, fact: str) -> bool:
        """Return whether anything came of a fact."""
        return any(key.partition("/")[0] == fact for key in self.by_key)

    def entries(self, fact: str) -> dict[str, dict[str, list[str]]]:
        """Return the lines of a fact that has several entries, by entry and part."""
        entries: dict[str, dict[str, list[str]]] = {}
        for key, texts in self.by_key.items():
            name, _, rest = key.partition("/")
            entry, _, part = rest.partition("/")
            if name == fact and entry and (entry in entries or len(entries) < MOST_ENTRIES):
                entries.setdefault(entry, {})[part] = texts
        return entries

    def text(self, texts: Sequence[str] | None) -> str | None:
        """Return the one line of a part; None where there is none, or one that cannot be used, which is counted."""
        try:
            return _text(texts) if texts else None
        except ValueError:
            self.not_understood += 1
            return None


def read_answer(lines: Iterable[str]) -> Answer:
    """Read what the script printed; a fact that is missing or odd is None, with the reason."""
    answer = _Lines(lines)
    values: dict[str, Any] = {}
    unread: dict[str, Unread] = {BY_BMC: "not there"}
    for fact, read in _READERS.items():
        values[fact] = None
        if answer.stated(fact):
            try:
                values[fact] = read(answer, fact)
            except ValueError:
                unread[fact] = "not understood"
        if values[fact] is None:
            silent: Unread = "empty" if answer.ended else "no answer in time"
            unread.setdefault(fact, answer.unread.get(fact, silent))
    host = {
        key.partition("/")[2]: text
        for key, texts in answer.by_key.items()
        if key.startswith(f"{_HOST}/") and (text := answer.text(texts)) is not None
    }
    return Answer(Environment(**values, unread=unread, lines_not_understood=answer.not_understood), host)


def public_parameters(command_line: str) -> tuple[str, ...]:
    """Return the words of a kernel's command line; what may be secret or names one machine is hidden.

    What follows "--" is meant for the first process and is left out.
    """
    words = []
    for word in _WORD.findall(command_line)[:MOST_ENTRIES]:
        if word == "--":
            break
        name, equals, value = word.replace('"', "").partition("=")
        if _IDENTIFIES.search(name):
            name, equals, value = HIDDEN, "", ""
        elif equals and (_SECRET.search(name) or _ONE_MACHINE.fullmatch(name) or _IDENTIFIES.search(value)):
            value = HIDDEN
        words.append("".join(filter(str.isprintable, f"{name}{equals}{value}"))[:LONGEST])
    return tuple(words)


def _text(texts: Sequence[str]) -> str | None:
    """Return the one line of a fact; None where it is blank. Raises `ValueError` for several or a very long one."""
    if len(texts) != 1:
        raise ValueError("not one line")
    text = " ".join("".join(char if char.isprintable() else " " for char in texts[0]).split())
    if len(text) > LONGEST:
        raise ValueError("too long")
    return text or None


def _line(answer: _Lines, fact: str) -> str | None:
    return _text(answer.by_key[fact])


def _counted(texts: Sequence[str]) -> dict[str, int]:
    """Add up how many CPUs have each value. Raises `ValueError`."""
    counts: dict[str, int] = {}
    for text in texts:
        match = _COUNTED.fullmatch(text)
        value = _text([match[2]]) if match else None
        if match is None or value is None:
            raise ValueError("no number and value")
        counts[value] = counts.get(value, 0) + int(match[1])
    if not counts:
        raise ValueError("no value")
    return counts


def _agreed(counts: Mapping[str, int]) -> str:
    """Return the value of all CPUs, or how many have each: "performance on 12, powersave on 4"."""
    if len(counts) == 1:
        return next(iter(counts))
    text = ", ".join(f"{value} on {number}" for value, number in sorted(counts.items()))
    if len(text) > LONGEST:
        raise ValueError("too many values")
    return text


def _per_cpu(answer: _Lines, fact: str) -> str:
    return _agreed(_counted(answer.by_key[fact]))


def _clock(answer: _Lines, fact: str) -> str:
    """Return a clock that the kernel states in kHz, in MHz."""
    counts = _counted(answer.by_key[fact])
    if not all(_KILOHERTZ.fullmatch(khz) for khz in counts):
        raise ValueError("no clock")
    return _agreed({f"{int(khz) / 1e3:g} MHz": number for khz, number in counts.items()})


def _chosen(answer: _Lines, fact: str) -> str | None:
    return _in_brackets(_line(answer, fact))


def _in_brackets(text: str | None) -> str | None:
    """Return the choice that stands in brackets, as in "always [madvise] never"; without any, the text."""
    match = _BRACKETS.search(text or "")
    return match[1] if match else text


def _turbo(answer: _Lines, fact: str) -> str:
    """Return on or off, from a switch that the kernel has of one sense or of the other."""
    for sense, on in (("off", "0"), ("on", "1")):
        if texts := answer.by_key.get(f"{fact}/{sense}"):
            text = _text(texts)
            if text not in ("0", "1"):
                raise ValueError("neither 0 nor 1")
            return "on" if text == on else "off"
    raise ValueError("no switch")


def _listed(answer: _Lines, fact: str) -> int:
    """Count what a list of the kernel names: "0-3,8"."""
    total = 0
    for part in (_line(answer, fact) or "").split(","):
        match = _RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise ValueError("no list")
        total += last - first + 1
    return total


def _gib(answer: _Lines, fact: str) -> float:
    match = _KIB.fullmatch(_line(answer, fact) or "")
    if match is None:
        raise ValueError("not in kB")
    return round(int(match[1]) / 2**20, 2)


def _count(answer: _Lines, fact: str) -> int:
    text = _line(answer, fact) or ""
    if not _NUMBER.fullmatch(text):
        raise ValueError("no number")
    return int(text)


def _unquoted(answer: _Lines, fact: str) -> str | None:
    return (_line(answer, fact) or "").strip("\"'") or None


def _parameters(answer: _Lines, fact: str) -> tuple[str, ...]:
    return public_parameters(" ".join(answer.by_key[fact]))


def _steal(answer: _Lines, fact: str) -> int:
    """Compute the stolen share since the boot [%] from the first line of proc_stat(5): user ... steal."""
    name, *fields = (_line(answer, fact) or "").split() or [""]
    ticks = fields[:8]
    if name != "cpu" or len(ticks) < 8 or not all(map(_NUMBER.fullmatch, ticks)):
        raise ValueError("no times")
    return round(100 * int(ticks[7]) / max(1, sum(map(int, ticks))))


def _idle_states(answer: _Lines, fact: str) -> dict[str, str]:
    states = {}
    for parts in answer.entries(fact).values():
        name = answer.text(parts.get("name"))
        if name is None or "disabled" not in parts:
            continue
        counts = _counted(parts["disabled"])
        disabled, total = sum(number for value, number in counts.items() if value != "0"), sum(counts.values())
        some = f"disabled on {disabled} of {total} CPUs"
        states[name] = "enabled" if not disabled else "disabled" if disabled == total else some
    return states


def _mitigations(answer: _Lines, fact: str) -> dict[str, str]:
    entries = answer.entries(fact)
    return {name: text for name in sorted(entries) if (text := answer.text(entries[name].get(""))) is not None}


def _power_caps(answer: _Lines, fact: str) -> dict[str, str]:
    """Return the limits in watts by zone and kind; those that are not in force say so."""
    caps = {}
    for zone, parts in answer.entries(fact).items():
        name, enabled = answer.text(parts.get("name")), answer.text(parts.get("enabled"))
        for part in sorted(parts):
            kind = part.removeprefix("limit ")
            microwatts = answer.text(parts[part]) if kind != part else None
            if microwatts is not None and _NUMBER.fullmatch(microwatts):
                off = NOT_IN_FORCE if enabled == "0" else ""
                caps[" ".join(filter(None, (zone, name, kind)))] = f"{int(microwatts) / 1e6:g} W{off}"
    return caps


def _uncore(answer: _Lines, fact: str) -> dict[str, Uncore]:
    domains = {}
    for name, parts in answer.entries(fact).items():
        khz = {
            part: answer.text(parts.get(f"{part}_freq_khz")) for part in ("max", "min", "initial_max", "initial_min")
        }
        mhz = {part: f"{int(k) / 1e3:g} MHz" for part, k in khz.items() if k is not None and _KILOHERTZ.fullmatch(k)}
        domains[name] = Uncore(
            max=mhz.get("max"),
            min=mhz.get("min"),
            max_at_boot=mhz.get("initial_max"),
            min_at_boot=mhz.get("initial_min"),
        )
    return domains


def _fans(answer: _Lines, fact: str) -> dict[str, str]:
    """Return the control of each fan by chip (sysfs-interface.rst: 0 full speed, 1 by hand, 2 and more automatic).

    Chips of one name are numbered in the order of the kernel, whose own numbers change from boot to boot.
    """
    fans: dict[str, str] = {}
    seen: dict[str, int] = {}
    for parts in answer.entries(fact).values():
        chip = answer.text(parts.get("name")) or "chip"
        seen[chip] = seen.get(chip, 0) + 1
        numbered = f"{chip} {seen[chip]}" if seen[chip] > 1 else chip
        for part in sorted(parts):
            mode = answer.text(parts[part]) if part != "name" else None
            if mode is not None and _NUMBER.fullmatch(mode):
                fans[f"{numbered} {part}"] = {"0": "full speed", "1": "by hand"}.get(mode, f"automatic ({mode})")
    return fans


def _amd_gpu(answer: _Lines, parts: Mapping[str, list[str]]) -> Gpu:
    """Read a GPU of amdgpu (the kernel's documentation of its sysfs files); the last clock listed is the highest."""
    device = dict(line.split("=", 1) for line in parts.get("device", ()) if "=" in line)
    cap = answer.text(parts.get("power1_cap"))
    clocks = [match[1] for line in parts.get("pp_dpm_sclk", ()) if (match := _SCLK.fullmatch(line.strip()))]
    return Gpu(
        power_cap=f"{int(cap) / 1e6:g} W" if cap and _NUMBER.fullmatch(cap) else None,
        performance_level=answer.text(parts.get("power_dpm_force_performance_level")),
        clock_limit=f"{clocks[-1]} MHz" if clocks else None,
        name=answer.text(parts.get("product_name")) or device.get("PCI_ID"),
        driver=device.get("DRIVER"),
        firmware=answer.text(parts.get("vbios_version")),
    )


def _gpus(answer: _Lines, fact: str) -> dict[str, Gpu]:
    gpus = {slot: _amd_gpu(answer, parts) for slot, parts in answer.entries(fact).items()}
    for line in answer.by_key.get(fact, [])[:MOST_ENTRIES]:
        index, *fields = (field.strip() for field in line.split(", "))
        if len(fields) != len(_GPU) or not _KILOHERTZ.fullmatch(index):
            answer.not_understood += 1
            continue
        stated = ((name, text) for name, text in zip(_GPU, fields, strict=True) if text not in _NOT_STATED)
        gpus[index] = Gpu(**{name: answer.text([text]) for name, text in stated})
    if not gpus:
        raise ValueError("no GPU")
    return gpus


def _nics(answer: _Lines, fact: str) -> dict[str, Nic]:
    nics = {}
    for name, parts in answer.entries(fact).items():
        device = dict(line.split("=", 1) for line in parts.get("device", ()) if "=" in line)
        speed = answer.text(parts.get("speed"))
        nics[name] = Nic(
            device=answer.text([device["PCI_ID"]]) if "PCI_ID" in device else None,
            driver=answer.text([device["DRIVER"]]) if "DRIVER" in device else None,
            firmware=answer.text(parts.get("firmware")),
            speed=f"{speed} Mbit/s" if speed and _KILOHERTZ.fullmatch(speed) else None,
        )
    return nics


def _drives(answer: _Lines, fact: str) -> dict[str, Drive]:
    drives = {}
    for name, parts in answer.entries(fact).items():
        vendor, model, rev, firmware, size, scheduler = (
            answer.text(parts.get(part)) for part in ("vendor", "model", "rev", "firmware_rev", "size", "scheduler")
        )
        maker = vendor if vendor and vendor != "ATA" and not vendor.startswith("0x") else ""
        drives[name] = Drive(
            model=answer.text([f"{maker} {model}"]) if model else None,
            firmware=firmware or rev,
            size=f"{round(int(size) * _SECTOR / 1e9, 1):g} GB" if size and _NUMBER.fullmatch(size) else None,
            scheduler=_in_brackets(scheduler),
        )
    return drives


_READERS: Mapping[str, Callable[[_Lines, str], Any]] = {
    **dict.fromkeys(
        (name for name in Environment.model_fields if name not in ("unread", "lines_not_understood", BY_BMC)), _line
    ),
    **dict.fromkeys(("governor", "scaling_driver", "energy_preference", "energy_bias"), _per_cpu),
    **dict.fromkeys(("min_clock", "max_clock", "hardware_min_clock", "hardware_max_clock"), _clock),
    **dict.fromkeys(("transparent_huge_pages", "transparent_huge_page_defrag", "pcie_power"), _chosen),
    **dict.fromkeys(("cpus_online", "numa_nodes"), _listed),
    "turbo": _turbo,
    "memory_gib": _gib,
    "huge_pages": _count,
    "distribution": _unquoted,
    "kernel_parameters": _parameters,
    "steal_pct": _steal,
    "idle_states": _idle_states,
    "mitigations": _mitigations,
    "power_caps": _power_caps,
    "uncore": _uncore,
    "fans": _fans,
    "gpus": _gpus,
    "nics": _nics,
    "drives": _drives,
}
"""How the lines of each fact are read; most are one line as it is."""
