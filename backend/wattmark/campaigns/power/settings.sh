#!/bin/sh
# Set power settings of this machine, then print all of them as they are.
#
#   settings.sh ROOT [SELECTOR VALUE INSTANCES]...
#
# ROOT is put before every path: tests bring their own tree. Under sudo it must be empty, so that a line in sudoers gives
# no more than these files. INSTANCES are names between spaces, "-" for a setting of the whole machine. What is printed
# are lines of tabs: "value" or "choice", SELECTOR, VALUE, INSTANCES; "refused", SELECTOR, INSTANCE, why, FILE; the
# last one is "end". The first states the version of these lines; wattmark sets nothing by a copy of another one.
#
# POSIX sh. The shell itself reads and writes every file. What it does not list it does not write, so that a line in
# sudoers gives no more than that; of the values that are left only the kernel decides which it takes.
exec 2>/dev/null
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"
r=$1
shift
if [ -n "$SUDO_UID" ]; then
	[ -z "$r" ] || exit 1
	PATH=/usr/sbin:/usr/bin:/sbin:/bin # programs of the caller must not run as root
fi
cpus=$r/sys/devices/system/cpu
caps=$r/sys/class/powercap

# file_of SELECTOR INSTANCE: put the file of a setting into $file
file_of() {
	case $1 in
	smt) file=$cpus/smt/control ;;
	governor) file=$cpus/cpufreq/policy$2/scaling_governor ;;
	energy_preference) file=$cpus/cpufreq/policy$2/energy_performance_preference ;;
	no_turbo) file=$cpus/intel_pstate/no_turbo ;;
	boost) file=$cpus/cpufreq/boost ;;
	policy_boost) file=$cpus/cpufreq/policy$2/boost ;;
	idle_state) file=$cpus/cpu${2%.*}/cpuidle/state${2#*.}/disable ;;
	cap) file=$caps/$2/constraint_0_power_limit_uw ;;
	cap_enabled) file=$caps/$2/enabled ;;
	esac
}

# instance_of FILE: put the name of what a file belongs to into $instance
instance_of() {
	instance=${1%/*}
	case $1 in
	*/policy*) instance=${instance##*/policy} ;;
	*/cpuidle/*)
		cpu=${instance%/cpuidle/*}
		instance=${cpu##*/cpu}.${instance##*/state}
		;;
	*/powercap/*) instance=${instance##*/} ;;
	*) instance=- ;;
	esac
}

# is_package ZONE: whether the limit of a zone is that of a whole package. Cores, memory and the platform are other
# domains of the same watts, and what intel-rapl-mmio has are other registers.
is_package() {
	case ${1#intel-rapl:} in "$1" | '' | *[!0-9]*) return 1 ;; esac
	domain= constraint=
	IFS= read -r domain <"$caps/$1/name" || return 1
	IFS= read -r constraint <"$caps/$1/constraint_0_name" || return 1
	case $domain:$constraint in package-*:long_term) ;; *) return 1 ;; esac
}

# has SELECTOR INSTANCE: whether it is a name under which a setting is listed, and may be written
has() {
	case $1 in
	smt | no_turbo | boost) [ "$2" = - ] ;;
	governor | energy_preference | policy_boost | gpu_cap) case $2 in '' | *[!0-9]*) return 1 ;; esac ;;
	idle_state) case $2 in *[!0-9.]* | *.*.* | .* | *.) return 1 ;; *.*) ;; *) return 1 ;; esac ;;
	cap | cap_enabled) is_package "$2" ;;
	*) return 1 ;;
	esac
}

# takes SELECTOR VALUE: whether it is a value of that kind. "forceoff" of SMT is none: only a reboot would undo it.
takes() {
	case $2 in '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) return 1 ;; esac
	case $1 in
	smt) case $2 in on | off) ;; *) return 1 ;; esac ;;
	no_turbo | boost | policy_boost | idle_state | cap_enabled) case $2 in [01]) ;; *) return 1 ;; esac ;;
	cap) case $2 in *[!0-9]*) return 1 ;; esac ;;
	gpu_cap) case $2 in *[!0-9.]*) return 1 ;; esac ;;
	esac
}

