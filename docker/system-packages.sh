#!/bin/sh
# Install the Debian packages that a part of wattmark needs; without the right to do so, say which and go on.
# usage: system-packages.sh venv|demo|test|fleet
set -eu
workloads="sysbench stress-ng fio dbench wrk apache2-utils httperf nginx-light postgresql postgresql-contrib mariadb-server openssh-server openssh-client procps iproute2 busybox strace e2fsprogs hpcc openmpi-bin"
clients="prometheus-ipmi-exporter prometheus-snmp-exporter php-cli jq"
latex="texlive-latex-recommended texlive-science"
servers="influxdb victoria-metrics clickhouse-server"
command -v go >/dev/null 2>&1 || servers="$servers golang-go"
client_programs="prometheus-ipmi-exporter prometheus-snmp-exporter php jq"
workload_programs="sysbench stress-ng fio dbench wrk ab httperf /usr/sbin/nginx pgbench mariadb-install-db /usr/sbin/sshd ssh-keygen ps ip busybox strace /usr/sbin/mkfs.ext4 hpcc mpirun"
case "${1:-demo}" in
  venv) packages="python3-venv"; programs="" ;;
  demo) packages="ipmitool openipmi libopenipmi-dev gcc libc6-dev openssl"; programs="ipmitool ipmi_sim sdrcomp gcc openssl" ;;
  test) packages="ipmitool openipmi libopenipmi-dev gcc libc6-dev openssl mbpoll libmodbus-dev pkg-config snmp snmpd mosquitto mosquitto-clients freeipmi-tools minisign prometheus curl chromium fonts-dejavu-core poppler-utils systemd $latex $workloads $servers $clients"
        programs="ipmitool ipmi_sim sdrcomp gcc openssl mbpoll pkg-config snmpget /usr/sbin/mosquitto mosquitto_sub /usr/sbin/ipmi-dcmi minisign prometheus curl chromium influxd victoria-metrics /usr/sbin/clickhouse-server go pdflatex pdftoppm systemd-analyze $workload_programs $client_programs" ;;
  fleet) packages="clickhouse-server zookeeper default-jre-headless"; programs="/usr/sbin/clickhouse-server java" ;;
  *) echo "usage: $0 venv|demo|test|fleet" >&2; exit 2 ;;
esac
missing=""
for program in $programs; do command -v "$program" >/dev/null 2>&1 || missing="$missing $program"; done
[ "${1:-demo}" = venv ] && missing="python3-venv"
[ "${1:-demo}" = test ] && ! pkg-config --exists libmodbus 2>/dev/null && missing="$missing libmodbus"
case "${1:-demo}" in
  demo|test) [ -e /usr/include/OpenIPMI ] || missing="$missing OpenIPMI-headers" ;;
  fleet) [ -e /usr/share/java/zookeeper.jar ] || missing="$missing zookeeper" ;;
esac
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then as_root=""; elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root="sudo"; else as_root="none"; fi
if command -v apt-get >/dev/null 2>&1 && [ "$as_root" != none ]; then
  echo "Installing Debian packages:$missing"
  if $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null; then exit 0; fi
fi
echo "Not installed (no right to run apt-get, or it failed):$missing" >&2
echo "Install them with: sudo apt-get install $packages" >&2
[ "${1:-demo}" = demo ] && exit 0
exit 1
