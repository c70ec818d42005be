"""Start a service on an empty folder and fuzz its API; the long form of test_api_fuzz.py.

usage: fuzz_service.py EXAMPLES
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import api_fuzz

BENCH = Path(__file__).parents[3] / "backend/wattmark/bench/examples/s5000-fbdimm.yaml"
LISTENS = re.compile(r"listens on (http://[^\s\"]+)")


def main() -> int:
    """Print each failure; the exit code is 1 where there is one."""
    wattmark = str(Path(sys.executable).with_name("wattmark"))
    with tempfile.TemporaryDirectory() as folder:
        command = [wattmark, "serve", "--port", "0", "--data", folder, "--bench", str(BENCH)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as service:
            assert service.stderr is not None
            url = next(match[1] for line in service.stderr if (match := LISTENS.search(line)))
            threading.Thread(target=service.stderr.read, daemon=True).start()
            match = list(api_fuzz.failures(url, int(sys.argv[1])))
            service.terminate()
    sys.stdout.write("\n".join([*match, f"{len(match)} failures", ""]))
    return 1 if match else 0


if __name__ == "__main__":
    sys.exit(main())
