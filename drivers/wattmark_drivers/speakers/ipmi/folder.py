"""The private folder from which ipmi_sim runs: configuration, sensor records, DCMI module and values."""

from __future__ import annotations

import asyncio
import shutil
import uuid
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Face
from wattmark_drivers.speakers.ipmi.sensors import Sensor, emulator_commands, plain, sdr_source
from wattmark_drivers.speakers.loopback import LOOPBACK

NAME = "wattmark"
DCMI_MODULE = "dcmi_power.so"
GUID = "a123456789abcdefa123456789abcdef"
DCMI_FILE = "dcmi_power.val"
NO_DCMI = "off\n"
"""In place of the readings: the module refuses DCMI as an unknown command."""
COMPILE_TIMEOUT_S = 60.0


def find_program(name: str) -> str:
    """Find a program of OpenIPMI. Raises `ConfigurationError` that names the Debian package."""
    path = shutil.which(name)
    if path is None:
        raise ConfigurationError(f"The BMC simulator needs {name}.", "Install it: apt-get install openipmi")
    return path


def lan_configuration(port: int, username: str, password: str, *, with_dcmi: bool, face: Face | None = None) -> str:
    """Write lan.conf, ipmi_lan(5): one BMC on a loopback UDP port with one administrator."""
    tag = SIMULATOR_MARK if face is None else plain(face.marked(face.model))
    module = f'loadlib "./{DCMI_MODULE}" "{DCMI_FILE} {tag}"\n' if with_dcmi else ""
    guid = GUID if face is None else uuid.uuid5(uuid.NAMESPACE_OID, f"{face.maker}/{face.model}/{face.serial}").hex
    methods = "\n".join(f"    allowed_auths_{level} md5" for level in ("callback", "user", "operator", "admin"))
    return f"""name "{NAME}"
set_working_mc 0x20
  startlan 1
    addr {LOOPBACK} {port}
    priv_limit admin
{methods}
    guid {guid}
  endlan
  user 2 true "{username}" "{password}" admin 10 md5
{module}"""


async def prepare(folder: Path, sensors: Sequence[Sensor], face: Face | None = None) -> str | None:
    """Fill the folder; return why there is no DCMI, or None. Raises `ConfigurationError` for an impossible BMC."""
    sdr_folder = folder / "state" / "ipmi_sim" / NAME
    sdr_folder.mkdir(parents=True, exist_ok=True)
    (folder / "chassis.emu").write_text(emulator_commands(sensors, face), "ascii")
    (folder / "chassis.sdrs").write_text(sdr_source(sensors, face), "ascii")
    # Without -8 names are packed into 6 bits and reach the client as bytes that are not text.
    argv = [find_program("sdrcomp"), "-8", "-o", str(sdr_folder / "sdr.20.main"), str(folder / "chassis.sdrs")]
    problem = await _run(argv)
    if problem is not None:
        raise ConfigurationError(
            f"The sensor records cannot be compiled: {problem}.", "Please report this as a defect of wattmark."
        )
    return await _compile_dcmi(folder / DCMI_MODULE)


async def _compile_dcmi(target: Path) -> str | None:
    compiler = shutil.which("gcc")
    if compiler is None:
        return "no DCMI power: gcc is missing. Install it: apt-get install gcc libopenipmi-dev"
    with as_file(files(__package__) / "dcmi_power.c") as source:
        problem = await _run([compiler, "-shared", "-fPIC", "-O2", "-o", str(target), str(source)])
    return problem and f"no DCMI power: {problem}. Install the headers: apt-get install libopenipmi-dev libc6-dev"


async def _run(argv: list[str]) -> str | None:
    """Run a program to its end; return its last line when it fails."""
    process = await asyncio.create_subprocess_exec(*argv, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE)
    try:
        async with asyncio.timeout(COMPILE_TIMEOUT_S):
            _, errors = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return f"{argv[0]} takes too long"
    if process.returncode == 0:
        return None
    return next(iter(errors.decode("utf-8", "replace").splitlines()), f"{argv[0]} failed").rstrip(".")
