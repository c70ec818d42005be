"""The memory inventory as docker/README.md installs it: on a machine, in the image, and on a server over SSH.

Each test makes a machine of its own in a mount namespace, runs the ExecStart of the real one-shot unit there with the
rights that the unit has, and reads the inventory by the code of a campaign with the rights of the service. dmidecode
is a stand-in that, like the real one, gives the firmware's tables to root alone.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from wattmark.bench.load import load_bench
from wattmark.campaigns.disclosure import snapshot
from wattmark.campaigns.servers import Servers
from wattmark.results.inventory.inventory import memory_inventory
from wattmark.runs.disclosure import HostFacts
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run

from ..ports import free_port
from ..sshd import Sshd

DOCKER = Path(__file__).parents[3] / "docker"
README = (DOCKER / "README.md").read_text("utf-8")
GROUP, USER, PLAIN = 840, 840, 841
"""Numbers of the group and the user of the service, and of a user of a server over SSH."""
STRANGER = 1_234_567
SYSTEMD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
IMAGE_PATH = "/usr/local/bin:/usr/bin:/bin"
PATIENCE_S = 120
PRIVATE = ("MXQ019020B", "36383150-3630-584d-5130-313930323042", "438AD388", "Tag-of-A1")
TABLES = """# dmidecode 3.4
Getting SMBIOS data from sysfs.
SMBIOS 3.3.0 present.

Handle 0x0000, DMI type 0, 26 bytes
BIOS Information
\tVendor: HPE
\tVersion: A43

Handle 0x0001, DMI type 1, 27 bytes
System Information
\tManufacturer: HPE
\tProduct Name: ProLiant DL325 Gen10 Plus
\tSerial Number: MXQ019020B
\tUUID: 36383150-3630-584d-5130-313930323042

""" + "\n".join(
    f"Handle 0x00{place:02}, DMI type 17, 84 bytes\nMemory Device\n\tLocator: PROC 1 DIMM {place}\n"
    + (
        "\tSize: 16 GB\n\tForm Factor: DIMM\n\tType: DDR4\n\tType Detail: Synchronous Registered (Buffered)\n"
        "\tSerial Number: 438AD388\n\tAsset Tag: Tag-of-A1\n\tPart Number: HMA82GR7CJR4N-XN\n\tRank: 1\n"
        "\tConfigured Memory Speed: 3200 MT/s\n"
        if place in (1, 3)
        else "\tSize: No Module Installed\n"
    )
    for place in range(1, 5)
)
DMIDECODE = """#!/bin/sh
[ "$(id -u)" = 0 ] || { echo "/sys/firmware/dmi/tables/smbios_entry_point: Permission denied" >&2; exit 1; }
cat "$0.tables"
"""
SUDO = """#!/bin/sh
echo "$*" >> /run/asked
[ "$*" = "-n /usr/sbin/dmidecode -t 17" ] || { echo "sudo: a password is required" >&2; exit 1; }
cat /usr/local/sbin/dmidecode.tables
"""
BENCH = """
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {access}{more}
    configurations:
      - id: c
        cpu: {{model: EPYC 7302P}}
        os: {{name: any, kernel: any}}
        memory:
          slots:
            PROC_1_DIMM_1: &dimm {{type: RDIMM, capacity_gib: 16, speed_mts: 3200, ranks: 1, part: HMA82GR7CJR4N-XN}}
            PROC_1_DIMM_2:
            PROC_1_DIMM_3: *dimm
            PROC_1_DIMM_4:
plans:
  - {{name: p, configurations: [s/c], workloads: [openssl.rsa1024-sign]}}
