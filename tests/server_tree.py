"""The files of a server that is not there: a tree of /proc and /sys, and programs, for the script that asks."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from wattmark.campaigns.server_facts import probe

_CPU = "sys/devices/system/cpu"
SMI = (
    "0, NVIDIA H100 PCIe, 550.54.15, 96.00.74.00.01, Enabled, Default, Disabled, Enabled, 350.00 W, "
    "1755 MHz, 1593 MHz, 1980 MHz, 1593 MHz"
)
SECRETS = ("S3CRET", "53:52:41:4c:aa:01", "3fb2a8c0-8f3e-4a0c-9d51-0a6f5d1a7c11")
"""Texts of the tree that nothing may keep: passwords, serial numbers, addresses, names of file systems."""
TREE: Mapping[str, str] = {
    **{f"{_CPU}/cpu{n}/cpufreq/scaling_governor": "performance\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/cpufreq/scaling_driver": "intel_pstate\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/cpufreq/scaling_min_freq": "800000\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/cpufreq/scaling_max_freq": "3500000\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/cpufreq/cpuinfo_min_freq": "800000\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/cpufreq/cpuinfo_max_freq": "3500000\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/cpufreq/energy_performance_preference": "performance\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/power/energy_perf_bias": "0\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/cpuidle/state0/name": "POLL\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/cpuidle/state1/name": "C6\n" for n in range(2)},
    **{f"{_CPU}/cpu{n}/cpuidle/state{s}/disable": "0\n" for n in range(2) for s in range(2)},
    f"{_CPU}/intel_pstate/status": "active\n",
    f"{_CPU}/intel_pstate/no_turbo": "0\n",
    f"{_CPU}/cpuidle/current_driver": "intel_idle\n",
    f"{_CPU}/cpuidle/current_governor": "menu\n",
    f"{_CPU}/smt/control": "on\n",
    f"{_CPU}/online": "0-1\n",
    f"{_CPU}/vulnerabilities/meltdown": "Mitigation: PTI\n",
    f"{_CPU}/vulnerabilities/spectre_v2": "Mitigation: Retpolines; IBPB: conditional\n",
    "sys/devices/system/node/online": "0-1\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "sys/firmware/acpi/platform_profile": "balanced\n",
    "sys/module/pcie_aspm/parameters/policy": "[default] performance powersave powersupersave\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    "sys/kernel/mm/transparent_hugepage/defrag": "always defer defer+madvise [madvise] never\n",
    "sys/class/powercap/intel-rapl:0/name": "package-0\n",
    "sys/class/powercap/intel-rapl:0/enabled": "1\n",
    "sys/class/powercap/intel-rapl:0/constraint_0_name": "long_term\n",
    "sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw": "125000000\n",
    f"{_CPU}/intel_uncore_frequency/package_00_die_00/min_freq_khz": "1200000\n",
    f"{_CPU}/intel_uncore_frequency/package_00_die_00/max_freq_khz": "2400000\n",
    f"{_CPU}/intel_uncore_frequency/package_00_die_00/initial_min_freq_khz": "1200000\n",
    f"{_CPU}/intel_uncore_frequency/package_00_die_00/initial_max_freq_khz": "2400000\n",
    "sys/class/hwmon/hwmon3/name": "nct6779\n",
    "sys/class/hwmon/hwmon3/pwm1_enable": "5\n",
    "sys/class/hwmon/hwmon3/pwm2_enable": "1\n",
    "sys/class/drm/card0/device/uevent": "DRIVER=amdgpu\nPCI_ID=1002:740F\nPCI_SLOT_NAME=0000:c1:00.0\n",
    "sys/class/drm/card0/device/power/runtime_status": "active\n",
    "sys/class/drm/card0/device/power_dpm_force_performance_level": "auto\n",
    "sys/class/drm/card0/device/product_name": "AMD INSTINCT MI210\n",
    "sys/class/drm/card0/device/vbios_version": "113-D67301-063\n",
    "sys/class/drm/card0/device/pp_dpm_sclk": "0: 500Mhz *\n1: 1700Mhz\n",
    "sys/class/drm/card0/device/unique_id": "S3CRET-3\n",
    "sys/class/drm/card0/device/hwmon/hwmon4/power1_cap": "300000000\n",
    "sys/class/drm/card0-DP-1/device/uevent": "PCI_SLOT_NAME=0000:c1:00.0\n",
    "sys/class/dmi/id/sys_vendor": "HP\n",
    "sys/class/dmi/id/product_name": "ProLiant DL360 G5\n",
    "sys/class/dmi/id/product_serial": "S3CRET-1\n",
    "sys/class/dmi/id/product_uuid": "3fb2a8c0-8f3e-4a0c-9d51-0a6f5d1a7c11\n",
    "sys/class/dmi/id/bios_vendor": "HP\n",
    "sys/class/dmi/id/bios_version": "P58\n",
    "sys/class/dmi/id/bios_date": "05/02/2011\n",
    "sys/block/sda/device/vendor": "ATA     \n",
    "sys/block/sda/device/model": "INTEL SSDSC2BB48\n",
    "sys/block/sda/device/rev": "0370\n",
    "sys/block/sda/device/serial": "S3CRET-2\n",
    "sys/block/sda/size": "937703088\n",
    "sys/block/sda/queue/scheduler": "[mq-deadline] none\n",
    "sys/block/loop0/size": "0\n",
    "sys/class/net/eth0/device/uevent": "DRIVER=ixgbe\nPCI_CLASS=20000\nPCI_ID=8086:1528\n",
    "sys/class/net/eth0/address": "53:52:41:4c:aa:01\n",
    "sys/class/net/eth0/speed": "10000\n",
    "sys/class/net/docker0/speed": "10000\n",
    "proc/sys/kernel/hostname": "bench-1\n",
    "proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
    "proc/sys/kernel/version": "#1 SMP Debian 6.1.76-1\n",
    "proc/sys/kernel/random/boot_id": "boot-1\n",
    "proc/cmdline": (
        "BOOT_IMAGE=/vmlinuz root=UUID=3fb2a8c0-8f3e-4a0c-9d51-0a6f5d1a7c11 ro quiet mitigations=auto "
        'rd.iscsi.password="S3CRET 3" netroot=iscsi:user:S3CRET@192.0.2.1::3260 -- --token S3CRET\n'
    ),
    "proc/stat": "cpu  900 0 60 30 0 0 0 10 0 0\ncpu0 450 0 30 15 0 0 0 5 0 0\n",
    "proc/cpuinfo": (
        "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Gold 6138\nmicrocode\t: 0x2007006\nflags\t\t: fpu vme\n\n"
        "processor\t: 1\nmodel name\t: Intel(R) Xeon(R) Gold 6138\n"
    ),
    "proc/meminfo": "MemTotal:       16384000 kB\nHugePages_Total:       0\nHugepagesize:       2048 kB\n",
    "etc/os-release": 'ID=debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "etc/tuned/active_profile": "throughput-performance\n",
    "bin/nvidia-smi": f"#!/bin/sh\necho '{SMI}'\n",
    "bin/getconf": "#!/bin/sh\necho glibc 2.36\n",
    "bin/ethtool": "#!/bin/sh\necho 'driver: ixgbe'\necho 'firmware-version: 0x800007f4, 1.255.0'\n",
    "bin/nproc": "#!/bin/sh\necho 2\n",
}


def plant(root: Path, changes: Mapping[str, str | None]) -> None:
    """Write the tree below ``root``, with other texts in some files; None: without that file."""
    for name, text in {**TREE, **changes}.items():
        if text is None:
            continue
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)


def printed(root: Path, shell: str = "sh", user: int | None = None) -> list[str]:
    """Return the lines that the script prints of a tree; ``user`` is who runs it, if not who tests."""
    path = f"{root}/bin:/usr/bin:/bin"
    other = {} if user is None else {"user": user, "group": user, "extra_groups": ()}
    done = subprocess.run([shell, *probe(str(root))[1:]], capture_output=True, check=True, env={"PATH": path}, **other)
    assert done.stderr == b""
    return done.stdout.decode().splitlines()
