"""Have the DMTF's Redfish Service Validator check what the gateway speaks by Redfish.

`python -m tests.attack.redfish_validator` lets `wattmark speak redfish` show a simulated meter, and prints how many of
the validator's checks passed, warned, failed and were not made; exit code 1 where one failed.

Needs cargo: the schemas of the DMTF (DSP8010), which the validator would load from its makers' site, come from a crate
that carries them, into .cache/redfish-schema. The validator itself is installed by uv for this one run.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ..integration.ports import free_port

VALIDATOR = "redfish-service-validator==3.1.8"
CRATE, VERSION = "nv-redfish-schema", "0.10.1"
SCHEMAS = Path(__file__).parents[2] / ".cache/redfish-schema" / VERSION
PROGRAMS = Path(sys.executable).parent
PASSWORD = "wall-power"
PATIENCE_S = 600
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
COUNTS = re.compile(r"^\|" + r" +(\d+) +\|" * 4 + "$", re.M)


def fetch_schemas() -> None:
    """Bring the schemas from their crate, where they are not there yet."""
    if SCHEMAS.is_dir():
        return
    with tempfile.TemporaryDirectory() as scratch:
        package = Path(scratch)
        (package / "src").mkdir()
        (package / "src/lib.rs").touch()
        manifest = f'[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\n{CRATE} = "={VERSION}"\n'
        (package / "Cargo.toml").write_text(manifest)
        subprocess.run(["cargo", "vendor", "--quiet", "vendored"], cwd=package, check=True, stdout=subprocess.DEVNULL)
        SCHEMAS.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", package / "vendored" / CRATE / "redfish-csdl/csdl", SCHEMAS], check=True)


def validate(folder: Path) -> dict[str, int]:
    """Speak a simulated meter and have the whole service checked; return the counts of the validator."""
    password, port = folder / "password", free_port()
    password.write_text(PASSWORD)
    password.chmod(0o600)
    speak = [str(PROGRAMS / "wattmark"), "speak", "redfish", "--meter", "simulated://?model=eastron.sdm120"]
    door = ["--port", str(port), "--user", "monitor", "--password-file", str(password)]
    with subprocess.Popen([*speak, *door], stdout=subprocess.PIPE, text=True) as speaking:
        try:
            assert speaking.stdout is not None
            speaking.stdout.readline()
            command = [str(PROGRAMS / "uv"), "tool", "run", "--quiet", "--from", VALIDATOR, "rf_service_validator"]
            place = ["--ip", f"http://127.0.0.1:{port}", "--user", "monitor", "--password", PASSWORD]
            files = ["--skipschema", "--schema_directory", str(SCHEMAS), "--logdir", str(folder / "reports")]
            done = subprocess.run(
                [*command, *place, *files], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
        finally:
            speaking.terminate()
    counts = COUNTS.search(COLOUR.sub("", done.stdout))
    if counts is None:
        raise RuntimeError(f"the validator did not come to its end:\n{done.stdout}{done.stderr}")
    return dict(zip(("passed", "warned", "failed", "not made"), map(int, counts.groups()), strict=True))


def main() -> int:
    """Run it; return the exit code."""
    fetch_schemas()
    with tempfile.TemporaryDirectory() as scratch:
        counts = validate(Path(scratch))
    print(counts)  # noqa: T201 - the answer
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