"""
READ = """
import asyncio, sys
from tests.integration.security.test_inventory_installed import read_facts
print(asyncio.run(read_facts(sys.argv[1])).model_dump_json())
"""


async def read_facts(bench_file: str) -> HostFacts:
    """Learn what a campaign learns of the server of a bench file before its first run."""
    bench = load_bench(Path(bench_file))
    servers, (server,) = Servers(bench, bench.plan("p"), SystemClock()), bench.servers
    await servers.describe(server)
    await servers.look_at_boot(server)
    await servers.look_at_memory(server)
    await servers.close()
    return servers.facts(server.id)


def unit(name: str) -> dict[str, str]:
    """Read a unit; lines that end with a backslash go on (systemd.syntax(7))."""
    text = (DOCKER / "systemd" / name).read_text("utf-8").replace("\\\n", " ")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines if "=" in line)


def one_shot() -> str:
    """Return the ExecStart of the one-shot as systemd runs it: root of the unit's group, without any capability."""
    settings = unit("wattmark-inventory.service")
    assert (settings["Type"], settings["Group"], settings.get("User")) == ("oneshot", "wattmark", None)
    assert (settings["NoNewPrivileges"], settings["CapabilityBoundingSet"]) == ("yes", "")
    folder = f"/run/{settings['RuntimeDirectory']}"
    argv = shlex.split(settings["ExecStart"].replace("$$", "$").replace("%%", "%"))
    rights = f"setpriv --regid {GROUP} --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs --"
    around = f"env -i PATH={SYSTEMD_PATH} RUNTIME_DIRECTORY={folder} {rights}"
    return (
        f"mkdir -p -m {settings['RuntimeDirectoryMode']} {folder}; chgrp {GROUP} {folder}\n"
        f"(umask {settings['UMask']}; {around} {shlex.join(argv)})\n"
    )


def as_service(*, uid: int = USER, gid: int = GROUP) -> str:
    """Return the prefix that gives a program the rights of wattmark.service: none."""
    settings = unit("wattmark.service")
    assert (settings["User"], settings["Group"]) == ("wattmark", "wattmark")
    assert (settings["NoNewPrivileges"], settings["CapabilityBoundingSet"]) == ("yes", "")
    rights = "--bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs"
    return f"setpriv --reuid {uid} --regid {gid} --clear-groups {rights} --"


