"""Ctrl-C while `wattmark demo` imports its recorded example: no campaign begins."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

SLOW_IMPORT = """
import sys, time
from wattmark.cli.demo import demo
from wattmark.cli.main import main

def restore(archives):
    print("importing", file=sys.stderr, flush=True)
    time.sleep(2)
    imported(archives)

imported, demo.restore_example = demo.restore_example, restore
sys.argv = ["wattmark", "demo", "--port", "0", "--data", sys.argv[1]]
main()
"""


def test_ctrl_c_during_the_import_of_the_example_ends_the_demo(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLOW_IMPORT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        watchdog = threading.Timer(240, process.kill)
        watchdog.start()
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if line == "importing\n":
                process.send_signal(signal.SIGINT)
        watchdog.cancel()
    assert process.returncode == 130, said
    assert "The demo ends as soon as the recorded example is imported." in said
    assert "Running RSA-1024" not in said
    assert "Traceback" not in said
