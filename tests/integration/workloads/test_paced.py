"""Paced workloads: the work is done and counted, a rate is held, and work that is done wrongly ends the program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from wattmark.workloads.catalogue import load_catalogue

from .test_catalogue import run, use

PROGRAMS = Path(__file__).parents[3] / "backend/wattmark/workloads/programs"
SMALL = {"paced.key-value": {"mib": "8"}, "paced.scan": {"mib": "24"}}
IN_MEMORY = sorted(name for name in load_catalogue() if name.startswith("paced.") and not name.endswith("-io"))
RATE = 40
"""Units per second: little work even for a busy machine."""


@pytest.mark.parametrize("workload", IN_MEMORY)
async def test_a_rate_below_the_most_is_held(workload: str, tmp_path: Path) -> None:
    work = await run(use(workload, **SMALL.get(workload, {})), tmp_path, level=10 * RATE, seconds=3)
    done = sum(item.amount for item in work.intervals)
    assert done == pytest.approx(RATE * work.duration_s, abs=0.1 * RATE)


@pytest.mark.parametrize("order", ["sequential", "random"])
async def test_a_rate_of_operations_on_a_file_is_held(order: str, tmp_path: Path) -> None:
    declaration = use(f"paced.{order}-io", folder=str(tmp_path), mib="8", jobs="4")
    work = await run(declaration, tmp_path, level=10 * RATE, seconds=3)
    assert sum(item.amount for item in work.intervals) == pytest.approx(RATE * work.duration_s, abs=0.1 * RATE)
    assert list(tmp_path.iterdir()) == []


async def test_more_than_the_machine_can_do_shows_the_most_that_it_can(tmp_path: Path) -> None:
    """Twice the work asked for changes nothing at saturation, and a unit below it is a unit above."""
    most = [await _rate(tmp_path, level) for level in (10_000_000, 100_000_000)]
    assert most[1] == pytest.approx(most[0], rel=0.5)
    held = await _rate(tmp_path, round(10 * min(most) / 5))
    assert held == pytest.approx(min(most) / 5, rel=0.03)


async def _rate(folder: Path, level: int) -> float:
    work = await run(use("paced.sort"), folder, level=level, seconds=3)
    return sum(item.amount for item in work.intervals) / work.duration_s


async def test_the_file_of_the_operations_is_read_and_written_as_often_as_counted(tmp_path: Path) -> None:
    """The kernel counts bytes past the page cache: half of the operations read 4 KiB, half write 4 KiB."""
    file = tmp_path / "file"
    program = _compiled("paced_io", tmp_path)
    subprocess.run([program, "create", file, "4"], check=True)
    script = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], capture_output=True, text=True);"
        "use = resource.getrusage(resource.RUSAGE_CHILDREN); print(done.stdout, use.ru_inblock, use.ru_oublock)"
    )
    command = [program, "4", "1000", "3", "random", file]
    out = subprocess.run([sys.executable, "-c", script, *command], check=True, capture_output=True, text=True).stdout
    *lines, blocks = out.strip().splitlines()
    counted = sum(int(line.split()[1]) for line in lines if line.startswith("work"))
    read, written = (int(number) * 512 / 4096 for number in blocks.split())
    assert counted == pytest.approx(300, abs=3)
    assert read == pytest.approx(counted / 2, abs=3)
    assert written == pytest.approx(counted / 2, abs=3)


@pytest.mark.parametrize(
    ("program", "right", "wrong", "arguments", "reason"),
    [
        ("paced_compress", "(uint16_t)next++;", "(uint16_t)(next += 2);", (), "does not expand to its text"),
        ("paced_crypto", "0x428a2f98", "0x428a2f99", (), "SHA-256 does not give the digest"),
        ("paced_crypto", "s[a], 16);", "s[a], 15);", (), "ChaCha20 does not give the key stream"),
        ("paced_sort", "qsort(numbers,", "(void)by_size; if (0) qsort(numbers,", (), "a sorted array is not in order"),
        ("paced_lu", "-= factor * s->a[k][j]", "-= 0.9 * factor * s->a[k][j]", (), "a solution is not the one"),
        ("paced_keyvalue", "slot_of(key)->value, mix(~key)", "slot_of(key)->value, key", ("8",), "another value"),
        ("paced_scan", "b[i] + 3 * c[i]", "b[i] + 2 * c[i]", ("24",), "a sum in memory is not the one"),
    ],
)
def test_work_that_is_done_wrongly_ends_the_program(
    program: str, right: str, wrong: str, arguments: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [_compiled(program, tmp_path, right, wrong), "1", "100", "2", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert reason in done.stderr


def test_accounts_that_do_not_add_up_end_the_program(tmp_path: Path) -> None:
    text = (PROGRAMS / "paced_sql.py").read_text("utf-8")
    right = "UPDATE branch SET balance = balance + ?"
    assert right in text
    (tmp_path / "sql.py").write_text(text.replace(right, "UPDATE branch SET balance = balance - ?"))
    done = subprocess.run([sys.executable, tmp_path / "sql.py", "1", "1000", "1"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "the accounts do not add up" in done.stderr


@pytest.mark.parametrize("arguments", [["0", "10", "1"], ["1", "0", "1"], ["1", "10"], ["1", "x", "1"]])
def test_arguments_that_are_no_rate_are_refused(arguments: list[str], tmp_path: Path) -> None:
    sql = [sys.executable, PROGRAMS / "paced_sql.py"]
    for command in ([_compiled("paced_sort", tmp_path)], sql):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True)
        assert done.returncode != 0
        assert "must be a whole number from" in done.stderr


def test_a_folder_that_is_on_no_disk_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [_compiled("paced_io", tmp_path), "create", "/proc/file", "4"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "/proc/file" in done.stderr


def _compiled(program: str, folder: Path, right: str = "", wrong: str = "") -> Path:
    """Compile a program as the catalogue does, with a mistake in its place."""
    text = (PROGRAMS / f"{program}.c").read_text("utf-8")
    assert right in text
    (folder / f"{program}.c").write_text(text.replace(right, wrong, 1) if right else text)
    command = [
        "cc",
        "-O2",
        "-Wall",
        "-Werror",
        "-pthread",
        "-I",
        PROGRAMS,
        "-o",
        folder / program,
        folder / f"{program}.c",
    ]
    subprocess.run(command, check=True)
    return folder / program
