# Print what the kernel and the firmware of this machine state, as lines of a fact, "=" or "!", and a text, separated by
# tabs. After "!" stands why the fact cannot be read. $1 is the root of the file system.
#
# POSIX sh. The shell itself reads every file, so that few programs start. Nothing here needs root, and no file that
# holds a serial number is read.
exec 2>/dev/null
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"
r=$1
cpus=$r/sys/devices/system/cpu

put() { printf '%s\t=\t%s\n' "$1" "$2"; }
no() { printf '%s\t!\t%s\n' "$1" "$2"; }

# readable FACT FILE: say why a file cannot be read
readable() {
	if [ ! -e "$2" ]; then no "$1" 'not there'; return 1; fi
	if [ ! -r "$2" ]; then no "$1" 'not permitted'; return 1; fi
}

# whole FACT FILE: every line of a file
whole() {
	readable "$1" "$2" || return
	while IFS= read -r line || [ -n "$line" ]; do put "$1" "$line"; done <"$2"
}

# first FACT FILE: the first line of a file
first() {
	readable "$1" "$2" || return
	line=
	IFS= read -r line <"$2" || [ -n "$line" ] || return
	put "$1" "$line"
}

# each FACT FILE...: the first line of each file, those alike in a row together, after their number
each() {
	fact=$1
	shift
	readable "$fact" "$1" || return
	number=0 last=
	for file; do
		line=
		IFS= read -r line <"$file" || [ -n "$line" ] || continue
		if [ "$number" -gt 0 ] && [ "$line" != "$last" ]; then
			put "$fact" "$number $last"
			number=0
		fi
		number=$((number + 1)) last=$line
	done
	if [ "$number" -gt 0 ]; then put "$fact" "$number $last"; fi
}

put host/machine "$(uname -m)"
put host/cpus "$(nproc)"
first host/name "$r/proc/sys/kernel/hostname"
first host/boot "$r/proc/sys/kernel/random/boot_id"
first host/maker "$r/sys/class/dmi/id/sys_vendor"
first host/product "$r/sys/class/dmi/id/product_name"

each governor "$cpus"/cpu[0-9]*/cpufreq/scaling_governor
each scaling_driver "$cpus"/cpu[0-9]*/cpufreq/scaling_driver
each min_clock "$cpus"/cpu[0-9]*/cpufreq/scaling_min_freq
each max_clock "$cpus"/cpu[0-9]*/cpufreq/scaling_max_freq
each hardware_min_clock "$cpus"/cpu[0-9]*/cpufreq/cpuinfo_min_freq
each hardware_max_clock "$cpus"/cpu[0-9]*/cpufreq/cpuinfo_max_freq
each energy_preference "$cpus"/cpu[0-9]*/cpufreq/energy_performance_preference
each energy_bias "$cpus"/cpu[0-9]*/power/energy_perf_bias
if [ -e "$cpus/amd_pstate/status" ]; then
	first driver_mode "$cpus/amd_pstate/status"
else
	first driver_mode "$cpus/intel_pstate/status"
fi
if [ -e "$cpus/intel_pstate/no_turbo" ]; then
	first turbo/off "$cpus/intel_pstate/no_turbo"
elif [ -e "$cpus/cpufreq/boost" ]; then
	first turbo/on "$cpus/cpufreq/boost"
else
	no turbo 'not there'
fi

first idle_driver "$cpus/cpuidle/current_driver"
if [ -e "$cpus/cpuidle/current_governor" ]; then
	first idle_governor "$cpus/cpuidle/current_governor"
else
	first idle_governor "$cpus/cpuidle/current_governor_ro"
fi
[ -e "$cpus/cpu0/cpuidle/state0" ] || no idle_states 'not there'
for state in "$cpus"/cpu0/cpuidle/state[0-9]*; do
	[ -e "$state" ] || continue
	first "idle_states/${state##*/}/name" "$state/name"
	each "idle_states/${state##*/}/disabled" "$cpus"/cpu[0-9]*/cpuidle/"${state##*/}"/disable
done

first smt "$cpus/smt/control"
first cpus_online "$cpus/online"
first numa_nodes "$r/sys/devices/system/node/online"
first platform_profile "$r/sys/firmware/acpi/platform_profile"
first tuned_profile "$r/etc/tuned/active_profile"
first pcie_power "$r/sys/module/pcie_aspm/parameters/policy"
first transparent_huge_pages "$r/sys/kernel/mm/transparent_hugepage/enabled"
first transparent_huge_page_defrag "$r/sys/kernel/mm/transparent_hugepage/defrag"
first kernel "$r/proc/sys/kernel/osrelease"
first kernel_build "$r/proc/sys/kernel/version"
first kernel_parameters "$r/proc/cmdline"
first clock_source "$r/sys/devices/system/clocksource/clocksource0/current_clocksource"
first bios_vendor "$r/sys/class/dmi/id/bios_vendor"
first bios_version "$r/sys/class/dmi/id/bios_version"
first bios_date "$r/sys/class/dmi/id/bios_date"
first steal_pct "$r/proc/stat"

if readable cpu_model "$r/proc/cpuinfo"; then
	while IFS= read -r line; do
		case $line in
		'') break ;;
		'model name'*) put cpu_model "${line#*: }" ;;
		microcode*) put microcode "${line#*: }" ;;
		flags*' hypervisor'*) put virtualisation 'virtual machine' ;;
		flags*) put virtualisation none ;;
		esac
	done <"$r/proc/cpuinfo"