# each KIND SELECTOR FILE...: the first line of each file; those alike in a row stand together, up to what one line holds
each() {
	kind=$1 selector=$2 last= names=
	shift 2
	for path; do
		line=
		IFS= read -r line <"$path" || [ -n "$line" ] || continue
		instance_of "$path"
		has "$selector" "$instance" || continue
		if [ "$line" != "$last" ] || [ "${#names}" -gt 4000 ]; then
			[ -z "$names" ] || printf '%s\t%s\t%s\t%s\n' "$kind" "$selector" "$last" "$names"
			names=
		fi
		names=${names:+$names }$instance last=$line
	done
	[ -z "$names" ] || printf '%s\t%s\t%s\t%s\n' "$kind" "$selector" "$last" "$names"
}

# write SELECTOR VALUE INSTANCE
write() {
	has "$1" "$3" && takes "$1" "$2" || return
	if [ "$1" = gpu_cap ]; then
		file=nvidia-smi
		timeout 20 nvidia-smi -i "$3" -pl "$2" >/dev/null
		case $? in
		0) return ;;
		4) why='not permitted' ;;
		127) why='not there' ;;
		*) why=refused ;;
		esac
	else
		file_of "$1" "$3"
		if [ ! -e "$file" ]; then
			why='not there'
		elif [ ! -w "$file" ]; then
			why='not permitted'
		elif printf '%s\n' "$2" >"$file"; then
			return
		else
			why=refused
		fi
	fi
	printf 'refused\t%s\t%s\t%s\t%s\n' "$1" "$3" "$why" "$file"
}

while [ $# -ge 3 ]; do
	for name in $3; do write "$1" "$2" "$name"; done
	shift 3
done

printf 'value\tversion\t2\t-\n'
boot=
IFS= read -r boot <"$r/proc/sys/kernel/random/boot_id"
[ -z "$boot" ] || printf 'value\tboot\t%s\t-\n' "$boot"
each value smt "$cpus/smt/control"
each value governor "$cpus"/cpufreq/policy[0-9]*/scaling_governor
each choice governor "$cpus"/cpufreq/policy[0-9]*/scaling_available_governors
each value energy_preference "$cpus"/cpufreq/policy[0-9]*/energy_performance_preference
each choice energy_preference "$cpus"/cpufreq/policy[0-9]*/energy_performance_available_preferences
each value no_turbo "$cpus/intel_pstate/no_turbo"
each value boost "$cpus/cpufreq/boost"
each value policy_boost "$cpus"/cpufreq/policy[0-9]*/boost
each choice idle_state "$cpus"/cpu[0-9]*/cpuidle/state[0-9]*/name
each value idle_state "$cpus"/cpu[0-9]*/cpuidle/state[0-9]*/disable
for folder in "$caps"/*:*; do
	zone=${folder##*/} least=0 most=0
	is_package "$zone" || continue
	IFS= read -r least <"$folder/constraint_0_min_power_uw"
	IFS= read -r most <"$folder/constraint_0_max_power_uw"
	printf 'choice\tcap\t%s %s\t%s\n' "${least:-0}" "${most:-0}" "$zone"
	each value cap_enabled "$folder/enabled"
	each value cap "$folder/constraint_0_power_limit_uw"
done
if command -v nvidia-smi >/dev/null; then
	timeout 20 nvidia-smi --query-gpu=index,power.limit,power.min_limit,power.max_limit \
		--format=csv,noheader,nounits | while IFS=', ' read -r index limit lowest highest; do
		printf 'value\tgpu_cap\t%s\t%s\n' "$limit" "$index"
		printf 'choice\tgpu_cap\t%s %s\t%s\n' "$lowest" "$highest" "$index"
	done
fi
printf 'end\n'
