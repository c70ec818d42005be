"""Do transactions in SQLite databases in memory, at a rate.

usage: paced_sql.py PROCESSES UNITS_IN_10_S SECONDS. Each process has a database of its own with 20,000 accounts. A
unit is one transaction, in the manner of TPC-B: change an account, its branch and the ledger, then read a range of
accounts with an aggregate. Unit k is due k / rate after the begin; process p does the units p, p + PROCESSES, ..., and
one that is due already at once. In the end the accounts must add up to what was moved. Prints "work COUNT in second N"
for each second.
"""

from __future__ import annotations

import multiprocessing
import sqlite3
import sys
import time
from typing import Any

ACCOUNTS, BRANCHES, RANGE, KEPT = 20_000, 20, 400, 1000


def database() -> sqlite3.Connection:
    """Make a database with its accounts, all of them empty."""
    lite = sqlite3.connect(":memory:", isolation_level=None)
    lite.execute("CREATE TABLE branch (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)")
    lite.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, branch INTEGER NOT NULL, balance INTEGER NOT NULL)")
    lite.execute("CREATE TABLE ledger (account INTEGER NOT NULL, amount INTEGER NOT NULL, at INTEGER NOT NULL)")
    lite.executemany("INSERT INTO branch VALUES (?, 0)", ((number,) for number in range(BRANCHES)))
    lite.executemany("INSERT INTO account VALUES (?, ?, 0)", ((n, n % BRANCHES) for n in range(ACCOUNTS)))
    return lite


def transact(lite: sqlite3.Connection, unit: int) -> int:
    """Do one transaction; returns the amount that it moves."""
    account, amount, first = unit * 7919 % ACCOUNTS, unit % 199 - 99, unit * 104_729 % (ACCOUNTS - RANGE)
    lite.execute("BEGIN")
    lite.execute("UPDATE account SET balance = balance + ? WHERE id = ?", (amount, account))
    lite.execute("UPDATE branch SET balance = balance + ? WHERE id = ?", (amount, account % BRANCHES))
    lite.execute("INSERT INTO ledger VALUES (?, ?, ?)", (account, amount, unit))
    lite.execute("DELETE FROM ledger WHERE rowid <= last_insert_rowid() - ?", (KEPT,))
    of_range = "SELECT branch, count(*), sum(balance) FROM account WHERE id BETWEEN ? AND ? GROUP BY branch ORDER BY 3"
    lite.execute(of_range, (first, first + RANGE)).fetchall()
    lite.execute("COMMIT")
    return amount


def work(process: int, processes: int, units_per_s: float, seconds: int, done: Any, barrier: Any, begin: Any) -> None:
    """Do the units of one process until time is up."""
    lite, moved, unit = database(), 0, process
    barrier.wait()
    barrier.wait()
    while (due_s := unit / units_per_s) < seconds and (now_s := time.monotonic() - begin.value) < seconds:
        if due_s > now_s:
            time.sleep(due_s - now_s)
        moved += transact(lite, unit)
        done[process] += 1
        unit += processes
    sums = [lite.execute(f"SELECT sum(balance) FROM {table}").fetchone()[0] for table in ("account", "branch")]  # noqa: S608 - names of this file
    if sums != [moved, moved]:
        sys.exit("the accounts do not add up to what was moved")


def number(arguments: list[str], at: int, high: int) -> int:
    """Read an argument; ends the program for one that is no whole number from 1 to ``high``."""
    text = arguments[at] if at < len(arguments) else ""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= high):
        sys.exit(f"argument {at + 1} must be a whole number from 1 to {high}")
    return int(text)


def main(arguments: list[str]) -> None:
    """Run the load."""
    processes, units, seconds = (number(arguments, at, high) for at, high in enumerate((4096, 10**9, 10**6)))
    done = multiprocessing.Array("Q", processes, lock=False)  # each process writes a place of its own
    barrier, begin = multiprocessing.Barrier(processes + 1), multiprocessing.Value("d", 0.0)
    shared = (processes, units / 10, seconds, done, barrier, begin)
    workers = [multiprocessing.Process(target=work, args=(process, *shared)) for process in range(processes)]
    for worker in workers:
        worker.start()
    barrier.wait()
    begin.value = time.monotonic()
    barrier.wait()
    before = 0
    for second in range(1, seconds + 1):
        time.sleep(max(0.0, begin.value + second - time.monotonic()))
        now = sum(done)
        print(f"work {now - before} in second {second}", flush=True)  # noqa: T201 - the report is the point
        before = now
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        sys.exit("a process failed")


if __name__ == "__main__":
    main(sys.argv[1:])