fi
if readable memory_gib "$r/proc/meminfo"; then
	while IFS= read -r line; do
		case $line in
		MemTotal:*) put memory_gib "${line#*:}" ;;
		HugePages_Total:*) put huge_pages "${line#*:}" ;;
		Hugepagesize:*) put huge_page_size "${line#*:}" ;;
		esac
	done <"$r/proc/meminfo"
fi
if readable distribution "$r/etc/os-release"; then
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in PRETTY_NAME=*) put distribution "${line#*=}" ;; esac
	done <"$r/etc/os-release"
fi
libc=$(getconf GNU_LIBC_VERSION)
if [ -n "$libc" ]; then
	put libc "$libc"
else
	set -- "$r"/lib/ld-musl-*
	if [ -e "$1" ]; then put libc musl; else no libc 'not there'; fi
fi
if [ -e "$r/run/systemd/container" ]; then
	first container "$r/run/systemd/container"
elif [ -e "$r/.dockerenv" ]; then
	put container docker
elif [ -e "$r/run/.containerenv" ]; then
	put container podman
else
	put container none
fi

set -- "$cpus"/vulnerabilities/*
[ -e "$1" ] || no mitigations 'not there'
for file; do
	[ -e "$file" ] && first "mitigations/${file##*/}" "$file"
done

set -- "$r"/sys/class/powercap/*:*
[ -e "$1" ] || no power_caps 'not there'
for zone; do
	[ -e "$zone" ] || continue
	first "power_caps/${zone##*/}/name" "$zone/name"
	first "power_caps/${zone##*/}/enabled" "$zone/enabled"
	for file in "$zone"/constraint_[0-9]_power_limit_uw; do
		name=
		IFS= read -r name <"${file%_power_limit_uw}_name" && first "power_caps/${zone##*/}/limit $name" "$file"
	done
done

set -- "$cpus"/intel_uncore_frequency/*/max_freq_khz
[ -e "$1" ] || no uncore 'not there'
for file; do
	[ -e "$file" ] || continue
	domain=${file%/*}
	for name in min_freq_khz max_freq_khz initial_min_freq_khz initial_max_freq_khz; do
		[ -e "$domain/$name" ] && first "uncore/${domain##*/}/$name" "$domain/$name"
	done
done

set -- "$r"/sys/class/hwmon/hwmon*/pwm[0-9]_enable
[ -e "$1" ] || no fans 'not there'
last=
for file; do
	[ -e "$file" ] || continue
	chip=${file%/*} name=${file##*/}
	[ "$chip" = "$last" ] || first "fans/${chip##*/}/name" "$chip/name"
	last=$chip
	first "fans/${chip##*/}/${name%_enable}" "$file"
done

# A drive or link of the machine has a device; volumes, loop devices and bridges have none.
put drives ''
for drive in "$r"/sys/block/*; do
	[ -e "$drive/device" ] || continue
	for name in vendor model rev firmware_rev; do
		[ -e "$drive/device/$name" ] && first "drives/${drive##*/}/$name" "$drive/device/$name"
	done
	first "drives/${drive##*/}/size" "$drive/size"
	first "drives/${drive##*/}/scheduler" "$drive/queue/scheduler"
done
put nics ''
for link in "$r"/sys/class/net/*; do
	[ -e "$link/device" ] || continue
	whole "nics/${link##*/}/device" "$link/device/uevent"
	first "nics/${link##*/}/speed" "$link/speed"
	command -v ethtool >/dev/null || continue
	ethtool -i "${link##*/}" | while IFS= read -r line; do
		case $line in firmware-version:*) put "nics/${link##*/}/firmware" "${line#*:}" ;; esac
	done
done

# A GPU that sleeps would be woken up by most of these files.
for card in "$r"/sys/class/drm/card[0-9]*/device; do
	[ -e "$card/power_dpm_force_performance_level" ] || continue
	status= slot=
	IFS= read -r status <"$card/power/runtime_status"
	while IFS= read -r line; do
		case $line in PCI_SLOT_NAME=*) slot=${line#*=} ;; esac
	done <"$card/uevent"
	[ -n "$slot" ] || continue
	whole "gpus/$slot/device" "$card/uevent"
	[ "$status" != suspended ] || continue
	for name in product_name vbios_version power_dpm_force_performance_level; do
		[ -e "$card/$name" ] && first "gpus/$slot/$name" "$card/$name"
	done
	[ -e "$card/pp_dpm_sclk" ] && whole "gpus/$slot/pp_dpm_sclk" "$card/pp_dpm_sclk"
	for file in "$card"/hwmon/hwmon*/power1_cap; do
		[ -e "$file" ] && first "gpus/$slot/power1_cap" "$file"
	done
done

if command -v nvidia-smi >/dev/null; then
	fields=index,name,driver_version,vbios_version,persistence_mode,compute_mode,mig.mode.current,ecc.mode.current
	fields=$fields,power.limit,clocks.applications.graphics,clocks.applications.memory,clocks.max.graphics
	gpus=$(timeout 0.7 nvidia-smi "--query-gpu=$fields,clocks.max.memory" --format=csv,noheader)
	case $? in
	0) printf '%s\n' "$gpus" | while IFS= read -r line; do put gpus "$line"; done ;;
	124) no gpus 'no answer in time' ;;
	*) no gpus empty ;;
	esac
else
	no gpus 'not there'
fi
put end ''