class Machine:
    """A machine in a mount namespace: /run and /usr/local/sbin of its own, everything else for reading only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in (("dmidecode", DMIDECODE), ("dmidecode.tables", TABLES), ("sudo", SUDO)):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        (folder / "bench.yaml").write_text(BENCH.format(access="{local: true}", more=""))
        folder.chmod(0o755)

    def script(self, steps: str, *, writable: bool = False) -> str:
        """Return what makes the machine, then does the steps."""
        last = "" if writable else "mount -o remount,bind,ro /\n"
        return (
            "set -eu\n"
            "mount -t tmpfs -o mode=755 none /run; mkdir -m 1777 /run/tmp; mkdir -m 755 /run/sshd /run/tools\n"
            "mount -t tmpfs -o mode=755 none /usr/local/sbin\n"
            f"cp {self.folder}/dmidecode {self.folder}/dmidecode.tables /usr/local/sbin/\n"
            f"{open_to_all()}{last}{steps}"
        )

    def run(self, steps: str) -> str:
        """Do the steps on the machine; return what they print."""
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", self.script(steps)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert done.returncode == 0, f"this test makes a mount namespace, which needs root: {done.stderr}"
        return done.stdout

    def read(self, path: str, rights: str) -> str:
        """Return the step that reads the facts with some rights and programs."""
        here = f"PYTHONPATH={DOCKER.parent} TMPDIR=/run/tmp PATH={path}"
        program = f"{shlex.quote(sys.executable)} -c {shlex.quote(READ)} {self.folder}/bench.yaml"
        return f"cd /; env -i {here} {rights} {program}\n"


def open_to_all() -> str:
    """Return the steps that open the folders of the interpreter and of this code, which may lie in one of root's."""
    needed = {Path(path).resolve() for path in (sys.base_prefix, sys.prefix, DOCKER.parent)}
    closed: dict[Path, list[Path]] = {}
    for path in needed:
        for folder in reversed(path.parents):
            if not folder.stat().st_mode & 0o001:
                closed.setdefault(folder, []).append(path)
                break
    steps = "mount -t tmpfs -o mode=755 none /mnt\n" if closed else ""
    for folder, paths in closed.items():
        kept = [(f"/mnt/{abs(hash(path))}", path) for path in paths]
        steps += "".join(f"mkdir {place}; mount --bind {path} {place}\n" for place, path in kept)
        steps += f"mount -t tmpfs -o mode=755 none {folder}\n"
        steps += "".join(f"mkdir -p {path}; mount --bind {place} {path}\n" for place, path in kept)
    return steps


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A folder that every user can read; those of pytest are closed to everybody but root."""
    with tempfile.TemporaryDirectory() as folder:
        yield Machine(Path(folder))


def facts_of(printed: str) -> HostFacts:
    return HostFacts.model_validate_json(printed.splitlines()[-1])


def assert_verified(facts: HostFacts, machine: Machine, way: str) -> None:
    """Hold that every slot of a run with these facts is verified, and that nothing private is in it."""
    assert facts.memory_slots_way == way, facts.memory_slots_unread
    assert not any(secret.casefold() in facts.model_dump_json().casefold() for secret in PRIVATE)
    bench = load_bench(machine.folder / "bench.yaml")
    (configuration,) = bench.servers[0].configurations
    run = make_run(configuration_snapshot=snapshot(configuration), disclosure={"host": facts.model_dump()})
    inventory = memory_inventory(run, simulated=False)
    assert inventory is not None
    assert (inventory.summary, inventory.contradictions) == ("4 verified by firmware", ())


def test_on_the_machine_itself(machine: Machine) -> None:
    show = "stat -c '%a %u %g' /run/wattmark-inventory /run/wattmark-inventory/dmi; cat /run/wattmark-inventory/dmi\n"
    printed = machine.run(one_shot() + show + machine.read(SYSTEMD_PATH, as_service()))
    assert printed.splitlines()[:2] == [f"750 0 {GROUP}", f"640 0 {GROUP}"]
    boot = Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
    assert printed.splitlines()[2] == f"# boot {boot}"
    assert not any(secret in printed for secret in PRIVATE), "not in the file either"
    assert "Product Name: ProLiant DL325 Gen10 Plus" in printed
    assert_verified(facts_of(printed), machine, "file")


def test_without_the_unit_it_is_not_verified_and_says_so(machine: Machine) -> None:
    facts = facts_of(machine.run(machine.read(SYSTEMD_PATH, as_service())))
    assert (facts.memory_slots, facts.memory_slots_way) == (None, None)
    assert "which needs root; /run/wattmark-inventory/dmi is not there" in (facts.memory_slots_unread or "")


def test_who_is_not_in_the_group_reads_nothing(machine: Machine) -> None:
    stranger = as_service(uid=STRANGER, gid=STRANGER)
    facts = facts_of(machine.run(one_shot() + machine.read(SYSTEMD_PATH, stranger)))
    assert (facts.memory_slots, facts.memory_slots_way) == (None, None)
    assert "this user is not in its group" in (facts.memory_slots_unread or "")


def test_a_machine_that_lists_no_memory_has_a_failed_unit(machine: Machine) -> None:
    (machine.folder / "dmidecode.tables").write_text("# No SMBIOS nor DMI entry point found, sorry.\n")
    printed = machine.run(f"({one_shot()}) 2>&1 || echo failed\nls /run/wattmark-inventory\n")
    assert "dmidecode lists no memory device" in printed
    assert "failed" in printed
    assert "dmi\n" not in printed


def test_a_dmidecode_that_fails_half_way_leaves_no_file(machine: Machine) -> None:
    """What it printed before would be a whole list of fewer modules."""
    failing = DMIDECODE.replace('cat "$0.tables"', 'head -n 30 "$0.tables"; echo "Bus error" >&2; exit 135')
    (machine.folder / "dmidecode").write_text(failing)
    printed = machine.run(f"({one_shot()}) 2>&1 || echo failed\nls -A /run/wattmark-inventory\necho end\n")
    assert printed.splitlines()[-3:] == ["Bus error", "failed", "end"], "nothing lies in the folder"


def test_the_serial_numbers_are_never_for_the_group(machine: Machine) -> None:
    """While the list still holds them it is root's own; afterwards it is gone."""
    watching = DMIDECODE + 'stat -c "%a" /run/wattmark-inventory/all >&2\n'
    (machine.folder / "dmidecode").write_text(watching)
    printed = machine.run(f"({one_shot()}) 2>&1\nls -A /run/wattmark-inventory\n")
    assert printed.split() == ["600", "dmi"]


def test_in_the_image(machine: Machine) -> None:
    """No dmidecode, no capability, the group by its number, and the folder mounted for reading as compose does."""
    compose = (DOCKER / "compose.yaml").read_text("utf-8")
    assert "/run/wattmark-inventory:/run/wattmark-inventory:ro" in compose
    assert re.search(r"cap_drop: \[ALL\]", compose)
    image = (DOCKER / "Dockerfile").read_text("utf-8")
    final = image[image.rindex("\nFROM ") :]
    assert "dmidecode" not in final
    assert f"groupadd --system --gid {GROUP} wattmark" in final
    assert f"useradd --system --uid {USER} --gid wattmark" in final
    contain = (
        "mount -t tmpfs -o mode=755 none /usr/local/sbin\n"
        "mkdir /run/host; mount --bind /run/wattmark-inventory /run/host\n"
        "mount -o remount,bind,ro /run/host; mount --move /run/host /run/wattmark-inventory\n"
        "if touch /run/wattmark-inventory/own 2>/dev/null; then exit 9; fi\n"
    )
    printed = machine.run(one_shot() + contain + machine.read(IMAGE_PATH, as_service()))
    assert_verified(facts_of(printed), machine, "file")


@pytest.fixture
def server(machine: Machine) -> Iterator[Sshd]:
    """A server over SSH with a plain user and a sudo that allows one command.

    With a file `join` in its folder it has the unit too, and the user is in its group.
    """
    users = (
        'member=; [ ! -e "$0/join" ] || member=bench\n'
        f"{{ cat /etc/passwd; echo 'bench:x:{PLAIN}:{PLAIN}::/:/bin/sh'; }} > /run/passwd\n"
        f'{{ cat /etc/group; echo "bench:x:{PLAIN}:"; echo "wattmark-test:x:{GROUP}:$member"; }} > /run/group\n'
        "mount --bind /run/passwd /etc/passwd; mount --bind /run/group /etc/group\n"
        f"cp {machine.folder}/sudo /run/tools/; : > /run/asked; chmod 666 /run/asked\n"
        f'if [ -n "$member" ]; then\n{one_shot()}fi\nexec "$@"'
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        script = machine.script(users, writable=True)
        inside = ("unshare", "--mount", "--propagation", "private", "sh", "-c", script, name)
        settings = "SetEnv PATH=/run/tools:/usr/bin:/bin\n"
        sshd = Sshd(folder, inside=inside, port=free_port("127.0.0.1"), user="bench", settings=settings)
        yield sshd
        sshd.stop()


def reach(server: Sshd, machine: Machine, more: str = "") -> HostFacts:
    """Start the server, and read its facts over SSH as the appliance does."""
    server.start()
    address = server.address
    keys = f"identity_file: {address.identity_file}, known_hosts: {address.known_hosts}"
    access = f"{{ssh: {{host: {address.host}, port: {address.port}, user: {address.user}, {keys}}}}}"
    (machine.folder / "bench.yaml").write_text(BENCH.format(access=access, more=more))
    return asyncio.run(read_facts(str(machine.folder / "bench.yaml")))


def asked(server: Sshd) -> Sequence[str]:
    """Return the command lines that sudo got."""
    return Path(f"/proc/{server.pid}/root/run/asked").read_text("utf-8").splitlines()


def test_over_ssh_by_the_one_command_that_sudo_allows(machine: Machine, server: Sshd) -> None:
    assert "bench ALL=(root) NOPASSWD: /usr/sbin/dmidecode -t 17" in README
    facts = reach(server, machine, "\n    sudo_dmidecode: true")
    assert asked(server) == ["-n /usr/sbin/dmidecode -t 17"]
    assert_verified(facts, machine, "sudo")


def test_over_ssh_sudo_is_not_tried_unless_the_bench_file_says_so(machine: Machine, server: Sshd) -> None:
    facts = reach(server, machine)
    assert asked(server) == []
    assert "sudo is not tried without sudo_dmidecode: true" in (facts.memory_slots_unread or "")


def test_over_ssh_by_the_file_of_the_unit(machine: Machine, server: Sshd) -> None:
    (server.folder / "join").touch()
    facts = reach(server, machine)
    assert asked(server) == []
    assert_verified(facts, machine, "file")
